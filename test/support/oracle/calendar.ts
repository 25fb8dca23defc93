export type PeriodKind = 'monthly' | 'quarterly' | 'semi_annual' | 'annual';

export const PERIOD_KINDS: PeriodKind[] = ['monthly', 'quarterly', 'semi_annual', 'annual'];

export interface DayRange {
  first: string;
  last: string;
}

const MONTHS_IN: Record<PeriodKind, number> = { monthly: 1, quarterly: 3, semi_annual: 6, annual: 12 };

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function lastDayOfMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function yearOf(day: string): number {
  return Number(day.slice(0, 4));
}

function monthOf(day: string): number {
  return Number(day.slice(5, 7));
}

/** Section 2: the period of a kind that contains a day. */
export function periodOf(kind: PeriodKind, day: string): string {
  const year = day.slice(0, 4);
  const index = Math.floor((monthOf(day) - 1) / MONTHS_IN[kind]) + 1;
  if (kind === 'monthly') return `${year}-${two(index)}`;
  if (kind === 'quarterly') return `${year}-Q${index}`;
  if (kind === 'semi_annual') return `${year}-H${index}`;
  return year;
}

export function kindOf(period: string): PeriodKind | null {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(period)) return 'monthly';
  if (/^\d{4}-Q[1-4]$/.test(period)) return 'quarterly';
  if (/^\d{4}-H[12]$/.test(period)) return 'semi_annual';
  if (/^\d{4}$/.test(period)) return 'annual';
  return null;
}

/** Section 2: a period is a closed range of calendar days. */
export function daysOf(period: string): DayRange | null {
  const kind = kindOf(period);
  if (kind === null) return null;
  const year = Number(period.slice(0, 4));
  const index = kind === 'annual' ? 1 : Number(period.slice(kind === 'monthly' ? 5 : 6));
  const firstMonth = (index - 1) * MONTHS_IN[kind] + 1;
  const lastMonth = firstMonth + MONTHS_IN[kind] - 1;
  return {
    first: `${period.slice(0, 4)}-${two(firstMonth)}-01`,
    last: `${period.slice(0, 4)}-${two(lastMonth)}-${two(lastDayOfMonth(year, lastMonth))}`,
  };
}

export function lastDayOf(period: string): string {
  const days = daysOf(period);
  if (days === null) throw new Error(`not a period: ${period}`);
  return days.last;
}

export function isIn(day: string, range: DayRange | null): boolean {
  return range !== null && range.first <= day && day <= range.last;
}

/** Section 3: both ends inclusive, a missing end is open. */
export function isEffective(day: string, start: string | null, end: string | null): boolean {
  return (start === null || start <= day) && (end === null || day <= end);
}

export function plusDays(day: string, count: number): string {
  const date = new Date(Date.UTC(yearOf(day), monthOf(day) - 1, Number(day.slice(8, 10)) + count));
  return date.toISOString().slice(0, 10);
}

/** The same day of the month, or its last day, some months later. */
export function plusMonths(day: string, count: number): string {
  const months = yearOf(day) * 12 + monthOf(day) - 1 + count;
  const [year, month] = [Math.floor(months / 12), (months % 12) + 1];
  return `${year}-${two(month)}-${two(Math.min(Number(day.slice(8, 10)), lastDayOfMonth(year, month)))}`;
}

export function nextPeriod(period: string): string {
  const kind = kindOf(period);
  if (kind === null) throw new Error(`not a period: ${period}`);
  return periodOf(kind, plusDays(lastDayOf(period), 1));
}

export function previousPeriod(kind: PeriodKind, day: string): string {
  const days = daysOf(periodOf(kind, day));
  if (days === null) throw new Error(`not a day: ${day}`);
  return periodOf(kind, plusDays(days.first, -1));
}

function isCalendarDay(day: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return false;
  const month = monthOf(day);
  const dayOfMonth = Number(day.slice(8, 10));
  return month >= 1 && month <= 12 && dayOfMonth >= 1 && dayOfMonth <= lastDayOfMonth(yearOf(day), month);
}

/** Section 2: timestamps become days in the workspace's time zone. Null: not a date. */
export function dayIn(value: unknown, timeZone: string): string | null {
  if (typeof value !== 'string') return null;
  const trimmed = value.trim();
  if (isCalendarDay(trimmed)) return trimmed;
  if (!isCalendarDay(trimmed.slice(0, 10)) || !/^[T ]\d{2}:\d{2}/.test(trimmed.slice(10))) return null;
  if (!/(Z|[+-]\d{2}:?\d{2})$/.test(trimmed)) return trimmed.slice(0, 10);
  const instant = new Date(trimmed.replace(' ', 'T'));
  if (Number.isNaN(instant.getTime())) return null;
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(instant);
  const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
}
