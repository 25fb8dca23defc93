import { z } from 'zod';
import { addDays, type Day, type DayRange } from '../kernel/day.js';
import { periodKind, periodRange, toPeriod } from '../kernel/period.js';

/** A calendar month in which accounts are kept, such as 2026-01. */
export type Month = string;

export const month = z
  .string()
  .refine((text) => periodKind(text) === 'monthly', 'must be a month, YYYY-MM')
  .describe('Month, YYYY-MM');

export const monthOf = (day: Day): Month => toPeriod(day, 'monthly');
export const daysOf = (name: Month): DayRange => periodRange(name);
export const monthAfter = (name: Month): Month => monthOf(addDays(daysOf(name).to, 1));
export const monthBefore = (name: Month): Month => monthOf(addDays(daysOf(name).from, -1));

/** The months from the first to the last, both included. */
export function listMonths(first: Month, last: Month): Month[] {
  const months: Month[] = [];
  for (let next = first; next <= last; next = monthAfter(next)) months.push(next);
  return months;
}
