import { type Readable } from 'node:stream';
import { invalid } from '../../kernel/failure.js';
import { mostFields, problemOfSlug } from '../deal.js';
import { CsvRecords } from './csv-records.js';
import { type ImportRow, namedColumns, type RowReader, readCsvRow } from './import-row.js';

export interface CsvFormat {
  readonly idColumn: string;
  readonly delimiter: string;
}

/**
 * The data rows of a CSV file under its header of slugs, some at a time. Cells stay the texts they are; empty ones are
 * absent.
 */
export async function* csvRows(
  source: Readable,
  { idColumn, delimiter }: CsvFormat,
  reader: RowReader,
): AsyncGenerator<ImportRow[]> {
  let header: Header | null = null;
  let row = 0;
  for await (const records of recordsOf(source, delimiter)) {
    if (header === null && records[0] !== undefined) header = headerOf(records.shift() as string[], idColumn);
    yield records.map((cells) => {
      row += 1;
      return rowOf(row, cells, header as Header, reader);
    });
  }
  if (header === null) throw invalid({ path: '', message: 'the file has no header row' });
}

async function* recordsOf(source: Readable, delimiter: string): AsyncGenerator<string[][]> {
  // Takes away a byte order mark as well.
  const decoder = new TextDecoder();
  const records = new CsvRecords(delimiter);
  for await (const chunk of source as AsyncIterable<Buffer>)
    yield records.push(decoder.decode(chunk, { stream: true }));
  yield records.push(decoder.decode());
  yield records.end();
}

interface Column {
  readonly name: string;
  readonly index: number;
}

interface Header {
  readonly width: number;
  readonly id: number;
  readonly named: readonly Column[];
  /** In the order of their slugs, which is the order in which content is stored. */
  readonly fields: readonly Column[];
}

function headerOf(cells: readonly string[], idColumn: string): Header {
  const nameOf = (cell: string) => (cell === idColumn ? cell : (namedColumns.get(cell) ?? cell));
  const columns = cells.map((cell, index) => ({ name: nameOf(cell.trim()), index }));
  if (columns.length > mostFields + 1)
    throw invalid({ path: '', message: `the header names more than ${mostFields} fields` });
  for (const { name, index } of columns) {
    const problem =
      problemOfSlug(name) ?? (columns.findIndex((column) => column.name === name) < index ? 'is named twice' : null);
    if (problem !== null)
      throw invalid({ path: '', message: `column ${index + 1} of the header (${name.slice(0, 100)}) ${problem}` });
  }
  const id = columns.find((column) => column.name === idColumn);
  if (id === undefined) throw invalid({ path: 'idColumn', message: `the header has no column ${idColumn}` });
  const others = columns.filter((column) => column !== id);
  const isNamed = ({ name }: Column) => namedColumns.has(name);
  return {
    width: columns.length,
    id: id.index,
    named: others.filter(isNamed),
    fields: others.filter((column) => !isNamed(column)).sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function rowOf(row: number, cells: readonly string[], header: Header, reader: RowReader): ImportRow {
  if (cells.length !== header.width)
    return { row, reason: `has ${cells.length} columns where the header has ${header.width}` };
  const fields = filled(cells, header.fields);
  return readCsvRow(row, cells[header.id] as string, fields, filled(cells, header.named), reader);
}

function filled(cells: readonly string[], columns: readonly Column[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { name, index } of columns) {
    const cell = cells[index] as string;
    if (cell !== '') values[name] = cell;
  }
  return values;
}
