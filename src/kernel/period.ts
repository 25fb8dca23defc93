import { addDays, addMonths, type Day, type DayRange, daysInMonth, earliestDay, latestDay, toDay } from './day.js';

/**
 * `2026-03`, `2026-Q1`, `2026-H1` or `2026`, or of a fiscal year `FY2026-P03`, `FY2026-Q1`, `FY2026-H1` or `FY2026`: a
 * closed range of calendar days. The functions of this file know the periods of the civil calendar only.
 */
export type Period = string;

export const periodKinds = ['monthly', 'quarterly', 'semi_annual', 'annual'] as const;
export type PeriodKind = (typeof periodKinds)[number];

export const periodFormats: Readonly<Record<PeriodKind, string>> = {
  monthly: 'YYYY-MM',
  quarterly: 'YYYY-QN',
  semi_annual: 'YYYY-HN',
  annual: 'YYYY',
};

const monthsIn: Readonly<Record<PeriodKind, number>> = { monthly: 1, quarterly: 3, semi_annual: 6, annual: 12 };

const pattern = /^(\d{4})(?:-(?:(0[1-9]|1[0-2])|Q([1-4])|H([12])))?$/;

/** The kind of the period, or null when the text is not a period between 1900 and 2199. */
export function periodKind(text: string): PeriodKind | null {
  const year = text.slice(0, 4);
  return year >= earliestDay.slice(0, 4) && year <= latestDay.slice(0, 4) ? parseKind(text) : null;
}

/** Accepts the periods before the earliest and after the latest one too. */
function parseKind(text: string): PeriodKind | null {
  const match = pattern.exec(text);
  if (match === null) return null;
  if (match[2] !== undefined) return 'monthly';
  if (match[3] !== undefined) return 'quarterly';
  return match[4] !== undefined ? 'semi_annual' : 'annual';
}

/** First and last day of the period. Throws when the text is not a period. */
export function periodRange(period: Period): DayRange {
  const match = pattern.exec(period);
  if (match === null) throw new RangeError(`not a period: ${period.slice(0, 40)}`);
  const [, yearText, month, quarter, half] = match;
  const year = Number(yearText);
  if (month !== undefined) return monthsFrom(year, Number(month), 1);
  if (quarter !== undefined) return monthsFrom(year, Number(quarter) * 3 - 2, 3);
  if (half !== undefined) return monthsFrom(year, Number(half) * 6 - 5, 6);
  return monthsFrom(year, 1, 12);
}

/** The period of that kind in which the day lies. */
export function toPeriod(day: Day, kind: PeriodKind): Period {
  const year = day.slice(0, 4);
  if (kind === 'monthly') return day.slice(0, 7);
  if (kind === 'annual') return year;
  const month = Number(day.slice(5, 7));
  return kind === 'quarterly' ? `${year}-Q${Math.ceil(month / 3)}` : `${year}-H${month <= 6 ? 1 : 2}`;
}

/** The period of the same kind that ends the day before this one begins. */
export function previousPeriod(period: Period): Period {
  return shift(period, -1);
}

/** The period of the same kind that begins the day after this one ends. */
export function nextPeriod(period: Period): Period {
  return shift(period, 1);
}

/** The period of the same kind, so many periods later. */
function shift(period: Period, count: number): Period {
  const kind = parseKind(period) as PeriodKind;
  return toPeriod(addMonths(periodRange(period).from, count * monthsIn[kind]), kind);
}

/** The periods of that kind that touch the range, oldest first. */
export function periodsTouching(range: DayRange, kind: PeriodKind): Period[] {
  const periods: Period[] = [];
  for (let day = range.from; day <= range.to; ) {
    const period = toPeriod(day, kind);
    periods.push(period);
    day = addDays(periodRange(period).to, 1);
  }
  return periods;
}

/** The range widened to whole periods of the kind. */
export function widened(range: DayRange, kind: PeriodKind): DayRange {
  return { from: periodRange(toPeriod(range.from, kind)).from, to: periodRange(toPeriod(range.to, kind)).to };
}

/** The longer of two kinds: every period of the shorter one lies within one of the longer. */
export function longerKind(a: PeriodKind, b: PeriodKind): PeriodKind {
  return monthsIn[a] >= monthsIn[b] ? a : b;
}

function monthsFrom(year: number, month: number, count: number): DayRange {
  const last = month + count - 1;
  return { from: toDay(year, month, 1), to: toDay(year, last, daysInMonth(year, last)) };
}
