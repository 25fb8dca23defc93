import { z } from 'zod';

/** What approved statements kept runs of the engine from writing. */
export const blockedChanges = z.object({
  statementLocked: z.literal(true),
  periods: z.array(z.string()).describe('The approved periods that would have changed'),
  count: z.int().describe('How many events would have changed; their true-up pays the difference'),
});
export type BlockedChanges = z.infer<typeof blockedChanges>;

/** The property of a response: present only when an approved statement blocked something. */
export function blockedIn(periods: readonly string[], count: number): { readonly blocked?: BlockedChanges } {
  if (count === 0) return {};
  return { blocked: { statementLocked: true, periods: [...new Set(periods)].sort(), count } };
}
