import {
  addDays,
  addMonths,
  countDays,
  type Day,
  type DayRange,
  intersection,
  isEffective,
  isWithin,
} from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';

export const quotaProrations = ['none', 'calendar_days', 'whole_months'] as const;
export type QuotaProration = (typeof quotaProrations)[number];

/** The factor below which no target falls, in percent, unless the workspace sets another. */
export const defaultMinQuotaPercent = 25;

export interface Quota {
  readonly target: Decimal;
  readonly variableTarget: Decimal | null;
  /** Whether absences, ramps and dates leave the target as it is. */
  readonly isFixed?: boolean;
}

export interface RampStep {
  readonly months: number;
  readonly quotaPercent: number;
  readonly variablePercent: number;
  readonly ratePercent: number;
}

interface Ramp {
  /** First day. Null: the first day of its assignment, or the hire date if the assignment has none. */
  readonly from: Day | null;
  readonly steps: readonly RampStep[];
}

/** The days of an assignment to a plan; an end of null is open. */
export interface AssignedDays {
  readonly start: Day | null;
  readonly end: Day | null;
  readonly ramp?: Ramp | undefined;
}

export interface Absence {
  readonly from: Day;
  readonly to: Day;
  /** The relief is a percentage of the target and of the variable target. */
  readonly quotaRelief: number;
  readonly variableRelief: number;
}

/** When a person works, and how much of a target remains at least. */
export interface WorkingTime {
  readonly hireDate: Day | null;
  readonly endDate: Day | null;
  readonly absences: readonly Absence[];
  readonly minQuotaPercent: number;
}

/** A person who works on all days. */
export const allDaysAtWork: WorkingTime = {
  hireDate: null,
  endDate: null,
  absences: [],
  minQuotaPercent: defaultMinQuotaPercent,
};

/** What decides the weight of a day. */
type WeightReason = 'full' | 'ramp' | 'absence' | 'not_assigned' | 'not_employed';

/** Consecutive days of equal weight. */
export interface WeightedDays extends DayRange {
  readonly quotaWeight: Decimal;
  readonly variableWeight: Decimal;
  readonly because: WeightReason;
}

/** How a target was prorated: `target` times `weight` of `size` days or months. */
export interface Proration {
  readonly unit: 'days' | 'months';
  readonly size: number;
  readonly target: Decimal;
  /** To 6 decimals. */
  readonly weight: Decimal;
  /** The percentage that applies because the weight is below it. */
  readonly minPercent: Decimal | null;
  readonly variableTarget: Decimal | null;
  readonly variableWeight: Decimal;
  /** Cache of its text in traces, which many events have. */
  encoded?: string;
}

/** The targets that count for a rule in a period. */
export interface EffectiveQuota extends Quota {
  readonly proration?: Proration;
}

const hundred = Decimal.of(100);
const onePercent = Decimal.of(0.01);
/** The scale of stored targets. */
const targetPlaces = 6;

/** The variable target before proration. Limits of one deal are multiples of it, so that an absence does not lower them. */
export function fullVariableTarget(quota: EffectiveQuota | null): Decimal | null {
  return quota?.proration === undefined ? (quota?.variableTarget ?? null) : quota.proration.variableTarget;
}

/** The period of a quota, and the months or twelfths of a fiscal year of which it consists. */
export interface QuotaPeriod {
  readonly range: DayRange;
  readonly months: readonly DayRange[];
}

