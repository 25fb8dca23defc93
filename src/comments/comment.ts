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

/** The author's name on comments that an API key wrote. */
export const keyAuthor = 'API key';
