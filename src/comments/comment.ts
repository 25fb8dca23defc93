import { z } from 'zod';

export const comment = z.object({
  commentId: z.string(),
  repId: z.string(),
  period: z.string(),
  dealId: z.string().nullable(),
  body: z.string(),
  author: z.object({ repId: z.string().nullable(), name: z.string() }),
  createdAt: z.string(),
});
export type Comment = z.input<typeof comment>;

/** Who a comment is from when a workspace's key wrote it. */
export const keyAuthor = 'API key';