/** The targets of the quota in the period, by the weights of the period's days. */
export function effectiveQuota(
  quota: Quota,
  mode: QuotaProration,
  { range, months }: QuotaPeriod,
  days: readonly WeightedDays[],
  minQuotaPercent: Decimal,
): EffectiveQuota {
  if (mode === 'none' || quota.isFixed === true) return quota;
  const parts = mode === 'calendar_days' ? null : months;
  const size = parts === null ? countDays(range) : parts.length;
  const weight = parts === null ? daysWeighted(days, quotaWeight) : monthsWeighted(days, parts, quotaWeight);
  const variable = parts === null ? daysWeighted(days, variableWeight) : monthsWeighted(days, parts, variableWeight);
  const whole = Decimal.of(size);
  // weight ÷ whole < minQuotaPercent ÷ 100, without a division that would be rounded
  const isBelow = weight.numerator.times(hundred).isLessThan(minQuotaPercent.times(whole).times(weight.denominator));
  const share = (value: Decimal, { numerator, denominator }: Fraction) =>
    value.times(numerator).dividedBy(denominator.times(whole)).rounded(targetPlaces);
  return {
    target: isBelow ? quota.target.times(toShare(minQuotaPercent)).rounded(targetPlaces) : share(quota.target, weight),
    variableTarget: quota.variableTarget === null ? null : share(quota.variableTarget, variable),
    proration: {
      unit: parts === null ? 'days' : 'months',
      size,
      target: quota.target,
      weight: rounded(weight),
      minPercent: isBelow ? minQuotaPercent : null,
      variableTarget: quota.variableTarget,
      variableWeight: rounded(variable),
    },
  };
}

/** An assignment with the first day of each step of its ramp, and the day after the last step. */
export interface SteppedDays extends AssignedDays {
  readonly stepStarts: readonly Day[];
}

/** Dates the steps of the ramps once, since every event of a rep reads them. */
export function dateSteps(assignments: readonly AssignedDays[], hireDate: Day | null): readonly SteppedDays[] {
  return assignments.map((assignment) => ({ ...assignment, stepStarts: rampStarts(assignment, hireDate) }));
}

/** The weights of all days of the range under one plan, in stretches of equal weight. */
export function weighDays(
  range: DayRange,
  assignments: readonly SteppedDays[],
  { hireDate, endDate, absences }: Pick<WorkingTime, 'hireDate' | 'endDate' | 'absences'>,
): WeightedDays[] {
  const weigh = (day: Day): Omit<WeightedDays, 'from' | 'to'> => {
    if (!isEffective(day, hireDate, endDate)) return weightless('not_employed');
    const assignment = decidingAssignment(assignments, day);
    if (assignment === null) return weightless('not_assigned');
    const step = rampStepOn(assignment, day);
    const absence = absences.find((candidate) => isWithin(day, candidate)) ?? null;
    const remaining = (relief = 0) => toShare(hundred.minus(Decimal.of(relief)));
    return {
      quotaWeight: toShare(Decimal.of(step?.quotaPercent ?? 100)).times(remaining(absence?.quotaRelief)),
      variableWeight: toShare(Decimal.of(step?.variablePercent ?? 100)).times(remaining(absence?.variableRelief)),
      because: absence !== null ? 'absence' : step !== null ? 'ramp' : 'full',
    };
  };
  const starts = stretchStarts(range, assignments, { hireDate, endDate, absences });
  return starts.map((from, index) => {
    const next = starts[index + 1];
    return { from, to: next === undefined ? range.to : addDays(next, -1), ...weigh(from) };
  });
}

/** The percentage of the raw amount that the ramp pays on the day; null if the amount is not changed. */
export function rampRateOn(assignments: readonly SteppedDays[], day: Day): Decimal | null {
  const assignment = decidingAssignment(assignments, day);
  const step = assignment === null ? null : rampStepOn(assignment, day);
  return step === null || step.ratePercent === 100 ? null : Decimal.of(step.ratePercent);
}

/** Selects the assignment with the latest start. */
function decidingAssignment(assignments: readonly SteppedDays[], day: Day): SteppedDays | null {
  let latest: SteppedDays | null = null;
  for (const candidate of assignments) {
    if (!isEffective(day, candidate.start, candidate.end)) continue;
    if (latest === null || (candidate.start ?? '') > (latest.start ?? '')) latest = candidate;
  }
  return latest;
}

