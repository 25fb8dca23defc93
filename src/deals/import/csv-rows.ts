import { type Readable } from 'node:stream';
import { invalid } from '../../kernel/failure.js';
import { detectNumberFormat, type NumberFormat } from '../../kernel/number-text.js';
import { mapInSlices } from '../../kernel/waiting.js';
import { readCsvRecords } from '../../platform/files/csv-records.js';
import { type Column, type Header, readHeader } from './csv-header.js';
import { type ImportColumns } from './import-columns.js';
import { type ImportRow, type RowReader, readCell, readCsvRow } from './import-row.js';

interface CsvFormat {
  readonly idColumn?: string | undefined;
  readonly delimiter: string;
}

/** Reads the header row of a CSV file. */
export async function csvHeader(
  source: Readable,
  { idColumn, delimiter }: CsvFormat,
  columns: ImportColumns,
): Promise<Header> {
  for await (const [header] of readCsvRecords(source, delimiter)) {
    if (header !== undefined) return readHeader(header, idColumn, columns);
  }
  throw invalid({ path: '', message: 'the file has no header row' });
}

/** The number format that the cells prove; null if no cell proves one or cells prove both. */
export async function provenNumberFormat(
  source: Readable,
  delimiter: string,
  { fields }: Header,
): Promise<NumberFormat | null> {
  const numbers = fields.filter(({ kind }) => kind === 'amount' || kind === 'number');
  if (numbers.length === 0) return null;
  const proven = new Set<NumberFormat>();
  let isHeader = true;
  for await (const records of readCsvRecords(source, delimiter)) {
    for (const cells of records) {
      if (!isHeader) for (const { index } of numbers) addFormat(proven, cells[index]);
      isHeader = false;
    }
    if (proven.size > 1) return null;
  }
  const [only] = proven;
  return only ?? null;
}

function addFormat(proven: Set<NumberFormat>, cell: string | undefined): void {
  if (cell === undefined || cell === '') return;
  const format = detectNumberFormat(cell);
  if (format !== null) proven.add(format);
}

/** The data rows of a CSV file in batches; empty cells are absent. */
export async function* csvRows(
  source: Readable,
  delimiter: string,
  header: Header,
  reader: RowReader,
): AsyncGenerator<ImportRow[]> {
  let row = 0;
  let isHeader = true;
  for await (const records of readCsvRecords(source, delimiter)) {
    const data = isHeader && records.length > 0 ? records.slice(1) : records;
    if (records.length > 0) isHeader = false;
    yield await mapInSlices(data, (cells) => {
      row += 1;
      return readRow(row, cells, header, reader);
    });
  }
}

function readRow(row: number, cells: readonly string[], header: Header, reader: RowReader): ImportRow {
  if (cells.length !== header.width)
    return { row, reason: `has ${cells.length} columns where the header has ${header.width}` };
  const fields: Record<string, string> = {};
  for (const { name, index, kind } of header.fields) {
    const cell = cells[index] as string;
    if (cell === '' || cell.trim() === '') continue;
    const read = readCell(name, cell, kind, reader);
    if (typeof read !== 'string') return { row, dealId: cells[header.id] as string, ...read };
    fields[name] = read;
  }
  const id = { title: header.idTitle, text: cells[header.id] as string };
  return readCsvRow(row, id, fields, filled(cells, header.named), reader);
}

function filled(cells: readonly string[], columns: readonly Column[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { name, index } of columns) {
    const cell = cells[index] as string;
    if (cell.trim() !== '') values[name] = cell;
  }
  return values;
}
