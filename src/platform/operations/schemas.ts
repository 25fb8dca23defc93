import { z } from 'zod';
import { isCurrency } from '../../kernel/currency.js';
import { isDay, readInstant } from '../../kernel/day.js';
import { Failure } from '../../kernel/failure.js';
import { isUuid } from '../../kernel/ids.js';
import { kindOfPeriod, periodExamples } from '../../kernel/period-calendar.js';
import { isStorable } from '../database/columns.js';
import { queryValue } from '../json-schema.js';

/** Request and response schemas that every slice uses. */

/** An id in a path. A text that is not a UUID is the id of nothing: 404, not 400. */
export const pathId = z.string().transform((id) => (isUuid(id) ? id.toLowerCase() : id));

export const uuid = z
  .string()
  .refine(isUuid, 'must be an id (UUID)')
  .transform((id) => id.toLowerCase());
/** Accepts 1900-01-01 to 2199-12-31. */
export const day = z.string().refine(isDay, 'must be a calendar day, YYYY-MM-DD').describe('Calendar day, YYYY-MM-DD');
/** Accepts 1900 to 2199. */
export const period = z
  .string()
  .refine((text) => kindOfPeriod(text) !== null, `must be a period: ${periodExamples}`)
  .describe(
    'Month 2026-03, quarter 2026-Q1, half-year 2026-H1, year 2026; fiscal: FY2026-P03, FY2026-Q1, FY2026-H1, FY2026',
  );
/** The period of a request in a query string. */
export const optionalPeriod = period.optional().describe(`${period.description}; the current month by default`);
export const currency = z
  .string()
  .refine(isCurrency, 'must be an ISO 4217 currency code such as USD')
  .describe('ISO 4217 currency code such as USD');
/** An instant whose day is valid in every time zone. */
export const instant = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 instant' })
  .refine((text) => readInstant(text) !== null, 'must be from 1900-01-02 to 2199-12-30, with an offset that exists')
  .describe('Instant in ISO 8601, with Z or an offset');

/** The instant whose state a read returns. */
export const asOfQuery = instant
  .refine((text) => Date.parse(text) <= Date.now(), 'must not be in the future')
  .transform((text) => new Date(text))
  .optional()
  .describe('State at this earlier instant, ISO 8601, from the history; default: the current state');

/**
 * Trimmed, non-empty text of characters that can be stored and displayed. One that is too long is not checked further.
 */
export function text(maxLength: number): z.ZodString {
  return z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(maxLength, { abort: true })
    .refine(isStorable, 'contains characters that cannot be stored');
}

/** A percentage of a target or an amount. Its precision is that of the calculation. */
export function percentage(min: number, max: number): z.ZodNumber {
  return z
    .number()
    .min(min)
    .max(max)
    .refine((percent) => Number(percent.toFixed(6)) === percent, 'must have at most 6 decimals');
}

/** A whole number in a query string. Numbers out of bounds are rejected, not clamped. */
export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,12}$/, 'must be a whole number')
    .meta({ [queryValue]: { type: 'integer', minimum: min, maximum: max } })
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`);
}

/** The query of a list that is read by numbers of items. */
export function offsetPage(what: string, max: number, byDefault: number) {
  return {
    limit: wholeNumber(1, max).default(byDefault).describe(`Max number of ${what} on the page, 1 to ${max}`),
    offset: wholeNumber(0, 1_000_000_000).default(0).describe(`Number of ${what} to skip`),
  };
}

/** The query of a list that is complete by default, and that a huge workspace reads page by page. */
export function optionalPage(what: string) {
  return {
    limit: wholeNumber(1, 10_000)
      .optional()
      .describe(`Max number of ${what} on the page, 1 to 10000; all by default. A page with fewer is the last`),
    offset: wholeNumber(0, 1_000_000_000).default(0).describe(`Number of ${what} to skip`),
  };
}

/** Up to `max` values in one query parameter, separated by commas. */
export function commaList<Item extends z.ZodType<unknown, string>>(item: Item, max: number) {
  return z
    .string()
    .transform((texts) => texts.split(','))
    .pipe(z.array(item).max(max));
}

/** The page of {@link optionalPage}. */
export interface OptionalPage {
  readonly limit?: number | undefined;
  readonly offset?: number;
}

/** The number of items on all pages. Counts them only where the page is not the last. */
export async function countAllPages(
  { limit, offset = 0 }: OptionalPage,
  length: number,
  count: () => Promise<number>,
): Promise<number> {
  const isLast = (limit === undefined || length < limit) && (length > 0 || offset === 0);
  return isLast ? offset + length : count();
}

/** The query of a list that is read from the newest item on. */
export function cursorPage(what: string, max: number) {
  return {
    limit: wholeNumber(1, max).default(20).describe(`Max number of ${what} on the page, 1 to ${max}`),
    cursor: z
      .string()
      .regex(/^\d{1,18}$/, 'must be the nextCursor of a page')
      .optional()
      .describe('The nextCursor of the previous page; the first page by default'),
  };
}

/** A time of a day, HH:MM. */
export const timeOfDay = (example: string) =>
  z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, `must be a time such as ${example}`);

/** `true` or `false` in a query string. */
export const flag = z
  .enum(['true', 'false'])
  .meta({ [queryValue]: { type: 'boolean' } })
  .transform((value) => value === 'true');

export const money = z
  .number()
  .refine((value) => Number.isFinite(value) && Math.abs(value) <= 1e12, 'must be at most 1,000,000,000,000')
  .describe('Amount of money in the currency of the workspace');

/** The id in lower case if it is a UUID; otherwise the failure for an unknown id. */
export function requireUuid(id: string, code: string, message: string): string {
  if (!isUuid(id)) throw new Failure(code, message);
  return id.toLowerCase();
}
