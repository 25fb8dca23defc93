import { fileColumns } from '../../api/file-columns.js';
import { type DealLine } from '../../engine/deal-line.js';
import { dealLineInput } from '../../engine/deal-line-input.js';
import { type Failure, invalid } from '../../kernel/failure.js';
import { readValue } from '../../kernel/invalid-values.js';
import { mapInSlices } from '../../kernel/waiting.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CellReader, currencyOfRow, filled } from '../../platform/files/cells.js';
import { type TableRow } from '../../platform/files/csv-table.js';
import { readRowsInSlices, rejectedRow } from '../../platform/files/import-results.js';
import { loadDealCurrencies } from '../deal-currencies.js';
import { assertLinesOfDeal, toDealLine } from '../deal-lines.js';
import { ColumnScan, contents } from './column-contents.js';
import { type CellKind, readCell } from './import-row.js';
import { type RowOfDeal, rejectTogether } from './rows-of-deals.js';

/** The columns of a file of lines. The other columns are fields of the lines. */
export const lineColumns = {
  names: fileColumns.lines,
  required: ['dealId', 'lineId', 'amount'],
  keepsOthers: true,
  maxRows: 100_000,
} as const;
export type LineRow = TableRow<keyof (typeof lineColumns)['names']>;

const money = ['amount', 'unitPrice', 'listPrice', 'cost'] as const;

/** The columns that prove how the file writes numbers. */
export const numericColumns = [...money, 'quantity', 'months'] as const;

/** The product in a row of a file. */
export interface FileLine {
  readonly dealId: string;
  readonly line: DealLine;
}

/** A column that is a field of the lines. */
export interface FieldColumn {
  readonly title: string;
  readonly kind: CellKind;
  /** Number of cells that are not empty. */
  readonly values: number;
}

/** What the columns of fields are read as: numbers or days if all of their values are. */
export async function scanFields(
  rows: readonly LineRow[],
  { format }: CellReader,
  textColumns: readonly string[],
): Promise<FieldColumn[]> {
  const scans = new Map<string, ColumnScan>();
  await mapInSlices(rows, ({ others = {} }) => {
    for (const [title, cell] of Object.entries(others)) {
      const scan = scans.get(title) ?? newScan(title, !textColumns.includes(title), format);
      scans.set(title, scan);
      scan.add(cell);
    }
  });
  return [...scans].map(([title, scan]) => ({ title, kind: scan.kindIn(format.numbers), values: scan.values }));
}

function newScan(name: string, mayBeRead: boolean, { dates }: CellReader['format']): ColumnScan {
  return new ColumnScan({ name, index: 0, kind: 'text' }, { number: mayBeRead, date: mayBeRead }, dates, 'UTC');
}

/** What a column became, for the response. */
export function describeField({ title, kind, values }: FieldColumn) {
  return { column: title, field: `line.${title}`, kind: contents[kind], values };
}

/** The rows in their order, each with its line or the failure that rejects it. All rows of a deal fail together. */
export async function readLineRows(
  tx: Transaction,
  rows: readonly LineRow[],
  reader: CellReader,
  fields: readonly FieldColumn[],
): Promise<RowOfDeal<FileLine>[]> {
  const currencies = await loadDealCurrencies(tx, [...new Set(rows.flatMap(({ cells }) => cells.dealId ?? []))]);
  const kinds = new Map(fields.map(({ title, kind }) => [title, kind]));
  const read = await readRowsInSlices(rows, (row) => readLine(row, reader, kinds, currencies));
  const ofDeals = read.map((line: FileLine | Failure, index) => ({ row: rows[index] as LineRow, read: line }));
  return rejectTogether(tx, ofDeals, (lines) => assertLinesOfDeal(lines.map(({ line }) => line)));
}

function readLine(
  { cells, others = {} }: LineRow,
  reader: CellReader,
  kinds: ReadonlyMap<string, CellKind>,
  currencies: ReadonlyMap<string, string>,
): FileLine {
  const dealId = filled('dealId', cells.dealId);
  filled('lineId', cells.lineId);
  filled('amount', cells.amount);
  const amounts = money.map((name) => [name, reader.amount(name, cells[name])] as const);
  const currency = currencyOfRow(
    amounts.map(([, amount]) => amount),
    cells.currency,
    currencies.get(dealId) ?? '',
  );
  const { lineId, productCode, name, family, recurring } = cells;
  const read = readValue(dealLineInput, {
    ...{ lineId, productCode, name, family, recurring, currency },
    ...Object.fromEntries(amounts.map(([field, amount]) => [field, amount?.exact])),
    ...Object.fromEntries(
      (['quantity', 'discount', 'months'] as const).map((field) => [field, reader.number(field, cells[field])]),
    ),
    startDate: reader.day('startDate', cells.startDate),
    ...(Object.keys(others).length === 0 ? {} : { fields: readFields(others, kinds, reader) }),
  });
  if ('issues' in read) throw invalid(...read.issues);
  return { dealId, line: toDealLine(read.value) };
}

function readFields(
  others: Readonly<Record<string, string>>,
  kinds: ReadonlyMap<string, CellKind>,
  { format }: CellReader,
): Record<string, string> {
  const terms = {
    dateFormat: format.dates,
    numberFormat: format.numbers,
    toSentName: (name: string) => name,
    terms: { timeZone: 'UTC' },
  };
  return Object.fromEntries(
    Object.entries(others).map(([title, cell]) => {
      const read = readCell(title, cell, kinds.get(title) ?? 'text', terms);
      if ('reason' in read) throw rejectedRow(read.reason);
      return [title, read.value];
    }),
  );
}
