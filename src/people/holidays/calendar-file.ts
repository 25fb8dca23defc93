import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { addDays, type Day, isDay } from '../../kernel/day.js';

/** An event lasts at most so many days. */
const maxDays = 31;
const maxNameLength = 200;

/**
 * The days of the events of an iCalendar file (RFC 5545) as a CSV file with a row for each day; another file as it is. What is
 * no event of whole days is a row without a date, which the import rejects.
 */
export async function daysOfCalendar(source: Readable, delimiter: string): Promise<Readable> {
  const bytes = await buffer(source);
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (!/^\s*BEGIN:VCALENDAR\r?\n/i.test(text)) return Readable.from([bytes]);
  const names = new Map<string, Set<string>>();
  for (const { days, name } of readEvents(text))
    for (const day of days) names.set(day, (names.get(day) ?? new Set()).add(name));
  const rows = [...names].map(([day, ofDay]) => [day, [...ofDay].join(' / ').slice(0, maxNameLength)]);
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  const lines = [['day', 'name'], ...rows].map((cells) => cells.map(quoted).join(delimiter));
  return Readable.from([Buffer.from(`${lines.join('\n')}\n`)]);
}

interface CalendarEvent {
  /** The days, or the text that is no date. */
  readonly days: readonly string[];
  readonly name: string;
}

/** The events that are not cancelled. A line that begins with white space continues the line before. */
function readEvents(text: string): CalendarEvent[] {
  const lines = text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/);
  const events: CalendarEvent[] = [];
  let event: Map<string, string> | null = null;
  for (const line of lines) {
    const [, property = '', value = ''] = /^([A-Za-z-]+)(?:;[^:]*)?:(.*)$/.exec(line) ?? [];
    const name = property.toUpperCase();
    if (name === 'BEGIN' && value.toUpperCase() === 'VEVENT') event = new Map();
    else if (name === 'END' && value.toUpperCase() === 'VEVENT' && event !== null) {
      if (event.get('STATUS') !== 'CANCELLED') events.push(toEvent(event));
      event = null;
    } else event?.set(name, value);
  }
  return events;
}

function toEvent(event: ReadonlyMap<string, string>): CalendarEvent {
  const name = unescaped(event.get('SUMMARY') ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  const [start = '', end] = [event.get('DTSTART'), event.get('DTEND')];
  const [from, after] = [readDate(start), end === undefined ? null : readDate(end)];
  if (event.has('RRULE')) return { days: ['a repeated event'], name };
  if (from === null || (end !== undefined && after === null)) return { days: [start], name };
  const days: Day[] = [from];
  for (let day = addDays(from, 1); after !== null && day < after && days.length < maxDays; day = addDays(day, 1))
    days.push(day);
  return { days, name };
}

/** A date such as 20260101; null for an instant and other text. */
function readDate(value: string): Day | null {
  const [, year, month, date] = /^(\d{4})(\d{2})(\d{2})$/.exec(value) ?? [];
  const day = `${year}-${month}-${date}`;
  return isDay(day) ? day : null;
}

function unescaped(value: string): string {
  return value.replace(/\\([\\;,nN])/g, (_, character: string) => (/n/i.test(character) ? ' ' : character));
}
