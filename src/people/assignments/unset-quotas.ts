import { type Clock } from '../../kernel/clock.js';
import { currentDay, type Day } from '../../kernel/day.js';
import { groupBy } from '../../kernel/group-by.js';
import { loadCalendar } from '../../ledger/input/calendar.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { planTerms } from '../../plans/plan.js';
import { findMissingQuotas } from '../../plans/plan-evidence-views.js';
import { findPlanVersion } from '../../plans/plan-views.js';
import { listNeededQuotas, type PlanWarning, quotaMissingWarning } from '../../plans/plan-warnings.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

interface Placement {
  readonly planId: string;
  readonly start: Day | null;
  readonly end: Day | null;
}

/** Warnings about quotas that the newly assigned reps lack today, or on the first day on the plan, by rep. */
export async function warnOfUnsetQuotas(
  tx: Transaction,
  repIds: readonly string[],
  { planId, start, end }: Placement,
  clock: Clock,
): Promise<ReadonlyMap<string, readonly PlanWarning[]>> {
  const today = currentDay(await loadWorkspaceTerms(tx), clock.now());
  const version = await findPlanVersion(tx, planId, { onlyForRep: null, today });
  if (version === null) return new Map();
  const day = start !== null && start > today ? start : end !== null && end < today ? end : today;
  const days = { from: day, to: day };
  const calendar = await loadCalendar(tx);
  const found: { readonly repId: string; readonly warning: PlanWarning }[] = [];
  for (const needed of listNeededQuotas(planTerms(version.config)))
    for (const period of calendar.periodsTouching(days, needed.kind, needed.calendar)) {
      const { missing } = await findMissingQuotas(tx, planId, { ...needed, period, days }, repIds);
      for (const { repId, name } of missing)
        found.push({ repId, warning: quotaMissingWarning(needed, period, { missing: [name], assigned: 1 }) });
    }
  const byRep = groupBy(found, ({ repId }) => repId);
  return new Map([...byRep].map(([repId, ofRep]) => [repId, ofRep.map(({ warning }) => warning)]));
}
