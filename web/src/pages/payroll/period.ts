import { formatDay } from '../../shared/format/dates.js';
import { daysOf } from '../../shared/format/periods.js';

/** The days of a period in words: 1 to 30 June 2026. */
export function formatSpan(period: string): string {
  const { from, to } = daysOf(period);
  const start = from.slice(0, 7) === to.slice(0, 7) ? String(Number(from.slice(8))) : formatDay(from);
  return `${start} to ${formatDay(to, 'long')}`;
}

/** The name of a time zone without its region: New York time. */
export function zoneName(timeZone: string): string {
  return `${timeZone.slice(timeZone.lastIndexOf('/') + 1).replaceAll('_', ' ')} time`;
}
