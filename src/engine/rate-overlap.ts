import { addDays, type Day, earliestDay, latestDay } from '../kernel/day.js';
import { groupBy } from '../kernel/group-by.js';
import { compareRanges } from './rate-lookup.js';
import {
  anyValue,
  cellOf,
  comparableCell,
  compareBounds,
  isAnyValue,
  isDayRange,
  isRange,
  type RangeCell,
  type RateCell,
  type RateTable,
  type RateTableKey,
  type RateTableRow,
  toBound,
} from './rate-table.js';

/** Two rows of which neither counts before the other, and what both match. */
export interface RowOverlap {
  /** Their positions in the table. */
  readonly rows: readonly [number, number];
  /** A value of each key that both match; `*` stands for any. */
  readonly common: Readonly<Record<string, string | number>>;
  /** The first day on which both hold; null for the earliest. */
  readonly day: Day | null;
}

/** A row as ranges: those of its keys that have one, and its days. */
interface Placed {
  readonly position: number;
  readonly row: RateTableRow;
  readonly ranges: readonly RangeCell[];
}

/** The first two rows that can match together although neither counts before the other; null if there are none. */
export function findOverlap(table: RateTable): RowOverlap | null {
  const placed = table.rows.map((row, position) => ({ position, row, ranges: rangesOf(table, row) }));
  const groups = groupBy(placed, ({ row }) => JSON.stringify(table.keys.map((key) => signature(cellOf(row, key)))));
  const found = [...groups.values()].map(overlapAmong).filter((pair) => pair !== null);
  const first = found.sort(([a], [b]) => a.position - b.position)[0];
  if (first === undefined) return null;
  const [one, other] = first;
  return { rows: [one.position, other.position], ...commonOf(table, one.row, other.row) };
}

/** Two rows with the same signature differ in ranges and days only. */
function signature(cell: RateCell): string | null {
  if (isAnyValue(cell)) return null;
  if (isRange(cell)) return isDayRange(cell) ? 'days' : 'numbers';
  return `=${comparableCell(cell)}`;
}

function rangesOf({ keys }: RateTable, row: RateTableRow): RangeCell[] {
  const cells = keys.map((key) => cellOf(row, key)).filter(isRange);
  return [...cells, daysOf(row)];
}

/** The days of a row as a range without its last bound. */
function daysOf({ effectiveStart, effectiveEnd }: RateTableRow): RangeCell {
  const isOpen = effectiveEnd === undefined || effectiveEnd === null || effectiveEnd === latestDay;
  return { from: effectiveStart ?? earliestDay, to: isOpen ? undefined : addDays(effectiveEnd, 1) };
}

/** Passes over the rows in the order of the range that divides them most, and compares those that it has in common. */
function overlapAmong(rows: readonly Placed[]): readonly [Placed, Placed] | null {
  const rangeCount = rows[0]?.ranges.length ?? 0;
  const starts = Array.from(
    { length: rangeCount },
    (_, index) => new Set(rows.map(({ ranges }) => ranges[index]?.from)),
  );
  const dividing = starts.reduce((best, set, index) => (set.size > (starts[best]?.size ?? 0) ? index : best), 0);
  const rangeOf = (placed: Placed) => placed.ranges[dividing] as RangeCell;
  let open: Placed[] = [];
  for (const placed of rows.toSorted((a, b) => compareRanges(rangeOf(a), rangeOf(b)))) {
    open = open.filter((earlier) => meet(rangeOf(earlier), rangeOf(placed)));
    const other = open.find((earlier) =>
      earlier.ranges.every((range, index) => meet(range, placed.ranges[index] as RangeCell)),
    );
    if (other !== undefined) return other.position < placed.position ? [other, placed] : [placed, other];
    open.push(placed);
  }
  return null;
}

function meet(a: RangeCell, b: RangeCell): boolean {
  return beginsBeforeEnd(a, b) && beginsBeforeEnd(b, a);
}

function beginsBeforeEnd({ from }: RangeCell, { to }: RangeCell): boolean {
  return from === undefined || to === undefined || compareBounds(toBound(from), toBound(to)) < 0;
}

function commonOf({ keys }: RateTable, a: RateTableRow, b: RateTableRow): Pick<RowOverlap, 'common' | 'day'> {
  const common = keys.map((key) => [key.name, commonValue(key, a, b)] as const);
  const days = [a.effectiveStart, b.effectiveStart].filter((day) => day !== undefined && day !== null).sort();
  return { common: Object.fromEntries(common), day: days.at(-1) ?? null };
}

function commonValue(key: RateTableKey, a: RateTableRow, b: RateTableRow): string | number {
  const [one, other] = [cellOf(a, key), cellOf(b, key)];
  if (isRange(one) && isRange(other)) return firstInBoth(one, other);
  return isRange(one) ? anyValue : one;
}

/** The later of the first bounds; without any, a value before the first of the last ones. */
function firstInBoth(a: RangeCell, b: RangeCell): number | Day {
  const inOrder = (bounds: readonly (number | Day | undefined)[]) =>
    bounds.filter((bound) => bound !== undefined).sort((one, other) => compareBounds(toBound(one), toBound(other)));
  const from = inOrder([a.from, b.from]).at(-1);
  if (from !== undefined) return from;
  const to = inOrder([a.to, b.to])[0] ?? 0;
  return typeof to === 'number' ? to - 1 : addDays(to, -1);
}
