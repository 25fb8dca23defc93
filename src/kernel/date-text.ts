import { type Day, isDay, readDay, toDay } from './day.js';

export const dateFormats = ['ISO', 'MDY', 'DMY'] as const;
/** How a file writes its days, in addition to ISO 8601. It is declared and never guessed: 3/4/2026 is two different days. */
export type DateFormat = (typeof dateFormats)[number];

const written = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?:,?[ T]+(?![ T])(.+))?$/;
const isoDay = /^(\d{4}-\d{2}-\d{2})(?:[ T]+(?![ T])(.+))?$/;
const timeOfDay =
  /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?:\s*([AaPp]\.?[Mm]\.?))?(?:\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2}))?$/;
/** A day and a time with its zone have about 40 characters. */
const maxDateLength = 100;

/**
 * The day that the text names: a day keeps its day, with or without a time; a time with a zone is converted to the given
 * time zone. Null when the text is no date in the declared format or in ISO 8601.
 */
export function readDateText(text: string, format: DateFormat, timeZone: string): Day | null {
  const trimmed = text.trim();
  if (trimmed.length > maxDateLength) return null;
  if (trimmed.length === 10 && isDay(trimmed)) return trimmed;
  const iso = isoDay.exec(trimmed);
  if (iso !== null) return dayAt(iso[1] as string, iso[2], timeZone);
  const match = written.exec(trimmed);
  if (match === null || format === 'ISO') return null;
  const [first, second, year] = [Number(match[1]), Number(match[3]), fullYear(match[4] as string)];
  const day = format === 'MDY' ? toDay(year, first, second) : toDay(year, second, first);
  return dayAt(day, match[5], timeZone);
}

function dayAt(day: Day, time: string | undefined, timeZone: string): Day | null {
  if (!isDay(day)) return null;
  if (time === undefined) return day;
  const match = timeOfDay.exec(time.trim());
  if (match === null) return null;
  const [, hourText, minute = '00', second = '00', half, zone] = match;
  const hour = to24Hour(Number(hourText), half);
  if (hour === null || Number(minute) > 59 || Number(second) > 59) return null;
  if (zone === undefined) return day;
  const offset = /^[A-Z]/.test(zone) ? 'Z' : zone;
  return readDay(`${day}T${String(hour).padStart(2, '0')}:${minute}:${second}${offset}`, timeZone);
}

function to24Hour(hour: number, half: string | undefined): number | null {
  if (half === undefined) return hour <= 23 ? hour : null;
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (/^p/i.test(half) ? 12 : 0);
}

/** Two digits lie between 1970 and 2069. */
function fullYear(text: string): number {
  const year = Number(text);
  if (text.length === 4) return year;
  return year < 70 ? 2000 + year : 1900 + year;
}
