import { daysOf, formatMonth } from './periods.js';

function utc(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

/** The first day that the service accepts: a year that is being typed begins with zeros. */
const minDay = '1900-01-01';

/** Whether the text is a day of the calendar that the service accepts, YYYY-MM-DD. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < minDay) return false;
  const date = utc(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Whether both days are complete and in order; null is unbounded. */
export function isEnteredRange(from: string | null, to: string | null): boolean {
  const areDays = [from, to].every((day) => day === null || isDay(day));
  return areDays && (from === null || to === null || from <= to);
}

/** The last day that can be entered: without one, browsers accept years of six digits. */
export const maxDay = '9999-12-31';

type DayStyle = 'short' | 'year' | 'long';

/**
 * A day of the API, YYYY-MM-DD, such as 23 Jun; with `year`, 23 Jun 2026; with `long`, 23 June 2026. While a person
 * types, a draft may have a text that is no day: it is returned as it is.
 */
export function formatDay(day: string, style: DayStyle = 'short'): string {
  if (!isDay(day)) return day;
  const [year = '', , number] = day.split('-');
  const words = `${Number(number)} ${formatMonth(day, style === 'long' ? 'long' : 'short')}`;
  return style === 'short' ? words : `${words} ${year}`;
}

/** The first and the last day in words, such as 10 Feb to 11 Mar. */
export function formatDays({ from, to }: { readonly from: string; readonly to: string }, style?: DayStyle): string {
  return `${formatDay(from, style)} to ${formatDay(to, style)}`;
}

/** The days of a period in words: 1 to 30 June 2026. */
export function formatSpan(period: string): string {
  const { from, to } = daysOf(period);
  const start = from.slice(0, 7) === to.slice(0, 7) ? String(Number(from.slice(8))) : formatDay(from);
  return `${start} to ${formatDay(to, 'long')}`;
}

/** Minutes and hours of the last day in words; otherwise day and time. */
export function formatInstant(instant: string, now: Date = new Date()): string {
  const seconds = Math.round((now.getTime() - new Date(instant).getTime()) / 1000);
  if (seconds >= 0 && seconds < 45) return 'just now';
  if (seconds >= 0 && seconds < 3570) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds >= 0 && seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`;
  return formatTimestamp(instant);
}

/** Day and time in the time zone, such as 2 Jul, 09:02; without one, in that of the reader. */
export function formatTimestamp(instant: string, timeZone?: string): string {
  const date = new Date(instant);
  const zone = timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const day = todayIn(zone, date);
  const sameYear = day.slice(0, 4) === todayIn(zone).slice(0, 4);
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone } as const;
  const time = new Intl.DateTimeFormat('en-US', clock).format(date);
  return `${formatDay(day, sameYear ? 'short' : 'year')}, ${time}`;
}

/** The name of a time zone without its region: New York time. */
export function zoneName(timeZone: string): string {
  return `${timeZone.slice(timeZone.lastIndexOf('/') + 1).replaceAll('_', ' ')} time`;
}

/** The present day in a time zone. */
export function todayIn(timeZone: string, now: Date = new Date()): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(now);
}

export function dayBefore(day: string): string {
  return new Date(utc(day).getTime() - 86_400_000).toISOString().slice(0, 10);
}

export function daysBetween(from: string, to: string): number {
  return Math.round((utc(to).getTime() - utc(from).getTime()) / 86_400_000);
}
