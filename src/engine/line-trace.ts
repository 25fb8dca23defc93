import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { type Condition, type ConditionTrace, explainSeen, type SeenValue } from './condition.js';
import { type FieldValue } from './field-value.js';
import { type RateCell, type RateKind, type RateTableRow } from './rate-table.js';
import { type TableLookup } from './rule-table.js';

/** Why a line pays nothing: it is not counted, or it counts and has no rate. */
export type LineReason =
  | 'line_condition_failed'
  | 'field_missing'
  | 'value_out_of_range'
  | 'rate_not_found'
  | 'below_lowest_tier';

/** What was looked up in a rate table, and the row that was found. */
export interface LookupTrace {
  readonly table: string;
  readonly column: string;
  readonly keys: readonly FieldValue[];
  /** The cells of the row; null if there is none. */
  readonly row: Readonly<Record<string, RateCell>> | null;
  readonly kind?: RateKind;
  readonly value?: number;
}

/** A line of the deal: whether it counts, and what it paid. */
export interface LineTrace {
  readonly lineId: string;
  readonly name: string | null;
  readonly counted: boolean;
  readonly reason?: LineReason;
  /** The conditions of the lines, if they failed. */
  readonly conditions?: readonly ConditionTrace[];
  readonly tier?: number;
  readonly table?: string;
  readonly keys?: readonly FieldValue[];
  readonly row?: Readonly<Record<string, RateCell>>;
  /** Of a mix of tiers, the mean of their rates. Absent where an amount is paid. */
  readonly rate?: number;
  readonly base: number;
  readonly credit: number;
  /** Before floors, caps and rounding. */
  readonly raw: number;
  /** The part of the amount of the event; the parts add up to it. */
  readonly amount: number;
}

/** A line of a trace as the payout decides it. */
export interface LineParts {
  readonly lineId: string;
  readonly name: string | null;
  readonly isCounted: boolean;
  readonly reason: LineReason | null;
  readonly seen: readonly SeenValue[];
  readonly tierIndex: number | null;
  readonly lookups: readonly TableLookup[];
  readonly rate: Decimal | null;
  readonly base: Decimal;
  readonly credit: Decimal;
  readonly raw: Decimal;
  readonly amount: Decimal;
  /** The net amount, in the currency of the line. */
  readonly net: Decimal | null;
}

export type StoredLookup = readonly [
  table: string,
  column: string,
  keys: readonly FieldValue[],
  row: Readonly<Record<string, RateCell>> | null,
  kind: RateKind | null,
  value: number | null,
];

/** Numbers from which refunds compute are texts, so that no digit is lost. */
export type StoredLine = readonly [
  lineId: string,
  name: string | null,
  isCounted: 0 | 1,
  reason: LineReason | null,
  base: number,
  credit: string,
  raw: string,
  amount: number,
  net: string | null,
  tierIndex: number | null,
  rate: number | null,
  lookups: readonly StoredLookup[],
  seen: readonly SeenValue[],
];

/** The lines and the look-ups as the last positions of a trace; empty without any. */
export function encodeLines(lines: readonly LineParts[] | null, lookups: readonly TableLookup[]): string {
  if (lines === null && lookups.length === 0) return '';
  const encoded = lines === null ? 'null' : `[${lines.map(encodeLine).join()}]`;
  return `,${encoded}${lookups.length === 0 ? '' : `,[${lookups.map(encodeLookup).join()}]`}`;
}

function encodeLine(line: LineParts): string {
  const texts = [JSON.stringify(line.lineId), JSON.stringify(line.name), line.isCounted ? 1 : 0];
  const numbers = [line.base.toString(), `"${line.credit}"`, `"${line.raw}"`, line.amount.toString()];
  const net = line.net === null ? 'null' : `"${line.net}"`;
  const tier = `${line.tierIndex},${line.rate === null ? 'null' : line.rate.rounded(ratePlaces).toString()}`;
  const found = `[${line.lookups.map(encodeLookup).join()}],${JSON.stringify(line.seen)}`;
  return `[${texts.join()},${JSON.stringify(line.reason)},${numbers.join()},${net},${tier},${found}]`;
}

