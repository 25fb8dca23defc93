import { addDays, addMonths, countDays, type Day } from '../kernel/day.js';
import { type BookCalendar } from './book-calendar.js';
import { type Month, monthNumber } from './month.js';

export const conventions = ['full_month', 'next_month', 'daily'] as const;

/** How long a cost is spread: so many months from its start, or until a day. */
export type Length = { readonly months: number } | { readonly until: Day };

/** How a cost is spread, as a closing stores it. */
export interface SpreadTerms {
  readonly length: Length;
  readonly convention: (typeof conventions)[number];
  /** A day that is stated; null for the day on which the row is earned. */
  readonly start: Day | null;
}

/** The units over which a cost is spread. */
export interface Schedule {
  readonly start: Day;
  readonly lastDay: Day;
  readonly months: number;
  readonly convention: SpreadTerms['convention'];
}

export function toSchedule(
  { length, convention, start }: SpreadTerms,
  earnedOn: Day,
  { monthOf }: Pick<BookCalendar, 'monthOf'>,
): Schedule {
  const first = start ?? earnedOn;
  if ('months' in length)
    return { start: first, lastDay: lastDayOf(first, length.months), months: length.months, convention };
  const months = Math.max(0, monthNumber(monthOf(length.until)) - monthNumber(monthOf(first)) + 1);
  return { start: first, lastDay: length.until, months, convention };
}

/** Whether the whole time is at most so many months: until a day, if it is before the same day of the month after them. */
export function isWithinMonths({ length, start }: SpreadTerms, earnedOn: Day, months: number): boolean {
  if ('months' in length) return length.months <= months;
  return months > 0 && length.until <= lastDayOf(start ?? earnedOn, months);
}

function lastDayOf(start: Day, months: number): Day {
  return addDays(addMonths(start, months), -1);
}

/** The units that have passed at the end of the month, of all. */
export function countUnits(
  { start, lastDay, months, convention }: Schedule,
  month: Month,
  { range, monthOf }: BookCalendar,
): { readonly passed: number; readonly all: number } {
  if (convention === 'daily') {
    const { to } = range(month);
    const all = lastDay < start ? 0 : countDays({ from: start, to: lastDay });
    return { passed: to < start ? 0 : Math.min(all, countDays({ from: start, to })), all };
  }
  const before = convention === 'full_month' ? 1 : 0;
  const passed = monthNumber(month) - monthNumber(monthOf(start)) + before;
  return { passed: Math.max(0, Math.min(months, passed)), all: months };
}
