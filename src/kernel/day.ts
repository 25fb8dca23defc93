import { knownZone } from './time-zone.js';

/** A calendar day without a time, `YYYY-MM-DD`. Days compare as strings. */
export type Day = string;

export interface DayRange {
  readonly from: Day;
  readonly to: Day;
}

export const earliestDay: Day = '1900-01-01';
export const latestDay: Day = '2199-12-31';
export const allDays: DayRange = { from: earliestDay, to: latestDay };

/** A day from the ends of {@link allDays}, since an instant falls on different days in different time zones. */
const earliestInstant = new Date('1900-01-02T00:00:00Z');
const latestInstant = new Date('2199-12-30T23:59:59.999Z');

/** Whether the text is a real day between 1900 and 2199, written `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  return text >= earliestDay && text <= latestDay && isCalendarDay(text);
}

/** Whether the text is a real day of any year, written `YYYY-MM-DD`. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = Number(text.slice(8));
  return day >= 1 && day <= daysInMonth(Number(text.slice(0, 4)), Number(text.slice(5, 7)));
}

export function toDay(year: number, month: number, day: number): Day {
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
}

/** Number of days in the month (1 to 12) of the year; 0 when there is no such month. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
}

export function addDays(day: Day, count: number): Day {
  if (count === 0) return day;
  return new Date(toInstant(day, count)).toISOString().slice(0, 10);
}

function toInstant(day: Day, daysLater = 0): number {
  return Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, Number(day.slice(8)) + daysLater);
}

/** The same day of the month that many months later, or its last day. */
export function addMonths(day: Day, count: number): Day {
  const months = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 + count;
  const [year, month] = [Math.floor(months / 12), (months % 12) + 1];
  return toDay(year, month, Math.min(Number(day.slice(8)), daysInMonth(year, month)));
}

/** The Monday of the week in which the day lies. */
export function mondayOf(day: Day): Day {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDays(day, -((weekday + 6) % 7));
}

/** The number of days in the range, both ends included. */
export function countDays({ from, to }: DayRange): number {
  return (toInstant(to) - toInstant(from)) / 86_400_000 + 1;
}

export function isWithin(day: Day, range: DayRange): boolean {
  return day >= range.from && day <= range.to;
}

/** Whether the day lies between the two ends, both inclusive; a missing end is open. */
export function isEffective(day: Day, start: Day | null, end: Day | null): boolean {
  return (start === null || day >= start) && (end === null || day <= end);
}

export function overlap(a: DayRange, b: DayRange): boolean {
  return a.from <= b.to && b.from <= a.to;
}

/** The days of both; a range that ends before it begins if there are none. */
export function intersection(a: DayRange, b: DayRange): DayRange {
  return { from: a.from > b.from ? a.from : b.from, to: a.to < b.to ? a.to : b.to };
}

/** The smallest range that covers both. */
export function hull(a: DayRange, b: DayRange): DayRange {
  return { from: a.from < b.from ? a.from : b.from, to: a.to > b.to ? a.to : b.to };
}

/** Extends the range of the key, so that it covers the days. */
export function extendRange<Key>(ranges: Map<Key, DayRange>, key: Key, days: DayRange): void {
  ranges.set(key, hull(ranges.get(key) ?? days, days));
}

/** The day that an instant falls on in the IANA time zone. */
export function dayInZone(instant: Date, timeZone: string): Day {
  if (timeZone === 'UTC') return instant.toISOString().slice(0, 10);
  // en-CA formats year-month-day; only digits are requested, so the locale has no other effect.
  return zoneFormat(timeZone).format(instant);
}

/** What decides which day it is in a workspace. */
export interface WorkspaceDay {
  readonly timeZone: string;
  /** Set only in sandboxes, where it is the current day. */
  readonly testDay: Day | null;
}

/** The current day of the workspace. */
export function currentDay({ timeZone, testDay }: WorkspaceDay, now: Date): Day {
  return testDay ?? dayInZone(now, timeZone);
}

/**
 * The day of a date text: a plain day as it is, an ISO 8601 instant by its day in the time zone
 * (an instant without an offset is UTC). Null when the text is neither.
 */
export function readDay(text: string, timeZone: string): Day | null {
  if (text.length === 10) return isDay(text) ? text : null;
  const instant = readInstant(text);
  return instant === null ? null : dayInZone(instant, timeZone);
}

/** The instant of an ISO 8601 text (without an offset: UTC). Null when it is none or out of bounds. */
export function readInstant(text: string): Date | null {
  if (!instantPattern.test(text) || !isDay(text.slice(0, 10))) return null;
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2') : `${text}Z`;
  const instant = new Date(zoned.replace(' ', 'T'));
  return isWithinBounds(instant) ? instant : null;
}

/** Whether the day of the instant is one of {@link allDays} in every time zone. False for an invalid date. */
function isWithinBounds(instant: Date): boolean {
  return instant >= earliestInstant && instant <= latestInstant;
}

/** The offsets that exist are -12:00 to +14:00. */
const instantPattern = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-4]):?\d{2})?$/;

const zoneFormats = new Map<string, Intl.DateTimeFormat>();

function zoneFormat(timeZone: string): Intl.DateTimeFormat {
  const known = zoneFormats.get(timeZone);
  if (known !== undefined) return known;
  const zone = knownZone(timeZone);
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  zoneFormats.set(timeZone, format);
  return format;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}