const ratePlaces = 10;

/** Cache of the texts of rows: many lines find the same row. */
const encodedCells = new WeakMap<RateTableRow, string>();

function encodeLookup({ table, column, keys, row, pay }: TableLookup): string {
  const cells = row === null ? 'null' : getOrInsert(encodedCells, row, () => JSON.stringify(sortedCells(row.keys)));
  const value = pay === null ? 'null,null' : `"${pay.kind}",${pay.value}`;
  const looked = keys.map((key) => key ?? null);
  return `[${JSON.stringify(table)},${JSON.stringify(column)},${JSON.stringify(looked)},${cells},${value}]`;
}

/** Sorted, so that equal cells are stored as equal texts. */
function sortedCells(cells: Readonly<Record<string, RateCell>>): Record<string, RateCell> {
  return Object.fromEntries(Object.entries(cells).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What decoding of lines needs besides the stored trace. */
export interface LineContext {
  /** The conditions of the lines of the rule. */
  readonly lineConditions?: readonly Condition[] | undefined;
  readonly day: Day;
  readonly timeZone: string;
}

export function decodeLines(
  stored: readonly StoredLine[],
  { lineConditions = [], day, timeZone }: LineContext,
): LineTrace[] {
  return stored.map((line) => {
    const [lineId, name, isCounted, reason, base, credit, raw, amount, , tier, rate, lookups, seen] = line;
    const last = lookups.at(-1);
    return {
      lineId,
      name,
      counted: isCounted === 1,
      ...(reason === null ? {} : { reason }),
      ...(seen.length === 0 ? {} : { conditions: explainSeen(lineConditions, seen, day, timeZone) }),
      ...(tier === null ? {} : { tier }),
      ...(last === undefined ? {} : { table: last[0], keys: last[2], ...(last[3] === null ? {} : { row: last[3] }) }),
      ...(rate === null ? {} : { rate }),
      base,
      credit: Number(credit),
      raw: Number(raw),
      amount,
    };
  });
}

export function decodeLookup([table, column, keys, row, kind, value]: StoredLookup): LookupTrace {
  return { table, column, keys, row, ...(kind === null || value === null ? {} : { kind, value }) };
}

/** A counted line of an event, as its refunds take it back. */
export interface CountedLine {
  readonly lineId: string;
  readonly net: Decimal | null;
  readonly raw: Decimal;
  readonly credit: Decimal;
}

export function toCountedLines(stored: readonly StoredLine[]): CountedLine[] {
  return stored
    .filter(([, , isCounted]) => isCounted === 1)
    .map(([lineId, , , , , credit, raw, , net]) => ({
      lineId,
      net: net === null ? null : Decimal.of(net),
      raw: Decimal.of(raw),
      credit: Decimal.of(credit),
    }));
}

/** The raw amounts of the lines by their ids. */
export function toRawAmounts(lines: readonly Pick<CountedLine, 'lineId' | 'raw'>[]): ReadonlyMap<string, Decimal> {
  return new Map(lines.map(({ lineId, raw }) => [lineId, raw]));
}

/** What a counted line pays, for statements. */
export interface PaidLine {
  readonly lineId: string;
  readonly name: string | null;
  readonly base: number;
  readonly rate: number | null;
  readonly amount: number;
}

export function toPaidLines(stored: readonly StoredLine[]): PaidLine[] {
  return stored
    .filter(([, , isCounted]) => isCounted === 1)
    .map(([lineId, name, , , base, , , amount, , , rate]) => ({ lineId, name, base, rate, amount }));
}

/** A line that the rule is to pay and that pays nothing. */
export interface UnpaidLine {
  /** Whether it counts towards the quota all the same. */
  readonly isCounted: boolean;
  readonly hasTier: boolean;
  readonly reason: LineReason;
}

export function toUnpaidLines(stored: readonly StoredLine[]): UnpaidLine[] {
  return stored.flatMap(([, , isCounted, reason, , , , , , tier]) =>
    reason === null || reason === 'line_condition_failed'
      ? []
      : [{ isCounted: isCounted === 1, hasTier: tier !== null, reason }],
  );
}
