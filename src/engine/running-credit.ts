import { addDays, type Day, type DayRange } from '../kernel/day.js';
import { type Decimal } from '../kernel/decimal.js';
import { type Period } from '../kernel/period.js';
import { calculationSteps } from './calculate.js';
import { type AssignedPlan, type RepInput } from './model.js';
import { type Reason } from './trace.js';

/** The input of a calculation, without what decides amounts only. */
export type RunningInput = Omit<
  RepInput,
  'asOf' | 'window' | 'teamDeals' | 'fixed' | 'frozen' | 'peerCredits' | 'explain'
>;

/** What the periodic rules of a rep have collected. */
export interface RunningCredits {
  /** Null if the rules would not count at the end of the period. */
  creditOf(planId: string, key: string): Decimal | null;
  /** Why a rule of the plan would not count; null if it does. */
  reasonOf(planId: string): Reason | null;
}

/**
 * The credit that periodic rules count for the deals up to the day: what they would count if the period ended with these
 * deals. With the last day of the period it is the credit of their events.
 */
export function* runningCreditSteps(
  input: RunningInput,
  period: Period,
  { days, through }: { readonly days: DayRange; readonly through: Day },
): Generator<void, RunningCredits> {
  const { credits, outcomes } = yield* calculationSteps({
    ...input,
    plans: input.plans.map(withPeriodicRules),
    asOf: addDays(days.to, 1),
    window: days,
    deals: input.deals.filter(({ closeDate }) => closeDate >= days.from && closeDate <= through),
    teamDeals: [],
    fixed: [],
    frozen: [],
    peerCredits: () => [],
    explain: { dealId: period },
  });
  return {
    creditOf: (planId, key) => credits.get(`${planId}|${key}|${period}`) ?? null,
    reasonOf: (planId) => outcomes.find((one) => one.planId === planId && one.reason !== null)?.reason ?? null,
  };
}

/** Other rules count deals by deal, under other keys. */
function withPeriodicRules({ versions, ...plan }: AssignedPlan): AssignedPlan {
  return {
    ...plan,
    versions: versions.map(({ rules, ...version }) => ({
      ...version,
      rules: rules.filter(({ rule }) => rule.executionPhase === 'periodic'),
    })),
  };
}