/** The steps of the assignment's ramp with their days; none if nothing says when it starts. */
export function listRampSteps(assignment: AssignedDays, hireDate: Day | null): readonly (RampStep & DayRange)[] {
  const starts = rampStarts(assignment, hireDate);
  return starts.slice(1).map((nextStart, index) => ({
    ...(assignment.ramp?.steps[index] as RampStep),
    from: starts[index] as Day,
    to: addDays(nextStart, -1),
  }));
}

function rampStepOn({ ramp, stepStarts }: SteppedDays, day: Day): RampStep | null {
  return ramp?.steps[stepStarts.findLastIndex((start) => start <= day)] ?? null;
}

/** The first day of each step of the ramp, and the day after the last step. */
function rampStarts({ start, ramp }: AssignedDays, hireDate: Day | null): Day[] {
  const from = ramp?.from ?? start ?? hireDate;
  if (ramp === undefined || from === null) return [];
  let months = 0;
  return [
    from,
    ...ramp.steps.map((step) => {
      months += step.months;
      return addMonths(from, months);
    }),
  ];
}

function stretchStarts(
  range: DayRange,
  assignments: readonly SteppedDays[],
  { hireDate, endDate, absences }: Pick<WorkingTime, 'hireDate' | 'endDate' | 'absences'>,
): Day[] {
  const after = (day: Day | null) => (day === null ? null : addDays(day, 1));
  const changes = [
    range.from,
    hireDate,
    after(endDate),
    ...absences.flatMap(({ from, to }) => [from, after(to)]),
    ...assignments.flatMap((assignment) => [assignment.start, after(assignment.end), ...assignment.stepStarts]),
  ].filter((day) => day !== null);
  return [...new Set(changes)].filter((day) => isWithin(day, range)).sort();
}

function weightless(because: WeightReason): Omit<WeightedDays, 'from' | 'to'> {
  return { quotaWeight: Decimal.zero, variableWeight: Decimal.zero, because };
}

/** An exact fraction: a sum of quotients would miss an exact half when it is rounded. */
interface Fraction {
  readonly numerator: Decimal;
  readonly denominator: Decimal;
}

function add(a: Fraction, b: Fraction): Fraction {
  return {
    numerator: a.numerator.times(b.denominator).plus(b.numerator.times(a.denominator)),
    denominator: a.denominator.times(b.denominator),
  };
}

type Weigh = (days: WeightedDays) => Decimal;

const quotaWeight: Weigh = (days) => days.quotaWeight;
const variableWeight: Weigh = (days) => days.variableWeight;

function daysWeighted(days: readonly WeightedDays[], weigh: Weigh): Fraction {
  return {
    numerator: sum(days.map((stretch) => weigh(stretch).times(Decimal.of(countDays(stretch))))),
    denominator: Decimal.one,
  };
}

/** Each month counts the mean of its counted days, if these are at least half of its days. */
function monthsWeighted(days: readonly WeightedDays[], months: readonly DayRange[], weigh: Weigh): Fraction {
  return months.reduce<Fraction>(
    (total, month) => {
      const counted = days.filter(isCounted).flatMap((stretch) => {
        const common = intersection(stretch, month);
        return common.from > common.to ? [] : [{ ...stretch, ...common }];
      });
      const count = counted.reduce((days, stretch) => days + countDays(stretch), 0);
      if (count * 2 < countDays(month)) return total;
      return add(total, { ...daysWeighted(counted, weigh), denominator: Decimal.of(count) });
    },
    { numerator: Decimal.zero, denominator: Decimal.one },
  );
}

/** Whether an assignment is effective on the days and the person is employed. */
function isCounted({ because }: WeightedDays): boolean {
  return because !== 'not_assigned' && because !== 'not_employed';
}

function rounded({ numerator, denominator }: Fraction): Decimal {
  return numerator.dividedBy(denominator).rounded(targetPlaces);
}

function toShare(percent: Decimal): Decimal {
  return percent.times(onePercent);
}
