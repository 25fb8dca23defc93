import { addDays, addMonths, type Day, type DayRange, hull, isWithin, overlap } from './day.js';
import { type Period, type PeriodKind, periodRange, periodsTouching, toPeriod, widened } from './period.js';

/** How the days of a fiscal year are divided into its twelve periods. */
const fiscalPatterns = ['months', '4-4-5', '4-5-4', '5-4-4'] as const;
type FiscalPattern = (typeof fiscalPatterns)[number];

export interface FiscalYear {
  readonly year: number;
  readonly start: Day;
  readonly pattern: FiscalPattern;
  /** Only patterns in weeks have this number. With 53, the last period has one week more. */
  readonly weeks: 52 | 53;
}

export const calendarNames = ['calendar', 'fiscal'] as const;
export type CalendarName = (typeof calendarNames)[number];

const monthsPerYear = 12;

const kinds: Readonly<Record<PeriodKind, { readonly letter: string; readonly months: number }>> = {
  monthly: { letter: 'P', months: 1 },
  quarterly: { letter: 'Q', months: 3 },
  semi_annual: { letter: 'H', months: 6 },
  annual: { letter: '', months: monthsPerYear },
};

const fiscalPattern = /^FY(\d{4})(?:-(?:P(0[1-9]|1[0-2])|Q([1-4])|H([12])))?$/;

export function isFiscalPeriod(period: string): boolean {
  return period.startsWith('FY') && fiscalPattern.test(period);
}

/** The kind of a fiscal period, or null when the text is not one. */
function fiscalPeriodKind(period: string): PeriodKind | null {
  const match = fiscalPattern.exec(period);
  if (match === null) return null;
  if (match[2] !== undefined) return 'monthly';
  if (match[3] !== undefined) return 'quarterly';
  return match[4] !== undefined ? 'semi_annual' : 'annual';
}

/** The first days of the twelve periods of the year, and the day after the last one. */
function periodStarts({ start, pattern, weeks }: FiscalYear): Day[] {
  if (pattern === 'months') return Array.from({ length: monthsPerYear + 1 }, (_, month) => addMonths(start, month));
  const quarter = pattern.split('-').map(Number);
  const starts = [start];
  for (let index = 0; index < monthsPerYear; index += 1) {
    const isLongest = weeks === 53 && index === monthsPerYear - 1;
    const length = (quarter[index % quarter.length] as number) + (isLongest ? 1 : 0);
    starts.push(addDays(starts[index] as Day, length * 7));
  }
  return starts;
}

interface DividedYear {
  readonly year: number;
  readonly range: DayRange;
  readonly starts: readonly Day[];
}

/** The periods of a workspace: those of the civil calendar, and those of its fiscal years. */
export class PeriodCalendar {
  private readonly years: readonly DividedYear[];

  constructor(fiscalYears: readonly FiscalYear[]) {
    this.years = fiscalYears
      .map((fiscal) => {
        const starts = periodStarts(fiscal);
        const range = { from: fiscal.start, to: addDays(starts[monthsPerYear] as Day, -1) };
        return { year: fiscal.year, range, starts };
      })
      .sort((a, b) => a.year - b.year);
  }

  /** The period of that kind in which the day lies; null for a day outside of all fiscal years. */
  findPeriod(day: Day, kind: PeriodKind, calendar: CalendarName = 'calendar'): Period | null {
    if (calendar === 'calendar') return toPeriod(day, kind);
    const year = this.years.find(({ range }) => isWithin(day, range));
    if (year === undefined) return null;
    const month = year.starts.findLastIndex((start) => start <= day);
    return fiscalPeriod(year, kind, Math.floor(month / kinds[kind].months));
  }

  /** First and last day of the period; null for a period of a fiscal year that is not defined. */
  findRange(period: Period): DayRange | null {
    const match = fiscalPattern.exec(period);
    if (match === null) return periodRange(period);
    const [, yearText, month, quarter, half] = match;
    const year = this.years.find((candidate) => candidate.year === Number(yearText));
    if (year === undefined) return null;
    const { months } = kinds[fiscalPeriodKind(period) as PeriodKind];
    const first = (Number(month ?? quarter ?? half ?? 1) - 1) * months;
    return { from: year.starts[first] as Day, to: addDays(year.starts[first + months] as Day, -1) };
  }

  /** The periods of that kind that touch the range, oldest first. */
  periodsTouching(range: DayRange, kind: PeriodKind, calendar: CalendarName = 'calendar'): Period[] {
    if (calendar === 'calendar') return periodsTouching(range, kind);
    const { months } = kinds[kind];
    return this.years
      .filter((year) => overlap(year.range, range))
      .flatMap((year) =>
        Array.from({ length: monthsPerYear / months }, (_, index) => fiscalPeriod(year, kind, index)).filter((period) =>
          overlap(this.findRange(period) as DayRange, range),
        ),
      );
  }

  /** The months, or the twelfths of a fiscal year, of which the period consists. */
  listMonths(period: Period): DayRange[] {
    const range = this.findRange(period);
    if (range === null) return [];
    return this.periodsTouching(range, 'monthly', isFiscalPeriod(period) ? 'fiscal' : 'calendar').map(
      (month) => this.findRange(month) as DayRange,
    );
  }

  /** The range widened to whole periods of the kind; days outside of all fiscal years stay as they are. */
  widened(range: DayRange, kind: PeriodKind, calendar: CalendarName = 'calendar'): DayRange {
    if (calendar === 'calendar') return widened(range, kind);
    return this.periodsTouching(range, kind, calendar)
      .map((period) => this.findRange(period) as DayRange)
      .reduce(hull, range);
  }
}

/** A workspace without fiscal years. */
export const civilCalendar = new PeriodCalendar([]);

function fiscalPeriod({ year }: DividedYear, kind: PeriodKind, index: number): Period {
  const { letter } = kinds[kind];
  if (kind === 'annual') return `FY${year}`;
  return `FY${year}-${letter}${kind === 'monthly' ? String(index + 1).padStart(2, '0') : index + 1}`;
}
