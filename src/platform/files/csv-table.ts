import { type Readable } from 'node:stream';
import { Failure, invalid } from '../../kernel/failure.js';
import { mapInSlices } from '../../kernel/waiting.js';
import { ColumnNames } from './column-names.js';
import { assertNamed, CsvRecords, findShapeProblem, isBlank, widthOf } from './csv-records.js';
import { decodedText } from './decoded-text.js';

/** A data row, counted from 1: its non-empty cells by column name, or the reason why it is invalid. */
export interface TableRow<Name extends string> {
  readonly row: number;
  readonly cells: Readonly<Partial<Record<Name, string>>>;
  readonly problem: string | null;
}

interface TableColumns<Name extends string> {
  /** The columns with their alternative names. */
  readonly names: Readonly<Record<Name, readonly string[]>>;
  readonly required: readonly Name[];
}

const maxRows = 10_000;

/**
 * Reads a small CSV file into memory without blocking the process. Headers match ignoring case, spaces and
 * punctuation; unknown columns are rejected.
 */
export async function readCsvTable<Name extends string>(
  source: Readable,
  delimiter: string,
  columns: TableColumns<Name>,
): Promise<TableRow<Name>[]> {
  return toTable(await readCsvRecords(source, delimiter), columns);
}

/** The cells of each row of a small CSV file, the header first. */
export async function readCsvRecords(source: Readable, delimiter: string): Promise<string[][]> {
  const records = new CsvRecords(delimiter);
  return [...records.push(await readText(source)), ...records.end()];
}

/** The rows of a file whose header names known columns. */
export async function toTable<Name extends string>(
  [header, ...rows]: readonly string[][],
  columns: TableColumns<Name>,
): Promise<TableRow<Name>[]> {
  if (header === undefined) throw invalid({ path: '', message: 'the file has no header row' });
  if (rows.length > maxRows) throw invalid({ path: '', message: `the file has more than ${maxRows} rows` });
  const width = widthOf(header);
  const places = header.flatMap((cell, index) => (cell.trim() === '' ? [] : [index]));
  const names = readHeader(
    places.map((place) => header[place] as string),
    columns,
  );
  const read = await mapInSlices(rows, (cells, index): TableRow<Name> | null => {
    if (isBlank(cells)) return null;
    assertNamed(cells, header);
    const filled = names.flatMap((name, position) => {
      const cell = cells[places[position] as number]?.trim() ?? '';
      return cell === '' ? [] : [[name, cell] as const];
    });
    return {
      row: index + 1,
      cells: Object.fromEntries(filled) as TableRow<Name>['cells'],
      problem: findShapeProblem(cells, header, width),
    };
  });
  return read.filter((row) => row !== null);
}

async function readText(source: Readable): Promise<string> {
  const parts: string[] = [];
  for await (const text of decodedText(source as AsyncIterable<Buffer>)) parts.push(text);
  return parts.join('');
}

function readHeader<Name extends string>(header: readonly string[], { names, required }: TableColumns<Name>): Name[] {
  const canonical = Object.keys(names) as Name[];
  const aliases = new Map<string, Name>(
    canonical.flatMap((name) => [name, ...names[name]].map((alias) => [alias, name] as const)),
  );
  const known = new ColumnNames([...aliases.keys()]);
  const found = header.map((cell) => aliases.get(known.find(cell.trim()) ?? ''));
  const unknown = header.filter((_, index) => found[index] === undefined).map((cell) => cell.trim().slice(0, 100));
  if (found.every((name) => name === undefined))
    throw new Failure(
      'no_known_columns',
      `The header names no known column. The columns are ${canonical.join(', ')}.`,
      {
        suggestions: unknown.map((column) => ({ column, suggestions: known.suggest(column) })),
        known: canonical,
      },
    );
  if (unknown.length > 0)
    throw invalid({
      path: '',
      message: `unknown columns ${unknown.join(', ')}; rename or remove them. The columns are ${canonical.join(', ')}`,
    });
  const twice = found.find((name, index) => found.indexOf(name) < index);
  if (twice !== undefined)
    throw invalid({ path: '', message: `the header names the column ${twice} twice; remove one` });
  const missing = required.filter((name) => !found.includes(name));
  if (missing.length > 0) throw invalid({ path: '', message: `the file has no column ${missing.join(', ')}` });
  return found as Name[];
}
