import { comparableText } from '../kernel/comparable-text.js';
import { type Day, readDay } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';

/** What a CRM field may hold; an array is a multi-select. */
export type FieldValue = string | number | boolean | null | readonly string[];

export type Fields = Readonly<Record<string, FieldValue>>;

/** The standard values of a deal; the field mapping names the CRM fields that contain them. */
export const standardFields = [
  'dealAmount',
  'dealStage',
  'closeDate',
  'dealName',
  'ownerId',
  'currency',
  'createdDate',
] as const;
export type StandardField = (typeof standardFields)[number];

/** No value, an empty text and an empty selection all count as absent. */
export function isAbsent(value: FieldValue | undefined): value is null | undefined {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

const maxMagnitude = 1e15;
const upperBound = Decimal.of(maxMagnitude);

/** Whether the number lies within ±10^15, the bounds of values and of raw amounts. */
export function isWithinBounds(number: Decimal): boolean {
  return !upperBound.isLessThan(number.absolute());
}

/** The value as a number within the bounds; null when it is not one. Numeric text counts as a number. */
export function asNumber(value: FieldValue | undefined): Decimal | null {
  if (typeof value === 'number') return Math.abs(value) <= maxMagnitude ? Decimal.of(value) : null;
  if (typeof value !== 'string') return null;
  const number = Decimal.parse(value.trim());
  return number !== null && isWithinBounds(number) ? number : null;
}

/** The number that an operand of a condition states, of any size; null when it is not one. */
export function operandNumber(value: unknown): Decimal | null {
  if (typeof value === 'number') return Number.isFinite(value) ? Decimal.of(value) : null;
  return typeof value === 'string' ? Decimal.parse(value.trim()) : null;
}

/** Why {@link asNumber} returned null for the value: it is a number beyond the bounds, or it is no number. */
export function absenceReason(value: FieldValue | undefined): 'value_out_of_range' | 'field_missing' {
  const isNumeric = typeof value === 'number' || (typeof value === 'string' && Decimal.isDecimalText(value.trim()));
  return isNumeric ? 'value_out_of_range' : 'field_missing';
}

/** The value as a calendar day; null when it is neither a day nor an instant. */
export function asDay(value: FieldValue | undefined, timeZone: string): Day | null {
  return typeof value === 'string' ? readDay(value.trim(), timeZone) : null;
}

/** The form in which values are compared as texts. */
export function comparable(value: string | number | boolean): string {
  return comparableText(String(value));
}
