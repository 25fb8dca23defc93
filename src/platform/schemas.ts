import { z } from 'zod';
import { isCurrency } from '../kernel/currency.js';
import { isDay } from '../kernel/day.js';
import { Failure } from '../kernel/failure.js';
import { isUuid } from '../kernel/ids.js';
import { periodKind } from '../kernel/period.js';
import { isStorable } from './database/columns.js';

/** Vocabulary of request and answer schemas, shared by every slice. */

/** An id in a path. Ids that are not UUIDs are well-formed questions about things that do not exist: 404, not 400. */
export const pathId = z.string().transform((id) => (isUuid(id) ? id.toLowerCase() : id));

export const uuid = z
  .string()
  .refine(isUuid, 'must be an id (UUID)')
  .transform((id) => id.toLowerCase());
export const day = z.string().refine(isDay, 'must be a calendar day, YYYY-MM-DD');
export const period = z
  .string()
  .refine((text) => periodKind(text) !== null, 'must be a period: 2026-03, 2026-Q1, 2026-H1 or 2026');
export const currency = z.string().refine(isCurrency, 'must be an ISO 4217 currency code such as USD');
export const instant = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 instant' })
  .refine((text) => !/[+-](1[5-9]|2\d):\d\d$/.test(text), 'must have an offset that exists, -12:00 to +14:00');

/** Text of one line or more, trimmed, of characters that can be stored and shown. */
export function text(most: number): z.ZodString {
  return z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(most)
    .refine(isStorable, 'holds characters that cannot be stored');
}

/** Query strings are texts: a whole number within bounds, refused rather than clamped when outside. */
export function wholeNumber(least: number, most: number) {
  return z
    .string()
    .regex(/^\d{1,12}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be from ${least} to ${most}`);
}

/** `true` or `false` in a query string. */
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

export const money = z
  .number()
  .refine((value) => Number.isFinite(value) && Math.abs(value) <= 1e12, 'must be at most 1,000,000,000,000');

/** The id when it can be one; otherwise the failure that an unknown id gives. */
export function knownId(id: string, code: string, message: string): string {
  if (!isUuid(id)) throw new Failure(code, message);
  return id.toLowerCase();
}
