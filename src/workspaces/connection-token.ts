import { z } from 'zod';

/** A token for an embedded widget: it reads a few resources of the workspace and belongs to no person. */
export const connectionToken = z.object({
  id: z.string(),
  label: z.string().nullable(),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable(),
});
export type ConnectionToken = z.input<typeof connectionToken>;
