/** The length of a period in months: a month, a quarter, a half-year or a year. */
export type PeriodLength = 1 | 3 | 6 | 12;

interface PeriodMonths {
  readonly year: number;
  /** The first month, from 0. */
  readonly month: number;
  readonly length: PeriodLength;
}

const pattern = /^(\d{4})(?:-(?:(\d{2})|Q([1-4])|H([12])))?$/;

function read(period: string): PeriodMonths | null {
  const match = pattern.exec(period);
  if (match === null) return null;
  const [, year, month, quarter, half] = match;
  if (month !== undefined) {
    const index = Number(month) - 1;
    return index >= 0 && index < 12 ? { year: Number(year), month: index, length: 1 } : null;
  }
  if (quarter !== undefined) return { year: Number(year), month: (Number(quarter) - 1) * 3, length: 3 };
  if (half !== undefined) return { year: Number(year), month: (Number(half) - 1) * 6, length: 6 };
  return { year: Number(year), month: 0, length: 12 };
}

function write({ year, month, length }: PeriodMonths): string {
  if (length === 1) return `${year}-${String(month + 1).padStart(2, '0')}`;
  if (length === 12) return String(year);
  return length === 3 ? `${year}-Q${month / 3 + 1}` : `${year}-H${month / 6 + 1}`;
}

export function isPeriod(text: unknown): text is string {
  return typeof text === 'string' && read(text) !== null;
}

export function toMonth(day: string): string {
  return day.slice(0, 7);
}

/** The period of that length in which the day lies. */
export function periodAt(day: string, length: PeriodLength): string {
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1];
  return write({ year, month: Math.floor(month / length) * length, length });
}

export function toPeriodLength(period: string): PeriodLength {
  return read(period)?.length ?? 1;
}

/** The period of the same length that lies `count` periods later, or earlier if it is negative. */
export function shiftPeriod(period: string, count: number): string {
  const parts = read(period);
  if (parts === null) return period;
  const months = parts.year * 12 + parts.month + count * parts.length;
  return write({ year: Math.floor(months / 12), month: months % 12, length: parts.length });
}

/** First and last day. */
export function daysOf(period: string): { readonly from: string; readonly to: string } {
  const parts = read(period);
  if (parts === null) return { from: '', to: '' };
  const day = (year: number, month: number, number: number) =>
    new Date(Date.UTC(year, month, number)).toISOString().slice(0, 10);
  return { from: day(parts.year, parts.month, 1), to: day(parts.year, parts.month + parts.length, 0) };
}

/** Returns the period in words: June 2026, Q2 2026, first half of 2026, 2026. */
export function formatPeriod(period: string): string {
  const parts = read(period);
  if (parts === null) return period;
  if (parts.length === 12) return String(parts.year);
  if (parts.length === 3) return `Q${parts.month / 3 + 1} ${parts.year}`;
  if (parts.length === 6) return `${parts.month === 0 ? 'First' : 'Second'} half of ${parts.year}`;
  return `${formatMonth(period, 'long')} ${parts.year}`;
}

/** Returns the period in words without the year: June, Q2, 2026. */
export function shortPeriod(period: string): string {
  const parts = read(period);
  if (parts === null) return period;
  if (parts.length === 1) return formatMonth(period, 'long');
  return parts.length === 3 ? `Q${parts.month / 3 + 1}` : formatPeriod(period);
}

/** An attainment period as far as it is counted: Q4, or Q4 to 31 October. */
export function countedPeriod(period: string, through: string): string {
  const { to } = daysOf(period);
  if (through >= to) return shortPeriod(period);
  return `${shortPeriod(period)} to ${Number(through.slice(8))} ${formatMonth(through.slice(0, 7), 'long')}`;
}

const monthNames = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

export function formatMonth(month: string, style: 'short' | 'long'): string {
  const name = monthNames[Number(month.slice(5, 7)) - 1] ?? month;
  return style === 'short' ? name.slice(0, 3) : name;
}

/** The twelve months, four quarters and the year of a year, as periods. */
export function periodsOfYear(year: number): { months: string[]; quarters: string[]; year: string } {
  return {
    months: Array.from({ length: 12 }, (_, month) => write({ year, month, length: 1 })),
    quarters: Array.from({ length: 4 }, (_, quarter) => write({ year, month: quarter * 3, length: 3 })),
    year: String(year),
  };
}
