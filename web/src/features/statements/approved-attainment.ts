import { type Plan, type Statement } from '../../api/queries.js';
import { type Attainment } from '../../api/team-queries.js';
import { listRules, measureOf } from '../plans/rules.js';

/**
 * The attainment with which a statement was approved: that of the last line of the measure. Null for drafts, without such
 * a line, and after a correction in the same period, which pays by the attainment of today.
 */
export function approvedAttainment(
  { status, period, lineItems }: Pick<Statement, 'status' | 'period' | 'lineItems'>,
  quota: Pick<Attainment, 'planId' | 'measure' | 'period'>,
  plans: readonly Plan[],
): number | null {
  const isCorrected = lineItems.some(
    ({ kind, sourcePeriod = period }) => kind === 'true_up' && sourcePeriod === period,
  );
  if (status !== 'approved' || isCorrected) return null;
  const measures = new Map(plans.flatMap((plan) => listRules(plan).map((rule) => [rule.id, measureOf(rule)] as const)));
  const counted = lineItems.filter(
    (line) =>
      line.planId === quota.planId &&
      line.period === quota.period &&
      (measures.get(line.ruleId ?? '') ?? line.ruleName) === quota.measure,
  );
  return counted.findLast(({ attainment }) => attainment !== null)?.attainment ?? null;
}
