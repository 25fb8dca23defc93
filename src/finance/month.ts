import { z } from 'zod';
import { type Day } from '../kernel/day.js';
import { periodKind, periodRange, periodsTouching, toPeriod } from '../kernel/period.js';

/** A calendar month in which accounts are kept, such as 2026-01. */
export type Month = string;

export const month = z
  .string()
  .refine((text) => periodKind(text) === 'monthly', 'must be a month, YYYY-MM')
  .describe('Month, YYYY-MM');

export const monthOf = (day: Day): Month => toPeriod(day, 'monthly');

/** The months from the first to the last, both included. */
export function listMonths(first: Month, last: Month): Month[] {
  return periodsTouching({ from: periodRange(first).from, to: periodRange(last).to }, 'monthly');
}
