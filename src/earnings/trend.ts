import { type Day, type DayRange, isWithin, toDay } from '../kernel/day.js';
import { type Period } from '../kernel/period.js';
import { isFiscalPeriod, type PeriodCalendar } from '../kernel/period-calendar.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type DatedEarningsRow, listDays, listMonths } from './commission-views.js';
import { sumByCurrency } from './earnings.js';

interface MonthOfTrend {
  readonly period: Period;
  readonly total: number;
  /** Absent if nothing was earned in other currencies. */
  readonly otherCurrencies?: { currency: string; total: number }[];
}

/** What a rep earned in a period and in the twelve months that end with it, or the twelfths of fiscal years. */
export interface Trend {
  /** The rows of the period. */
  readonly rows: readonly DatedEarningsRow[];
  readonly trend: readonly MonthOfTrend[];
}

/** No period is longer than twelve months. */
const length = 12;

export async function loadTrend(
  tx: Transaction,
  repId: string,
  {
    period,
    calendar,
    currency,
  }: { readonly period: Period; readonly calendar: PeriodCalendar; readonly currency: string },
): Promise<Trend> {
  const range = calendar.range(period);
  const months = isFiscalPeriod(period) ? fiscalMonthsUpTo(calendar, range) : monthsUpTo(range.to);
  const days = { from: calendar.range(months[0] as Period).from, to: range.to };
  const rows = isFiscalPeriod(period) ? await listDays(tx, repId, days) : await listMonths(tx, repId, days);
  const rowsWithin = (within: DayRange) => rows.filter(({ day }) => isWithin(day, within));
  return {
    rows: rowsWithin(range),
    trend: months.map((month) => toMonth(month, rowsWithin(calendar.range(month)), currency)),
  };
}

function toMonth(period: Period, rows: readonly DatedEarningsRow[], ofWorkspace: string): MonthOfTrend {
  const { earnings, otherCurrencies } = sumByCurrency(rows, ofWorkspace);
  const others = otherCurrencies.map((other) => ({ currency: other.currency, total: other.earnings.total }));
  return { period, total: earnings.total, ...(others.length === 0 ? {} : { otherCurrencies: others }) };
}

/** The months up to the one of the day, oldest first. */
function monthsUpTo(day: Day): Period[] {
  const last = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
  return Array.from({ length }, (_, index) => last - length + 1 + index).map((month) =>
    toDay(Math.floor(month / 12), (month % 12) + 1, 1).slice(0, 7),
  );
}

/** The twelfths of fiscal years up to the end of the range, oldest first; fewer if earlier years are not defined. */
function fiscalMonthsUpTo(calendar: PeriodCalendar, range: DayRange): Period[] {
  const months = calendar.periodsTouching(range, 'monthly', 'fiscal');
  while (months.length < length) {
    const before = calendar.findPrevious(months[0] as Period);
    if (before === null) break;
    months.unshift(before);
  }
  return months;
}
