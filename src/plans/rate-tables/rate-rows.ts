import { findOverlap } from '../../engine/rate-overlap.js';
import {
  anyValue,
  type RateCell,
  type RateKind,
  type RateTable,
  type RateTableColumn,
  type RateTableKey,
  type RateTableRow,
  type RateValue,
  rateKinds,
} from '../../engine/rate-table.js';
import { describeCommon, problemsOfRow, rateTableContent } from '../../engine/rate-table-input.js';
import { readDateText } from '../../kernel/date-text.js';
import { type Day } from '../../kernel/day.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { readValue } from '../../kernel/invalid-values.js';
import { assertCurrency, type CellReader, readNumberText } from '../../platform/files/cells.js';
import { nameKey } from '../../platform/files/column-names.js';
import { type TableRow, toTable } from '../../platform/files/csv-table.js';
import { readRowsInSlices, rejectedRow } from '../../platform/files/import-results.js';

export type FileRow = TableRow<string>;

/** The rows of a file for the table: a column for each key and each column of it, and the days of the rows. */
export function readFileRows(records: readonly string[][], { keys, columns }: RateTable): Promise<FileRow[]> {
  const required = [...keys, ...columns].map(({ name }) => name);
  const names = [...required, 'effectiveStart', 'effectiveEnd'];
  const folded = names.map(nameKey);
  const twice = names.find((_, index) => folded.indexOf(folded[index] ?? '') < index);
  if (twice !== undefined)
    throw invalid({ path: '', message: `the table has several keys and columns of the name ${twice}` });
  return toTable(records, { names: Object.fromEntries(names.map((name) => [name, []])), required });
}

/**
 * The rows in their order, each as a row of the table or the failure that rejects it. The table is replaced as a whole,
 * so one failed row rejects the others.
 */
export async function readRateRows(
  rows: readonly FileRow[],
  table: RateTable,
  reader: CellReader,
  from: Day | undefined,
): Promise<(RateTableRow | Failure)[]> {
  const read = await readRowsInSlices(rows, (row) => readRateRow(row, table, reader, from));
  const sound = read.flatMap((row) => (row instanceof Failure ? [] : [row]));
  const overlap = sound.length === read.length ? findOverlap({ ...table, rows: sound }) : null;
  if (overlap !== null)
    for (const [index, other] of [overlap.rows, [...overlap.rows].reverse()] as [number, number][])
      read[index] = new Failure(
        'rows_overlap',
        `overlaps row ${rows[other]?.row}: both match ${describeCommon(overlap)}`,
      );
  if (read.every((row) => !(row instanceof Failure))) return read;
  return read.map((row) => (row instanceof Failure ? row : rejectedRow('another row of the file is rejected')));
}

function readRateRow({ cells }: FileRow, table: RateTable, reader: CellReader, from: Day | undefined): RateTableRow {
  const [effectiveStart, effectiveEnd] = (['effectiveStart', 'effectiveEnd'] as const).map((name) =>
    reader.day(name, cells[name]),
  );
  if (from !== undefined && effectiveEnd !== undefined && effectiveEnd < from)
    throw rejectedRow('effectiveEnd: must not be before from');
  const read = readValue(rateTableContent.rows.element, {
    keys: Object.fromEntries(table.keys.map((key) => [key.name, readKeyCell(key, cells[key.name], reader)])),
    values: Object.fromEntries(
      table.columns.map((column) => [column.name, readPay(column, cells[column.name], table.currency, reader)]),
    ),
    ...(effectiveStart === undefined ? {} : { effectiveStart }),
    ...(effectiveEnd === undefined ? {} : { effectiveEnd }),
  });
  if ('issues' in read) throw invalid(...read.issues);
  const [problem] = problemsOfRow({ ...table, rows: [read.value] }, 0);
  if (problem === undefined) return read.value;
  throw rejectedRow(`${problem.path.replace(/^rows\.0\.(keys\.|values\.)?/, '')}: ${problem.message}`);
}

/** An empty cell matches everything. */
function readKeyCell({ name, match }: RateTableKey, text: string | undefined, reader: CellReader): RateCell {
  if (text === undefined || match !== 'range' || text === anyValue) return text ?? anyValue;
  const [, from, to] = /^((?:(?!\.\.).)*)\.\.(.*)$/.exec(text) ?? [];
  if (from === undefined || to === undefined)
    throw rejectedRow(`${name}: must be a range such as 0..12, 24.. or ..0.1`);
  return {
    ...(from.trim() === '' ? {} : { from: readBound(name, from, reader) }),
    ...(to.trim() === '' ? {} : { to: readBound(name, to, reader) }),
  };
}

function readBound(name: string, text: string, { format }: CellReader): number | Day {
  const number = readNumberText(name, text, format.numbers);
  if ('value' in number) return Number(number.value);
  const day = number.code === undefined ? readDateText(text.trim(), format.dates, 'UTC') : null;
  if (day !== null) return day;
  throw number.code === undefined
    ? rejectedRow(`${name}: ${text.trim()} is neither a number nor a day`)
    : new Failure(number.code, number.reason);
}

const ofKind = new RegExp(`^(${rateKinds.join('|')})\\s*:(.*)$`, 'i');

/** A value of the kind of its column, or of the kind that the cell names: `amount:10`. */
function readPay(
  { name, kind: ofColumn }: RateTableColumn,
  text: string | undefined,
  currency: string | null | undefined,
  reader: CellReader,
): RateValue {
  if (text === undefined) throw new Failure('value_missing', `${name}: is empty`);
  const [, writtenKind, rest = text] = ofKind.exec(text) ?? [];
  const kind = rateKinds.find((one) => one.toLowerCase() === writtenKind?.toLowerCase());
  const value = readNumber(name, rest, kind ?? ofColumn, currency, reader);
  return kind === undefined ? value : { [kind]: value };
}

function readNumber(
  name: string,
  text: string,
  kind: RateKind,
  currency: string | null | undefined,
  reader: CellReader,
): number {
  if (kind === 'rate') return Number(reader.number(name, text));
  const amount = reader.amount(name, text);
  if (currency != null) assertCurrency(name, amount, currency);
  return Number(amount?.value);
}
