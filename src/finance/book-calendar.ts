import { addDays, addMonths, type Day, type DayRange, earliestDay, latestDay } from '../kernel/day.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { periodRange, toPeriod } from '../kernel/period.js';
import { type FiscalYear, PeriodCalendar } from '../kernel/period-calendar.js';
import { loadFiscalYears } from '../ledger/input/calendar.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { isFiscal, type Month } from './month.js';

/** The days of the months in which books are kept. */
export interface BookCalendar {
  readonly range: (month: Month) => DayRange;
  readonly monthOf: (day: Day) => Month;
  /** Whether the days are those of a year that is defined, and not assumed. */
  readonly isDefined: (month: Month) => boolean;
}

export const civilMonths: BookCalendar = {
  range: periodRange,
  monthOf: (day) => toPeriod(day, 'monthly'),
  isDefined: () => true,
};

/** The periods of the fiscal years. Before and after them, years of 52 weeks with the same pattern are assumed. */
function fiscalMonths(years: readonly FiscalYear[]): BookCalendar {
  const [defined, assumed] = [new PeriodCalendar(years), new PeriodCalendar(withAssumed(years))];
  const ranges = new Map<Month, DayRange>();
  const months = new Map<Day, Month>();
  return {
    range: (month) => getOrInsert(ranges, month, () => assumed.range(month)),
    monthOf: (day) => getOrInsert(months, day, () => assumed.findPeriod(day, 'monthly', 'fiscal') as Month),
    isDefined: (month) => defined.findRange(month) !== null,
  };
}

function withAssumed(years: readonly FiscalYear[]): FiscalYear[] {
  const all = years.length === 0 ? [civilYear] : [...years];
  for (let [first] = all as [FiscalYear]; first.start > earliestDay; [first] = all as [FiscalYear]) {
    const start = first.pattern === 'months' ? addMonths(first.start, -12) : addDays(first.start, -52 * 7);
    all.unshift({ ...first, year: first.year - 1, start, weeks: 52 });
  }
  for (let last = all.at(-1) as FiscalYear; ; last = all.at(-1) as FiscalYear) {
    const { to } = new PeriodCalendar([last]).range(`FY${last.year}`);
    if (to >= latestDay) return all;
    all.push({ ...last, year: last.year + 1, start: addDays(to, 1), weeks: 52 });
  }
}

/** Without any fiscal year, one that begins with January is assumed. */
const civilYear: FiscalYear = { year: 2026, start: '2026-01-01', pattern: 'months', weeks: 52 };

/** The months of books that begin with the month, with the fiscal years of now, or of `asOf`. */
export async function loadBookCalendar(tx: Transaction, from: Month): Promise<BookCalendar> {
  return isFiscal(from) ? fiscalMonths(await loadFiscalYears(tx)) : civilMonths;
}
