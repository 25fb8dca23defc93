import { dayInZone } from '../kernel/day.js';
import { type CrmDeal, type CrmValue } from './port.js';

/** The text; null if it is empty or not a string. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/**
 * A number, also from numeric text; null for anything else, never 0. A number beyond the range of a double becomes the
 * largest double, because JSON cannot express it. The engine accepts neither.
 */
export function numberOf(value: unknown): number | null {
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) return null;
  const number = Number(value);
  if (Number.isNaN(number) || !/\d/.test(String(value))) return null;
  return Math.min(Math.max(number, -Number.MAX_VALUE), Number.MAX_VALUE);
}

/** A boolean, also from text. */
export function booleanOf(value: unknown): boolean | null {
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : null;
}

/** An instant in UTC with milliseconds, from ISO text or from milliseconds since 1970. */
export function instantOf(value: unknown): string | null {
  const text = String(value ?? '');
  const instant = new Date(/^-?\d{10,16}$/.test(text) ? Number(text) : text);
  return Number.isNaN(instant.getTime()) ? null : instant.toISOString();
}

/** A day; an instant is converted in the time zone. */
export function dayOfValue(value: CrmValue | undefined, timeZone: string): string | null {
  if (typeof value !== 'string') return null;
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return value;
  const instant = instantOf(value);
  return instant === null ? null : dayInZone(new Date(instant), timeZone);
}

/** Values that every CRM provides under the same slugs. A native field with such a slug takes precedence. */
export interface CanonicalValues {
  readonly amount: CrmValue;
  readonly stage: CrmValue;
  readonly close_date: CrmValue;
  readonly owner_id: CrmValue;
  readonly name: CrmValue;
  readonly currency: CrmValue;
}

/** A deal that no longer exists in the CRM. */
export function goneDeal(id: string): CrmDeal {
  return { id, fields: {}, modifiedAt: null, deleted: true };
}
