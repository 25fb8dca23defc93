import { addDays, addMonths, type Day, type DayRange, hull, isWithin, overlap } from './day.js';
import { invalid } from './failure.js';
import {
  longerKind,
  type Period,
  type PeriodKind,
  periodFormats,
  periodKind,
  periodKinds,
  periodRange,
  periodsTouching,
  toPeriod,
  widened,
} from './period.js';

/** How the days of a fiscal year are divided into its twelve periods. */
export const fiscalPatterns = ['months', '4-4-5', '4-5-4', '5-4-4'] as const;
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

/** The kind of the civil or fiscal period, or null when the text is neither, or not between 1900 and 2199. */
export function kindOfPeriod(text: string): PeriodKind | null {
  if (!text.startsWith('FY')) return periodKind(text);
  return periodKind(text.slice(2, 6)) === null ? null : fiscalPeriodKind(text);
}

/** The forms of periods, for messages. */
export const periodExamples =
  '2026-03, 2026-Q1, 2026-H1 or 2026, or of a fiscal year FY2026-P03, FY2026-Q1, FY2026-H1 or FY2026';

/** How the periods of the kind are written in the calendar. */
export function periodFormat(kind: PeriodKind, calendar: CalendarName = 'calendar'): string {
  return calendar === 'calendar' ? periodFormats[kind] : fiscalFormats[kind];
}

const fiscalFormats: Readonly<Record<PeriodKind, string>> = {
  monthly: 'FYYYYY-PNN',
  quarterly: 'FYYYYY-QN',
  semi_annual: 'FYYYYY-HN',
  annual: 'FYYYYY',
};

/** The longest attainment periods of rules, by calendar; null for a calendar without rules. */
export interface MaxKinds {
  readonly calendar: PeriodKind | null;
  readonly fiscal: PeriodKind | null;
}

/** The longest attainment periods of the rules. Without rules they are months. */
export function maxKinds(
  rules: readonly { readonly attainmentPeriod: PeriodKind; readonly calendar?: CalendarName }[],
): MaxKinds {
  const longest = (name: CalendarName) =>
    rules
      .filter(({ calendar = 'calendar' }) => calendar === name)
      .map(({ attainmentPeriod }) => attainmentPeriod)
      .reduce<PeriodKind | null>((a, b) => (a === null ? b : longerKind(a, b)), null);
  const fiscal = longest('fiscal');
  return { calendar: longest('calendar') ?? (fiscal === null ? 'monthly' : null), fiscal };
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

  /** First and last day of the period. Rejects a period of a fiscal year that is not defined. */
  range(period: Period, path = 'period'): DayRange {
    const range = this.findRange(period);
    if (range !== null) return range;
    const message = `no fiscal year ${period.slice(2, 6)} is defined; an admin defines it with PUT /v1/fiscal-years`;
    throw invalid({ path, message });
  }

  /** The period of the same kind and calendar that ends the day before this one begins, if there is one. */
  findPrevious(period: Period): Period | null {
    return this.findNeighbour(period, ({ from }) => addDays(from, -1));
  }

  /** The period of the same kind and calendar that begins the day after this one ends, if there is one. */
  findNext(period: Period): Period | null {
    return this.findNeighbour(period, ({ to }) => addDays(to, 1));
  }

  private findNeighbour(period: Period, toDayOutside: (range: DayRange) => Day): Period | null {
    const calendar = isFiscalPeriod(period) ? 'fiscal' : 'calendar';
    const kind = kindOfPeriod(period);
    return kind === null ? null : this.findPeriod(toDayOutside(this.range(period)), kind, calendar);
  }

  /** The periods of every kind and both calendars with days of the range. */
  periodsAround(range: DayRange): Period[] {
    return calendarNames.flatMap((calendar) =>
      periodKinds.flatMap((kind) => this.periodsTouching(range, kind, calendar)),
    );
  }

  /** The period and the longer ones of both calendars that contain all of its days. */
  periodsContaining(period: Period): Period[] {
    const range = this.findRange(period);
    if (range === null) return [period];
    return this.periodsAround(range).filter((candidate) => {
      const { from, to } = this.range(candidate);
      return from <= range.from && to >= range.to;
    });
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

  /** The range widened to the years and the fiscal years that it touches. */
  yearsAround(range: DayRange): DayRange {
    return calendarNames
      .flatMap((name) => this.periodsTouching(range, 'annual', name))
      .map((year) => this.findRange(year) as DayRange)
      .reduce(hull, range);
  }

  /** The months, or the twelfths of a fiscal year, of which the period consists. */
  listMonths(period: Period): DayRange[] {
    const range = this.findRange(period);
    if (range === null) return [];
    return this.periodsTouching(range, 'monthly', isFiscalPeriod(period) ? 'fiscal' : 'calendar').map(
      (month) => this.findRange(month) as DayRange,
    );
  }

  /**
   * The range widened to whole periods of both calendars; days outside of all fiscal years stay as they are. Where
   * periods of the two calendars overlap, it contains all of them, up to the ends of the fiscal years.
   */
  widened(range: DayRange, { calendar, fiscal }: MaxKinds): DayRange {
    const civil = calendar === null ? range : widened(range, calendar);
    if (fiscal === null) return civil;
    const wider = this.periodsTouching(civil, fiscal, 'fiscal')
      .map((period) => this.findRange(period) as DayRange)
      .reduce(hull, civil);
    const isWhole = calendar === null || (wider.from === civil.from && wider.to === civil.to);
    return isWhole ? wider : this.widened(wider, { calendar, fiscal });
  }
}

/** A workspace without fiscal years. */
export const civilCalendar = new PeriodCalendar([]);

const calendars = new WeakMap<readonly FiscalYear[], PeriodCalendar>();

/** The calendar with the fiscal years, built once for each list. */
export function toCalendar(fiscalYears: readonly FiscalYear[]): PeriodCalendar {
  if (fiscalYears.length === 0) return civilCalendar;
  const known = calendars.get(fiscalYears);
  if (known !== undefined) return known;
  const calendar = new PeriodCalendar(fiscalYears);
  calendars.set(fiscalYears, calendar);
  return calendar;
}

function fiscalPeriod({ year }: DividedYear, kind: PeriodKind, index: number): Period {
  const { letter } = kinds[kind];
  if (kind === 'annual') return `FY${year}`;
  return `FY${year}-${letter}${kind === 'monthly' ? String(index + 1).padStart(2, '0') : index + 1}`;
}
