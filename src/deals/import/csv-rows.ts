import { type Readable } from 'node:stream';
import { invalid } from '../../kernel/failure.js';
import { mapInSlices } from '../../kernel/waiting.js';
import { findShapeProblem, isBlank, readCsvRecords } from '../../platform/files/csv-records.js';
import { type Column, type Header, readHeader } from './csv-header.js';
import { type ImportColumns } from './import-columns.js';
import { type ImportRow, type RowReader, RowUnits, readCell, readCsvRow } from './import-row.js';

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
    const read = await mapInSlices(data, (cells) => {
      row += 1;
      return isBlank(cells) ? null : readRow(row, cells, header, reader);
    });
    yield read.filter((found) => found !== null);
  }
}

function readRow(row: number, cells: readonly string[], header: Header, reader: RowReader): ImportRow {
  const problem = findShapeProblem(cells, header.cells, header.width);
  if (problem !== null) return { row, reason: problem };
  const fields: Record<string, string> = {};
  const units = new RowUnits();
  for (const { name, index, kind } of header.fields) {
    const cell = cells[index] as string;
    if (cell === '' || cell.trim() === '') continue;
    const read = readCell(name, cell, kind, reader);
    if ('reason' in read) return { row, dealId: cells[header.id] as string, ...read };
    fields[name] = read.value;
    units.add(name, kind, read);
  }
  const contradiction = units.storeCurrency(fields, reader);
  if (contradiction !== null) return { row, dealId: cells[header.id] as string, ...contradiction };
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
