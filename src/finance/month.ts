import { z } from 'zod';
import { kindOfPeriod } from '../kernel/period-calendar.js';

/** A month in which accounts are kept: 2026-01, or FY2026-P01 of a fiscal year. A workspace has one of both forms. */
export type Month = string;

export const month = z
  .string()
  .refine((text) => kindOfPeriod(text) === 'monthly', 'must be a month, YYYY-MM or FYYYYY-PNN')
  .describe('Month, YYYY-MM, or FYYYYY-PNN where books are kept in fiscal months');

/** The number of the month among all of its form. */
export function monthNumber(name: Month): number {
  const [year, part] = isFiscal(name) ? [name.slice(2, 6), name.slice(8)] : [name.slice(0, 4), name.slice(5)];
  return Number(year) * 12 + Number(part) - 1;
}

/** The month that is so many months later. */
export function moveMonth(name: Month, months: number): Month {
  const moved = monthNumber(name) + months;
  const year = String(Math.floor(moved / 12)).padStart(4, '0');
  const part = String((moved % 12) + 1).padStart(2, '0');
  return isFiscal(name) ? `FY${year}-P${part}` : `${year}-${part}`;
}

export const nextMonth = (name: Month): Month => moveMonth(name, 1);
export const previousMonth = (name: Month): Month => moveMonth(name, -1);

/** The months from the first to the last, both included. */
export function listMonths(first: Month, last: Month): Month[] {
  const count = monthNumber(last) - monthNumber(first) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => moveMonth(first, index));
}

export function isFiscal(name: Month): boolean {
  return name.startsWith('FY');
}
