import { addDays, countDays, fiscalPatterns, PeriodCalendar } from '#src/client.js';
import { isDay } from '../../shared/format/dates.js';
import { type FiscalYears } from '../../shared/format/periods.js';

export type FiscalYear = FiscalYears[number];

const words: Readonly<Record<FiscalYear['pattern'], string>> = {
  months: 'Months',
  '4-4-5': '4-4-5 weeks',
  '4-5-4': '4-5-4 weeks',
  '5-4-4': '5-4-4 weeks',
};

/** How a year may be divided, in words. */
export const patternChoices = fiscalPatterns.map((pattern) => [pattern, words[pattern]] as const);

/** Whether the year has a number and a first day. While these are typed, it has none, and its periods cannot be drawn. */
export function isWhole({ start, year }: FiscalYear): boolean {
  return isDay(start) && Number.isInteger(year) && year >= 1900 && year <= 2199;
}

/**
 * The years with consecutive numbers, each beginning on the day after the one before it ends. Years after one that is not
 * whole stay as they are.
 */
export function chained(years: FiscalYears): FiscalYears {
  const result: FiscalYear[] = [];
  for (const year of years) {
    const before = result.at(-1);
    const terms = year.pattern === 'months' ? { ...year, weeks: 52 as const } : year;
    result.push(
      before === undefined || !isWhole(before)
        ? terms
        : { ...terms, year: before.year + 1, start: addDays(yearDays(before).to, 1) },
    );
  }
  return result;
}

/** A year after the last one, divided as that one; without one, the present year of the calendar. */
export function followingYear(years: FiscalYears, today: string): FiscalYear {
  const last = years.at(-1);
  const year = Number(today.slice(0, 4));
  return last === undefined
    ? { year, start: `${year}-01-01`, pattern: 'months', weeks: 52 }
    : { ...last, year: last.year + 1, weeks: 52 };
}

export interface DrawnPeriod {
  readonly period: string;
  readonly from: string;
  readonly to: string;
  readonly days: number;
}

/** The quarters of a year, each with its three periods. */
export function drawYear(fiscal: FiscalYear): readonly (DrawnPeriod & { readonly periods: readonly DrawnPeriod[] })[] {
  const calendar = new PeriodCalendar([fiscal]);
  const draw = (days: { readonly from: string; readonly to: string }, kind: 'monthly' | 'quarterly') =>
    calendar.periodsTouching(days, kind, 'fiscal').map((period): DrawnPeriod => {
      const range = calendar.range(period);
      return { period, ...range, days: countDays(range) };
    });
  return draw(yearDays(fiscal), 'quarterly').map((quarter) => ({ ...quarter, periods: draw(quarter, 'monthly') }));
}

export function yearDays(fiscal: FiscalYear): { readonly from: string; readonly to: string } {
  return new PeriodCalendar([fiscal]).range(`FY${fiscal.year}`);
}
