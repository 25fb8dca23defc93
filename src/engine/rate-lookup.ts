import { type Day } from '../kernel/day.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { asNumber, type FieldValue } from './field-value.js';
import {
  type Bound,
  cellOf,
  comparableCell,
  compareBounds,
  isAnyValue,
  isDayRange,
  isInForce,
  isRange,
  matchesCell,
  type RangeCell,
  type RateCell,
  type RateTable,
  type RateTableKey,
  type RateTableRow,
  singleValues,
  toBound,
  toDay,
} from './rate-table.js';

/** What is looked up: the value of each key of the table, in their order. */
export type LookedUp = readonly (FieldValue | undefined)[];

/** The rows below one combination of cells of the first keys. */
interface Node {
  /** By text or prefix, in the form in which they are compared. */
  readonly texts: Map<string, Node>;
  /** The distinct lengths of the prefixes, the longest first. */
  readonly lengths: number[];
  readonly ranges: RangeNode[];
  any: Node | null;
  /** Of the last key. */
  readonly rows: RateTableRow[];
}

interface RangeNode {
  readonly range: RangeCell;
  readonly node: Node;
  /** The last bound of this range and of those before it; null: one of them is open. */
  lastBound: Bound | null;
}

const indexes = new WeakMap<RateTable, Node>();

/**
 * The row that counts for the values on the day: the first key in which the matching rows differ decides, an exact text
 * or a range before `*` and a longer prefix before a shorter one. Null if no row matches.
 */
export function findRow(table: RateTable, values: LookedUp, day: Day): RateTableRow | null {
  const root = indexes.get(table) ?? buildIndex(table);
  indexes.set(table, root);
  return findBelow([root], table.keys, 0, values, day);
}

/** The nodes are equal in the keys before the position. Children that count before others are searched first. */
function findBelow(
  nodes: readonly Node[],
  keys: readonly RateTableKey[],
  position: number,
  values: LookedUp,
  day: Day,
): RateTableRow | null {
  const key = keys[position];
  if (key === undefined) return findInForce(nodes, day);
  const value = values[position];
  const findIn = (children: readonly Node[]) =>
    children.length === 0 ? null : findBelow(children, keys, position + 1, values, day);
  if (key.match === 'range') {
    const row = findIn(nodes.flatMap(({ ranges }) => singleValues(value).flatMap((one) => rangesAround(ranges, one))));
    if (row !== null) return row;
  } else
    for (const text of textsToTry(nodes, key, value)) {
      const row = findIn(nodes.flatMap(({ texts }) => texts.get(text) ?? []));
      if (row !== null) return row;
    }
  return findIn(nodes.flatMap(({ any }) => any ?? []));
}

function findInForce(nodes: readonly Node[], day: Day): RateTableRow | null {
  for (const { rows } of nodes) for (const row of rows) if (isInForce(row, day)) return row;
  return null;
}

/** Of a list of values, the first text in string order. */
function textsToTry(nodes: readonly Node[], { match }: RateTableKey, value: FieldValue | undefined): string[] {
  const single = singleValues(value).map(comparableCell);
  const texts = single.length < 2 ? single : [...new Set(single)].sort();
  if (match === 'exact') return texts;
  const lengths = [...new Set(nodes.flatMap((node) => node.lengths))].sort((a, b) => b - a);
  return lengths.flatMap((length) =>
    texts.filter((text) => text.length >= length).map((text) => text.slice(0, length)),
  );
}

/** The ranges around a value. They are in the order of their first bounds, and rarely overlap. */
function rangesAround(ranges: readonly RangeNode[], value: string | number | boolean): Node[] {
  const number = asNumber(value);
  const found = number === null ? [] : ofKind(ranges, false, number);
  const day = toDay(value);
  return day === null ? found : [...found, ...ofKind(ranges, true, day)];
}

function ofKind(ranges: readonly RangeNode[], isDays: boolean, value: Bound): Node[] {
  const found: Node[] = [];
  for (let index = countBefore(ranges, isDays, value) - 1; index >= 0; index -= 1) {
    const { range, node, lastBound } = ranges[index] as RangeNode;
    if (isDayRange(range) !== isDays || (lastBound !== null && compareBounds(lastBound, value) <= 0)) break;
    if (range.to === undefined || compareBounds(value, toBound(range.to)) < 0) found.push(node);
  }
  return found;
}

