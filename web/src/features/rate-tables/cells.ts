import type { RangeCell, RateCell, RateKind, RateTableKey, RateValue } from '#src/engine/rate-table.js';
import { isDay } from '../../shared/format/dates.js';
import { readShare, writeNumber, writeShare } from '../../shared/format/entered-numbers.js';
import { formatNumber } from '../../shared/format/numbers.js';

/** What a text means, or why it means nothing. */
export type Read<Value> = { readonly value: Value } | { readonly problem: string };

/** The cell that matches everything. */
export const anyValue = '*';

export function writeCell(cell: RateCell): string {
  if (typeof cell === 'object') return `${writeBound(cell.from)}..${writeBound(cell.to)}`;
  return typeof cell === 'number' ? writeNumber(cell) : cell;
}

function writeBound(bound: number | string | undefined): string {
  return typeof bound === 'string' ? bound : writeNumber(bound);
}

/** The cell that the value meets which was looked up: of a range, that from the value on. */
export function cellOfValue(value: unknown, match: RateTableKey['match']): string {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  if (one == null) return anyValue;
  if (match !== 'range') return writeCell(one as RateCell);
  const bound = readBound(String(one));
  return bound == null ? anyValue : writeCell({ from: bound });
}

/** A key of a row: a text, a range such as 0..12, or * for everything, which an empty cell means too. */
export function readCell(text: string, match: RateTableKey['match']): Read<RateCell> {
  const written = text.trim();
  if (written === '' || written === anyValue) return { value: anyValue };
  return match === 'range' ? readRange(written) : { value: written };
}

const rangeForm = 'Write a range such as 0..12, 24.. or ..5';

function readRange(text: string): Read<RangeCell> {
  const parts = text.split('..').map((part) => part.trim());
  const [from = '', to = ''] = parts;
  const bounds = [readBound(from), readBound(to)];
  if (parts.length !== 2 || (from === '' && to === '') || bounds.includes(null)) return { problem: rangeForm };
  const [first, end] = bounds as (number | string | undefined)[];
  if (first !== undefined && end !== undefined) {
    if (typeof first !== typeof end) return { problem: 'Write two numbers or two days' };
    if (first >= end) return { problem: 'The range must end after its beginning' };
  }
  return { value: { ...(first === undefined ? {} : { from: first }), ...(end === undefined ? {} : { to: end }) } };
}

/** Undefined is open, null is neither a number nor a day. */
function readBound(text: string): number | string | undefined | null {
  if (text === '') return undefined;
  return isDay(text) ? text : readShare(text);
}

const prefixes = { amount: 'amount:', perUnit: 'perUnit:' } as const;

export function writeValue(value: RateValue, ofColumn: RateKind): string {
  if (typeof value === 'number') return ofColumn === 'rate' ? writeShare(value) : writeNumber(value);
  if (value.rate !== undefined) return writeShare(value.rate);
  const kind = value.amount === undefined ? 'perUnit' : 'amount';
  return `${kind === ofColumn ? '' : prefixes[kind]}${writeNumber(value[kind])}`;
}

const kindsByWord = { amount: 'amount', perunit: 'perUnit' } as const;
const maxRate = 10;

/** A value of a row: 10 % or 0.1, an amount, or one of another kind than the column, such as amount:10. */
export function readValue(text: string, ofColumn: RateKind): Read<RateValue> {
  const [, word = '', rest = ''] = /^(?:(amount|perunit)\s*:)?(.*)$/i.exec(text.trim()) ?? [];
  if (rest.trim() === '') return { problem: 'A value is missing' };
  const isPercent = rest.includes('%');
  const named = kindsByWord[word.toLowerCase() as keyof typeof kindsByWord] ?? ofColumn;
  const number = readShare(rest.trim());
  if (number === null || (isPercent && word !== '')) return { problem: 'Not a number' };
  const kind = isPercent ? 'rate' : named;
  const problem = numberProblem(number, kind, isPercent);
  if (problem !== null) return { problem };
  return { value: kind === ofColumn ? number : { [kind]: number } };
}

function numberProblem(number: number, kind: RateKind, isPercent: boolean): string | null {
  if (number < 0) return 'Must not be negative';
  if (kind !== 'rate') return null;
  if (number > 1 && !isPercent) return `Write ${formatNumber(number)} % or a share such as 0.1`;
  return number > maxRate ? 'At most 1,000 %' : null;
}
