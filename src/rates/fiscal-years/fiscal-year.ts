import { z } from 'zod';
import { addDays, type DayRange } from '../../kernel/day.js';
import { Failure, type Issue, rejectAny } from '../../kernel/failure.js';
import { type Period } from '../../kernel/period.js';
import { type FiscalYear, fiscalPatterns, isFiscalPeriod, PeriodCalendar } from '../../kernel/period-calendar.js';
import { day } from '../../platform/operations/schemas.js';

const year = z.int().min(1900).max(2199).describe('Number of the fiscal year, as in FY2026');
const pattern = z
  .enum(fiscalPatterns)
  .describe('How the year is divided: months counts by day of month from the start, the others count weeks');

/** A fiscal year in a request. */
export const fiscalYearTerms = z
  .strictObject({
    year,
    start: day.describe('First day of the year, YYYY-MM-DD'),
    pattern,
    weeks: z
      .union([z.literal(52), z.literal(53)])
      .default(52)
      .describe('Weeks of the year, of the patterns in weeks. With 53, the last period has one more. 52 by default'),
  })
  .describe('A fiscal year');

export const fiscalYear = z
  .object({
    year,
    start: z.string().describe('First day of the year, YYYY-MM-DD'),
    end: z.string().describe('Last day of the year, YYYY-MM-DD'),
    pattern,
    weeks: z.int().describe('52 or 53; of the patterns in weeks'),
    periods: z
      .array(
        z
          .object({
            period: z.string().describe('FY2026, FY2026-H1, FY2026-Q1 or FY2026-P01'),
            from: z.string().describe('First day, YYYY-MM-DD'),
            to: z.string().describe('Last day, YYYY-MM-DD'),
          })
          .describe('A period of the year'),
      )
      .describe('The twelve periods, the quarters, the halves and the year'),
  })
  .describe('A fiscal year with its periods');

/** The years with the days of their periods. */
export function toFiscalYearResponses(years: readonly FiscalYear[]): z.input<typeof fiscalYear>[] {
  const calendar = new PeriodCalendar(years);
  return years.map((fiscal) => {
    const days = calendar.range(`FY${fiscal.year}`);
    return { ...fiscal, end: days.to, periods: listPeriods(calendar, days) };
  });
}

/** The fiscal periods of every kind on the days. */
export function listPeriods(calendar: PeriodCalendar, days: DayRange): (DayRange & { readonly period: Period })[] {
  return calendar
    .periodsAround(days)
    .filter(isFiscalPeriod)
    .map((period) => ({ period, ...calendar.range(period) }));
}

/** Rejects years that do not follow each other without a gap, and returns them in their order. */
export function assertContiguous(years: readonly FiscalYear[]): readonly FiscalYear[] {
  const calendar = new PeriodCalendar(years);
  const issues = years.flatMap((fiscal, index): Issue[] => {
    const before = years[index - 1];
    if (fiscal.pattern === 'months' && fiscal.weeks === 53)
      return [{ path: `${index}.weeks`, message: 'must be 52 with the pattern months' }];
    if (before === undefined) return [];
    if (fiscal.year !== before.year + 1)
      return [{ path: `${index}.year`, message: `must be ${before.year + 1}: the years follow each other` }];
    const start = addDays(calendar.range(`FY${before.year}`).to, 1);
    if (fiscal.start === start) return [];
    return [{ path: `${index}.start`, message: `must be ${start}, the day after the year ${before.year} ends` }];
  });
  rejectAny(issues);
  return years;
}

/** The years of a list whose days or periods the other list does not have. */
export function yearsNotIn(years: readonly FiscalYear[], others: readonly FiscalYear[]): FiscalYear[] {
  const same = (a: FiscalYear, b: FiscalYear) =>
    a.year === b.year && a.start === b.start && a.pattern === b.pattern && a.weeks === b.weeks;
  return years.filter((fiscal) => !others.some((other) => same(fiscal, other)));
}

export function daysOf(fiscal: FiscalYear): DayRange {
  return new PeriodCalendar([fiscal]).range(`FY${fiscal.year}`);
}

export function calendarInUse(changed: number, statements: readonly { readonly period: string }[]): Failure {
  const periods = [...new Set(statements.map(({ period }) => period))];
  return new Failure(
    'calendar_in_use',
    `The days of the fiscal year ${changed} cannot change while statements in it are approved: ${periods.slice(0, 5).join(', ')}. Unlock them first.`,
    { year: changed, periods },
  );
}

const firstYear: FiscalYear = { year: 2026, start: '2026-02-01', pattern: '4-5-4', weeks: 52 };
export const fiscalYearsExample = { request: [firstYear], response: toFiscalYearResponses([firstYear]) };
