import { type Day, readDay } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { asNumber, comparable, type FieldValue, isAbsent } from './field-value.js';

export const keyMatches = ['exact', 'prefix', 'range'] as const;
type KeyMatch = (typeof keyMatches)[number];

export const rateKinds = ['rate', 'amount', 'perUnit'] as const;
export type RateKind = (typeof rateKinds)[number];

export interface RateTableKey {
  readonly name: string;
  /** A slug, a formula, or a field of people. */
  readonly field: string;
  readonly match: KeyMatch;
}

export interface RateTableColumn {
  readonly name: string;
  readonly kind: RateKind;
}

/** From the first value up to the second, without it; numbers, or days as YYYY-MM-DD. */
export interface RangeCell {
  readonly from?: number | Day | undefined;
  readonly to?: number | Day | undefined;
}

/** `*` matches everything; for `exact` and `prefix` a text or a number, for `range` a range. */
export type RateCell = string | number | RangeCell;

/** A number is of the kind of its column. */
export type RateValue = number | { readonly [Kind in RateKind]?: number | undefined };

export interface RateTableRow {
  /** A key that is absent is `*`. */
  readonly keys: Readonly<Record<string, RateCell>>;
  readonly values: Readonly<Record<string, RateValue>>;
  /** The first and the last day; absent or null is open. */
  readonly effectiveStart?: Day | null | undefined;
  readonly effectiveEnd?: Day | null | undefined;
}

/** Rates by combinations of keys. Plain data, which is stored and sent between threads. */
export interface RateTable {
  readonly name: string;
  readonly keys: readonly RateTableKey[];
  readonly columns: readonly RateTableColumn[];
  readonly rows: readonly RateTableRow[];
  /** What a combination without a row is: an exception, or a rate of 0. */
  readonly noMatch: 'exception' | 'zero';
  /** That of its amounts; absent if it has none. */
  readonly currency?: string | null | undefined;
}

export const anyValue = '*';

export function cellOf(row: RateTableRow, key: RateTableKey): RateCell {
  return row.keys[key.name] ?? anyValue;
}

export function isAnyValue(cell: RateCell): boolean {
  return typeof cell === 'string' && cell.trim() === anyValue;
}

export function isRange(cell: RateCell): cell is RangeCell {
  return typeof cell === 'object';
}

/** The form in which values and cells are compared as texts: a number in its shortest form. */
export function comparableCell(value: string | number | boolean): string {
  return comparable(typeof value === 'number' ? Decimal.of(value).toString() : value);
}

/** The values of a field, each alone; none if it is absent. */
export function singleValues(value: FieldValue | undefined): readonly (string | number | boolean)[] {
  if (isAbsent(value)) return [];
  return typeof value === 'object' ? (value as readonly string[]) : [value as string | number | boolean];
}

/** Whether a cell of a key matches a value; of a list of values, whether it matches one of them. */
export function matchesCell({ match }: RateTableKey, cell: RateCell, value: FieldValue | undefined): boolean {
  if (isAnyValue(cell)) return true;
  if (isRange(cell)) return singleValues(value).some((single) => isInRange(cell, single));
  const text = comparableCell(cell);
  return singleValues(value).some((single) =>
    match === 'prefix' ? comparableCell(single).startsWith(text) : comparableCell(single) === text,
  );
}

function isInRange(range: RangeCell, value: string | number | boolean): boolean {
  const position = isDayRange(range) ? toDay(value) : asNumber(value);
  return (
    position !== null &&
    (range.from === undefined || compareBounds(toBound(range.from), position) <= 0) &&
    (range.to === undefined || compareBounds(position, toBound(range.to)) < 0)
  );
}

/** A bound or a position in a range: a number, or a day. */
export type Bound = Decimal | Day;

export function isDayRange({ from, to }: RangeCell): boolean {
  return typeof (from ?? to) === 'string';
}

export function toBound(bound: number | Day): Bound {
  return typeof bound === 'number' ? Decimal.of(bound) : bound;
}

export function toDay(value: string | number | boolean): Day | null {
  return typeof value === 'string' ? readDay(value.trim(), 'UTC') : null;
}

/** Compares two numbers or two days. */
export function compareBounds(a: Bound, b: Bound): number {
  if (a instanceof Decimal && b instanceof Decimal) return a.compare(b);
  return a === b ? 0 : String(a) < String(b) ? -1 : 1;
}

/** Whether the row holds on the day, its first and last day included. */
export function isInForce({ effectiveStart, effectiveEnd }: RateTableRow, day: Day): boolean {
  return (effectiveStart ?? day) <= day && day <= (effectiveEnd ?? day);
}

/** What a row pays in a column. */
export interface RatePay {
  readonly kind: RateKind;
  readonly value: Decimal;
}

export function payInColumn(row: RateTableRow, column: RateTableColumn): RatePay {
  const value = row.values[column.name] ?? 0;
  if (typeof value === 'number') return { kind: column.kind, value: Decimal.of(value) };
  const kind = rateKinds.find((one) => value[one] !== undefined) ?? column.kind;
  return { kind, value: Decimal.of(value[kind] ?? 0) };
}
