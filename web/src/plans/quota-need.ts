import { type Rule } from './draft.js';

/** Whether the rule pays nothing without a quota. One tier from 0 on needs none. */
export function needsQuota({ tierBy, tiers, executionPhase, payoutBase }: Rule): boolean {
  if (payoutBase === 'variable_target') return true;
  if (executionPhase === 'cascade' || tierBy !== 'attainment') return false;
  return tiers.length > 1 || tiers.some(({ minThreshold }) => minThreshold > 0);
}
