import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { applicableVersion, type CompiledRule } from '../engine/compiled-plan.js';
import { type Proration } from '../engine/effective-quota.js';
import { type AssignedPlan } from '../engine/model.js';
import { type Day, type DayRange } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { type Period } from '../kernel/period.js';
import { isFiscalPeriod, kindOfPeriod, type PeriodCalendar } from '../kernel/period-calendar.js';
import { proration, toProrationResponse } from '../plans/quotas/proration.js';
import { computeRatio, countedCredit, runningFields } from '../plans/quotas/quota.js';

const nextTier = z
  .object({
    name: z.string().nullable().describe('Name of the tier; null if it has none'),
    minThreshold: z.number().describe('Attainment at which the tier begins: 1 is 100 %'),
    remaining: z.number().describe('Credit that is missing until then, in the unit of the measure'),
  })
  .describe('The next tier above the current attainment, or above that of `countsAtEnd`');

export const attainment = z
  .object({
    planId: fields.planId,
    measure: fields.measure,
    period: z.string().describe('Attainment period of the quota, such as 2026-Q1 or FY2026-Q1'),
    target: z
      .number()
      .describe('Target that counts, in the unit of the measure: what the days of the period leave of the quota'),
    fullTarget: z.number().optional().describe('Target of the quota before proration; absent if all of it counts'),
    proration: proration.optional(),
    credit: countedCredit('credit'),
    attainment: countedCredit('attainment'),
    ...runningFields,
    through: z
      .string()
      .describe(
        'Last day whose deals are counted, YYYY-MM-DD: the end of the requested period, or of the attainment period if that ends earlier',
      ),
    nextTier: nextTier.optional(),
  })
  .describe('Attainment of one quota');

export interface QuotaRow {
  readonly repId: string;
  readonly planId: string;
  readonly measure: string;
  readonly period: Period;
  /** The target that counts. */
  readonly target: string;
  /** The target before proration; absent if all of it counts. */
  readonly fullTarget?: string;
  readonly proration?: Proration;
  /** What has counted or, with `countsAtEnd`, has been collected; null if nothing can count. */
  readonly credit: string | null;
  /** Set if only periodic rules count and have not done so. */
  readonly countsAtEnd?: true;
  /** Why these have collected nothing. */
  readonly uncounted?: string;
  /** The last day whose credit is counted. */
  readonly through: Day;
}

/** The last day whose credit counts when the attainment period is read for the requested days. */
export function lastCountedDay({ to }: DayRange, { to: end }: DayRange): Day {
  return to < end ? to : end;
}

export function toAttainment(quota: QuotaRow): z.input<typeof attainment> {
  const target = Decimal.of(quota.target);
  const collected = Decimal.of(quota.credit ?? '0');
  const credit = quota.countsAtEnd === undefined ? collected : Decimal.zero;
  return {
    planId: quota.planId,
    measure: quota.measure,
    period: quota.period,
    target: target.toNumber(),
    ...(quota.fullTarget === undefined ? {} : { fullTarget: Number(quota.fullTarget) }),
    ...(quota.proration === undefined ? {} : { proration: toProrationResponse(quota.proration) }),
    credit: credit.toNumber(),
    attainment: computeRatio(credit, target),
    ...(quota.countsAtEnd === undefined ? {} : { countsAtEnd: collected.toNumber() }),
    ...(quota.uncounted === undefined ? {} : { uncounted: quota.uncounted }),
    through: quota.through,
  };
}

/** Adds the next tier under the terms of today or, if the period has ended or not begun, of its nearest day. */
export function attainmentWithNextTier(
  quota: QuotaRow,
  plans: readonly AssignedPlan[],
  calendar: PeriodCalendar,
  today: Day,
): z.input<typeof attainment> {
  const next = findNextTier(quota, plans, calendar, today);
  return { ...toAttainment(quota), ...(next === null ? {} : { nextTier: next }) };
}

function findNextTier(
  quota: QuotaRow,
  plans: readonly AssignedPlan[],
  calendar: PeriodCalendar,
  today: Day,
): z.input<typeof nextTier> | null {
  const target = Decimal.of(quota.target);
  if (quota.credit === null || target.isZero()) return null;
  const credit = Decimal.of(quota.credit);
  const { from, to } = calendar.range(quota.period);
  const day = today < from ? from : today > to ? to : today;
  const plan = plans.find((candidate) => candidate.planId === quota.planId);
  const version = applicableVersion(plan?.versions ?? [], day);
  const tiersAhead = (version?.rules ?? [])
    .filter((rule) => isCountedBy(rule, quota))
    .flatMap((rule) => rule.tiers)
    .filter((tier) => credit.isLessThan(tier.threshold.times(target)));
  const [first, ...rest] = tiersAhead;
  if (first === undefined) return null;
  const tier = rest.reduce(
    (nearest, other) => (other.threshold.isLessThan(nearest.threshold) ? other : nearest),
    first,
  );
  const remaining = tier.threshold.times(target).minus(credit);
  return { name: tier.name, minThreshold: tier.threshold.toNumber(), remaining: remaining.toNumber() };
}

/** Whether the quota's credit decides the tier of the rule. */
function isCountedBy({ rule, key, isFlatRate }: CompiledRule, quota: QuotaRow): boolean {
  return (
    key === quota.measure &&
    rule.tierBy === 'attainment' &&
    !isFlatRate &&
    rule.attainmentPeriod === kindOfPeriod(quota.period) &&
    (rule.calendar === 'fiscal') === isFiscalPeriod(quota.period)
  );
}

export const attainmentExample = {
  measure: 'New business',
  period: '2026-Q1',
  target: 100000,
  credit: 120000,
  attainment: 1.2,
  through: '2026-02-28',
};
