import { locale } from './numbers.js';

/** English dates have the day first: 23 Jun. */
const isEnglish = locale.startsWith('en');

function monthName(date: Date, style: 'short' | 'long'): string {
  return new Intl.DateTimeFormat(isEnglish ? 'en-US' : locale, { month: style, timeZone: 'UTC' }).format(date);
}

function utc(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

/** A day of the API, YYYY-MM-DD, such as 23 Jun; with `year`, 23 June 2026. */
export function formatDay(day: string, style: 'short' | 'year' | 'long' = 'short'): string {
  const date = utc(day);
  if (!isEnglish)
    return new Intl.DateTimeFormat(locale, {
      day: 'numeric',
      month: style === 'short' ? 'short' : 'long',
      ...(style === 'short' ? {} : { year: 'numeric' }),
      timeZone: 'UTC',
    }).format(date);
  const [number, year] = [date.getUTCDate(), date.getUTCFullYear()];
  if (style === 'long') return `${number} ${monthName(date, 'long')} ${year}`;
  return `${number} ${monthName(date, 'short')}${style === 'year' ? ` ${year}` : ''}`;
}

/** Minutes and hours of the last day in words; otherwise day and time. */
export function formatInstant(instant: string, now: Date = new Date()): string {
  const seconds = Math.round((now.getTime() - new Date(instant).getTime()) / 1000);
  if (seconds >= 0 && seconds < 45) return 'just now';
  if (seconds >= 0 && seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds >= 0 && seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`;
  return formatTimestamp(instant);
}

/** Day and time in the reader's time zone, such as 2 Jul, 09:02. */
export function formatTimestamp(instant: string): string {
  const date = new Date(instant);
  const day = new Date(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())).toISOString().slice(0, 10);
  const sameYear = date.getFullYear() === new Date().getFullYear();
  const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(date);
  return `${formatDay(day, sameYear ? 'short' : 'year')}, ${time}`;
}

/** The present day in a time zone. */
export function todayIn(timeZone: string, now: Date = new Date()): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(now);
}

export function daysBetween(from: string, to: string): number {
  return Math.round((utc(to).getTime() - utc(from).getTime()) / 86_400_000);
}
