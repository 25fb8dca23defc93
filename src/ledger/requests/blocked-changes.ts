import { z } from 'zod';

/** Changes that approved statements blocked. */
export const blockedChanges = z
  .object({
    statementLocked: z.literal(true).describe('Always true: approved statements blocked changes'),
    periods: z.array(z.string()).describe('The approved periods that would have changed'),
    count: z.int().describe('Number of events that would have changed; the true-ups of the periods pay the difference'),
  })
  .describe('Changes that approved statements blocked');
type BlockedChanges = z.infer<typeof blockedChanges>;

/** The `blocked` property of a response; absent when nothing was blocked. */
export function blockedIn(periods: readonly string[], count: number): { readonly blocked?: BlockedChanges } {
  if (count === 0) return {};
  return { blocked: { statementLocked: true, periods: [...new Set(periods)].sort(), count } };
}