/** The number of ranges that are before those that begin after the value. */
function countBefore(ranges: readonly RangeNode[], isDays: boolean, value: Bound): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const { range } = ranges[middle] as RangeNode;
    const isDayHere = isDayRange(range);
    const isBefore =
      isDayHere === isDays ? range.from === undefined || compareBounds(toBound(range.from), value) <= 0 : !isDayHere;
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
}

function buildIndex({ keys, rows }: RateTable): Node {
  const root = emptyNode();
  const rangesByNode = new Map<Node, Map<string, Node>>();
  for (const row of rows) {
    let node = root;
    for (const key of keys) node = childFor(node, cellOf(row, key), rangesByNode);
    node.rows.push(row);
  }
  finish(root);
  return root;
}

function emptyNode(): Node {
  return { texts: new Map(), lengths: [], ranges: [], any: null, rows: [] };
}

function childFor(node: Node, cell: RateCell, rangesByNode: Map<Node, Map<string, Node>>): Node {
  if (isAnyValue(cell)) {
    node.any ??= emptyNode();
    return node.any;
  }
  if (!isRange(cell)) return getOrInsert(node.texts, comparableCell(cell), emptyNode);
  const known = getOrInsert(rangesByNode, node, () => new Map<string, Node>());
  return getOrInsert(known, `${cell.from ?? ''} ${cell.to ?? ''}`, () => {
    const child = emptyNode();
    node.ranges.push({ range: cell, node: child, lastBound: null });
    return child;
  });
}

function finish(node: Node): void {
  node.lengths.push(...[...new Set([...node.texts.keys()].map((text) => text.length))].sort((a, b) => b - a));
  node.ranges.sort((a, b) => compareRanges(a.range, b.range));
  let last: RangeNode | null = null;
  for (const current of node.ranges) {
    const end = current.range.to === undefined ? null : toBound(current.range.to);
    const before = last !== null && isDayRange(last.range) === isDayRange(current.range) ? last.lastBound : end;
    current.lastBound = end === null || before === null ? null : compareBounds(before, end) > 0 ? before : end;
    last = current;
  }
  const below = [...node.texts.values(), ...node.ranges.map((range) => range.node)];
  for (const child of node.any === null ? below : [...below, node.any]) finish(child);
}

/** Numbers before days, then by the first bound and the last one. */
export function compareRanges(a: RangeCell, b: RangeCell): number {
  return Number(isDayRange(a)) - Number(isDayRange(b)) || compareOpen(a.from, b.from, -1) || compareOpen(a.to, b.to, 1);
}

/** An absent bound is before all others, or after them. */
function compareOpen(a: number | Day | undefined, b: number | Day | undefined, open: -1 | 1): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? open : -open;
  return compareBounds(toBound(a), toBound(b));
}

/** A row that does not match, with the keys in which it differs. */
export interface NearRow {
  readonly row: RateTableRow;
  readonly differing: readonly string[];
}

const maxNearRows = 5;

/** The rows in force that differ from the values in the fewest keys; of these, those that agree in the first keys. */
export function findNearestRows(table: RateTable, values: LookedUp, day: Day): NearRow[] {
  return table.rows
    .filter((row) => isInForce(row, day))
    .map((row) => {
      const positions = table.keys.flatMap((key, index) =>
        matchesCell(key, cellOf(row, key), values[index]) ? [] : [index],
      );
      return { row, positions };
    })
    .filter(({ positions }) => positions.length > 0)
    .sort((a, b) => a.positions.length - b.positions.length || compareFirst(b.positions, a.positions))
    .slice(0, maxNearRows)
    .map(({ row, positions }) => ({
      row,
      differing: positions.map((index) => (table.keys[index] as RateTableKey).name),
    }));
}

function compareFirst(a: readonly number[], b: readonly number[]): number {
  return a.map((value, index) => value - (b[index] ?? value)).find((difference) => difference !== 0) ?? 0;
}
