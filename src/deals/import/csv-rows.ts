import { pipeline, type Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { invalid } from '../../kernel/failure.js';
import { mostFields, problemOfSlug } from '../deal.js';
import { type ImportRow, namedColumns, type RowReader, readCsvRow } from './import-row.js';

export interface CsvFormat {
  readonly idColumn: string;
  readonly delimiter: string;
}

const mostRecordBytes = 1024 * 1024;

/** The data rows of a CSV file under its header of slugs. Cells stay the texts they are; empty ones are absent. */
export async function* csvRows(
  source: Readable,
  { idColumn, delimiter }: CsvFormat,
  reader: RowReader,
): AsyncGenerator<ImportRow> {
  // Lines of another length than the header are told apart here, so that one of them does not end the file.
  const parser = parse({
    bom: true,
    delimiter,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: mostRecordBytes,
  });
  pipeline(source, parser, () => {});
  let header: Header | null = null;
  let row = 0;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      if (header === null) {
        header = headerOf(cells, idColumn);
        continue;
      }
      row += 1;
      yield rowOf(row, cells, header, reader);
    }
  } catch (error) {
    if (error instanceof CsvError)
      throw invalid({ path: '', message: `row ${row + 1} is not valid CSV: ${error.message}`.slice(0, 500) });
    throw error;
  }
  if (header === null) throw invalid({ path: '', message: 'the file has no header row' });
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
  const columns = cells.map((cell, index) => ({ name: cell.trim(), index }));
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
  const isNamed = ({ name }: Column) => (namedColumns as readonly string[]).includes(name);
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
