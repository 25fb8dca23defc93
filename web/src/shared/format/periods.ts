import { PeriodCalendar } from '#src/client.js';

/** The length of a period in months: a month, a quarter, a half-year or a year. */
export type PeriodLength = 1 | 3 | 6 | 12;

interface PeriodMonths {
  readonly year: number;
  /** The first month, from 0. */
  readonly month: number;
  readonly length: PeriodLength;
  /** Whether it is of a fiscal year, whose months are numbered from its start. */
  readonly isFiscal: boolean;
}

export type FiscalYears = ConstructorParameters<typeof PeriodCalendar>[0];

let calendar = new PeriodCalendar([]);
let years: FiscalYears = [];

/** Sets the fiscal years of the workspace, when its session begins and when they change. */
export function setFiscalYears(fiscalYears: FiscalYears): void {
  years = fiscalYears;
  calendar = new PeriodCalendar(fiscalYears);
}

/** The numbers of the fiscal years, in their order. */
export function listFiscalYears(): readonly number[] {
  return years.map(({ year }) => year);
}

export function isFiscal(period: string): boolean {
  return period.startsWith('FY');
}

const pattern = /^(FY)?(\d{4})(?:-(?:(P?)(\d{2})|Q([1-4])|H([12])))?$/;

function read(period: string): PeriodMonths | null {
  const match = pattern.exec(period);
  if (match === null) return null;
  const [, fiscal, yearText, letter, month, quarter, half] = match;
  const whole = { year: Number(yearText), isFiscal: fiscal !== undefined };
  if (month !== undefined) {
    const index = Number(month) - 1;
    const isMonth = index >= 0 && index < 12 && (letter === 'P') === whole.isFiscal;
    return isMonth ? { ...whole, month: index, length: 1 } : null;
  }
  if (quarter !== undefined) return { ...whole, month: (Number(quarter) - 1) * 3, length: 3 };
  if (half !== undefined) return { ...whole, month: (Number(half) - 1) * 6, length: 6 };
  return { ...whole, month: 0, length: 12 };
}

function write({ year, month, length, isFiscal: isOfFiscalYear }: PeriodMonths): string {
  const name = isOfFiscalYear ? `FY${year}` : String(year);
  if (length === 1) return `${name}-${isOfFiscalYear ? 'P' : ''}${String(month + 1).padStart(2, '0')}`;
  if (length === 12) return name;
  return length === 3 ? `${name}-Q${month / 3 + 1}` : `${name}-H${month / 6 + 1}`;
}

export function isPeriod(text: unknown): text is string {
  return typeof text === 'string' && read(text) !== null;
}

export function toMonth(day: string): string {
  return day.slice(0, 7);
}

const kinds = { 1: 'monthly', 3: 'quarterly', 6: 'semi_annual', 12: 'annual' } as const;

/** The period of that length in which the day lies; for a day outside of all fiscal years, that of the calendar. */
export function periodAt(day: string, length: PeriodLength, of: 'calendar' | 'fiscal' = 'calendar'): string {
  const fiscal = of === 'fiscal' ? calendar.findPeriod(day, kinds[length], of) : null;
  if (fiscal !== null) return fiscal;
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1];
  return write({ year, month: Math.floor(month / length) * length, length, isFiscal: false });
}

export function toPeriodLength(period: string): PeriodLength {
  return read(period)?.length ?? 1;
}

/** The period of the same length that lies `count` periods later, or earlier if it is negative. */
export function shiftPeriod(period: string, count: number): string {
  const parts = read(period);
  if (parts === null) return period;
  const months = parts.year * 12 + parts.month + count * parts.length;
  return write({ ...parts, year: Math.floor(months / 12), month: months % 12 });
}

/** First and last day; none of an unknown fiscal year. */
export function daysOf(period: string): { readonly from: string; readonly to: string } {
  const parts = read(period);
  if (parts === null) return noDays;
  if (parts.isFiscal) return calendar.findRange(period) ?? noDays;
  const day = (year: number, month: number, number: number) =>
    new Date(Date.UTC(year, month, number)).toISOString().slice(0, 10);
  return { from: day(parts.year, parts.month, 1), to: day(parts.year, parts.month + parts.length, 0) };
}

const noDays = { from: '', to: '' };

/** Whether the period has days: one of a fiscal year that is not defined has none. */
export function hasDays(period: string): boolean {
  return daysOf(period).from !== '';
}

/** Returns the period in words: June 2026, Q2 2026, first half of 2026, 2026; P05 FY2026. */
export function formatPeriod(period: string): string {
  const parts = read(period);
  if (parts === null) return period;
  const year = parts.isFiscal ? `FY${parts.year}` : String(parts.year);
  if (parts.length === 12) return year;
  if (parts.length === 3) return `Q${parts.month / 3 + 1} ${year}`;
  if (parts.length === 6) return `${parts.month === 0 ? 'First' : 'Second'} half of ${year}`;
  return `${formatMonth(period, 'long')} ${year}`;
}

/** Returns the period in words without the year: June, Q2, 2026. Quarters have it where fiscal ones exist too. */
export function shortPeriod(period: string): string {
  const parts = read(period);
  if (parts === null) return period;
  if (parts.length === 1) return formatMonth(period, 'long');
  return parts.length === 3 && years.length === 0 ? `Q${parts.month / 3 + 1}` : formatPeriod(period);
}

/** An attainment period as far as it is counted: Q4, Q4 to 31 October, or Q4 to date while it runs. */
export function countedPeriod(period: string, through: string, today: string): string {
  const { from, to } = daysOf(period);
  if (today >= from && today <= to && through >= today) return `${shortPeriod(period)} to date`;
  if (through >= to) return shortPeriod(period);
  return `${shortPeriod(period)} to ${Number(through.slice(8))} ${formatMonth(through.slice(0, 7), 'long')}`;
}

const monthNames = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

/** The name of a month, or of the twelfth of a fiscal year: P05. */
export function formatMonth(month: string, style: 'short' | 'long'): string {
  if (isFiscal(month)) return month.slice(7);
  const name = monthNames[Number(month.slice(5, 7)) - 1] ?? month;
  return style === 'short' ? name.slice(0, 3) : name;
}

interface PeriodsOfYear {
  readonly months: readonly string[];
  readonly quarters: readonly string[];
  readonly halves: readonly string[];
  readonly year: string;
}

/** The twelve months, four quarters, two halves and the year of a year, as periods. */
export function periodsOfYear(year: number, of: 'calendar' | 'fiscal' = 'calendar'): PeriodsOfYear {
  const list = (length: PeriodLength) =>
    Array.from({ length: 12 / length }, (_, index) =>
      write({ year, month: index * length, length, isFiscal: of === 'fiscal' }),
    );
  return { months: list(1), quarters: list(3), halves: list(6), year: list(12)[0] as string };
}
