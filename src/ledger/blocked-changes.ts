import { z } from 'zod';

/** Changes that approved statements blocked. */
export const blockedChanges = z.object({
  statementLocked: z.literal(true),
  periods: z.array(z.string()).describe('The approved periods that would have changed'),
  count: z.int().describe('How many events would have changed; their true-up pays the difference'),
});
export type BlockedChanges = z.infer<typeof blockedChanges>;

/** The `blocked` property of a response; absent when nothing was blocked. */
export function blockedIn(periods: readonly string[], count: number): { readonly blocked?: BlockedChanges } {
  if (count === 0) return {};
  return { blocked: { statementLocked: true, periods: [...new Set(periods)].sort(), count } };
}
