import { z } from 'zod';

/** A token for an embedded widget: it reads a few things of the workspace and is nobody. */
export const connectionToken = z.object({
  id: z.string(),
  label: z.string().nullable(),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable(),
});
export type ConnectionToken = z.input<typeof connectionToken>;
