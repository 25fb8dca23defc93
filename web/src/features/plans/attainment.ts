import { type Dashboard, type Plan } from '../../api/queries.js';
import { formatNumber, formatUnits } from '../../shared/format/numbers.js';
import { isFiscal, toPeriodLength } from '../../shared/format/periods.js';
import { type Condition, type Leaf } from './draft.js';
import { isGroup, listRules, measureOf, type Overrides, type OwnTier, type PlanRule, tiersFor } from './rules.js';

export type Attainment = Dashboard['attainment'][number];

/** Whether the quota has credit. That of periodic rules is what they have collected so far; some cannot have any. */
export function isCounted({ uncounted }: Pick<Attainment, 'uncounted'>): boolean {
  return uncounted === undefined;
}

type QuotaProgress = Pick<
  Attainment,
  'planId' | 'measure' | 'period' | 'target' | 'attainment' | 'countsAtEnd' | 'uncounted'
>;

/** The quota that a rep looks at first, with the rule whose tiers it decides. */
export interface MainQuota<Quota extends QuotaProgress = Attainment> {
  readonly quota: Quota;
  readonly plan: Plan;
  readonly rule: PlanRule;
}

/**
 * The counted quota with tiers by attainment: one whose deals count at once rather than at the end; of several, one that
 * is longer than a month and shorter than a year.
 */
export function mainQuota<Quota extends QuotaProgress>(
  attainment: readonly Quota[],
  plans: readonly Plan[],
): MainQuota<Quota> | null {
  const found = attainment.filter(isCounted).flatMap((quota): MainQuota<Quota>[] => {
    const plan = plans.find(({ planId }) => planId === quota.planId);
    const rule = plan === undefined ? undefined : listRules(plan).find((rule) => isDecidedBy(rule, quota));
    return plan === undefined || rule === undefined || quota.target <= 0 ? [] : [{ quota, plan, rule }];
  });
  const order = (mainQuota: MainQuota<Quota>) => [3, 1, 6, 12].indexOf(toPeriodLength(mainQuota.quota.period));
  const isLate = ({ quota }: MainQuota<Quota>) => Number(quota.countsAtEnd !== undefined);
  return (
    found.sort(
      (a, b) => isLate(a) - isLate(b) || b.rule.tiers.length - a.rule.tiers.length || order(a) - order(b),
    )[0] ?? null
  );
}

function isDecidedBy(rule: PlanRule, { measure, period }: QuotaProgress): boolean {
  const isOfCalendar = (rule.calendar === 'fiscal') === isFiscal(period);
  return (
    rule.tierBy === 'attainment' && measureOf(rule) === measure && isOfCalendar && rule.executionPhase !== 'cascade'
  );
}

/** How the days of the period changed the target, such as "prorated: 120,000 × 34.5 of 90 days"; null if they did not. */
export function prorationWords({ proration }: Pick<Attainment, 'proration'>): string | null {
  if (proration === undefined || isWhole(proration)) return null;
  return `prorated: ${formatUnits(proration.target)} × ${shareWords(proration)}`;
}

function isWhole({ weight, size, minPercent }: NonNullable<Attainment['proration']>): boolean {
  return weight === size && minPercent === undefined;
}

/** The days that count of those of the period, or the minimum that applies instead. */
export function shareWords({ weight, size, unit, minPercent }: NonNullable<Attainment['proration']>): string {
  return minPercent === undefined
    ? `${formatNumber(weight)} of ${size} ${unit}`
    : `${formatNumber(minPercent)} % (the minimum)`;
}

/** Where attainment is between the tiers. */
export interface TierPosition {
  readonly tiers: readonly OwnTier[];
  readonly current: OwnTier | null;
  readonly next: OwnTier | null;
}

/** {@link tiersFor} the day, and where the attainment of the quota is among them. */
export function tierPosition(
  { quota, rule }: MainQuota,
  repId: string,
  day: string,
  overrides?: Overrides,
): TierPosition {
  const tiers = tiersFor(rule, repId, day, overrides);
  // Refunds may take the attainment below zero, where the first tier applies.
  const attainment = Math.max(0, quota.attainment);
  const reached = tiers.filter(({ minThreshold }) => minThreshold <= attainment);
  const next = tiers.find(({ minThreshold }) => minThreshold > attainment) ?? null;
  return { tiers, current: reached.at(-1) ?? null, next };
}

/** The stage in which a deal counts as won under the plan: the first that its conditions, or those of a rule, name. */
export function wonStage(plan: Plan): string {
  const conditions = [
    ...(plan.dealConditions as readonly Condition[]),
    ...listRules(plan).flatMap((rule) => rule.conditions),
  ];
  const leaves = conditions.flatMap((condition): readonly Leaf[] =>
    isGroup(condition) ? condition.rules : [condition],
  );
  return leaves.flatMap(stagesOf)[0] ?? 'Closed Won';
}

function stagesOf({ field, operator, value }: Leaf): readonly string[] {
  if (!/stage/i.test(field) || (operator !== 'equals' && operator !== 'in')) return [];
  return [value].flat().filter((stage) => typeof stage === 'string');
}
