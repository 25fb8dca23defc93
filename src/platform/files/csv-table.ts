import { type Readable } from 'node:stream';
import { Failure, invalid } from '../../kernel/failure.js';
import { mapInSlices } from '../../kernel/waiting.js';
import { ColumnNames, maxSuggested } from './column-names.js';
import {
  assertNamed,
  assertWidth,
  findShapeProblem,
  isBlank,
  readCsvRecords as readInParts,
  unnamedOf,
  widthOf,
} from './csv-records.js';

/** A data row, counted from 1: its non-empty cells by column name, or the reason why it is invalid. */
export interface TableRow<Name extends string> {
  readonly row: number;
  readonly cells: Readonly<Partial<Record<Name, string>>>;
  readonly problem: string | null;
  /** The non-empty cells of the other columns by their titles, where these are kept. */
  readonly others?: Readonly<Record<string, string>>;
}

export interface TableColumns<Name extends string> {
  /** The columns with their alternative names. */
  readonly names: Readonly<Record<Name, readonly string[]>>;
  readonly required: readonly NoInfer<Name>[];
  /** Whether other columns are kept. Without it they are rejected. */
  readonly keepsOthers?: boolean;
  readonly maxRows?: number;
}

/**
 * Reads a CSV file into memory without blocking the process. Headers match ignoring case, spaces and punctuation.
 */
export async function readCsvTable<Name extends string>(
  source: Readable,
  delimiter: string,
  columns: TableColumns<Name>,
): Promise<TableRow<Name>[]> {
  return toTable(await readCsvRecords(source, delimiter), columns);
}

/** The cells of each row of a CSV file, the header first. */
export async function readCsvRecords(source: Readable, delimiter: string): Promise<string[][]> {
  const records: string[][] = [];
  for await (const part of readInParts(source, delimiter))
    for (const cells of part) {
      if (records.length === 0) assertWidth(cells);
      records.push(cells);
    }
  return records;
}

/** The rows of a file whose header names known columns. */
export async function toTable<Name extends string>(
  [header, ...rows]: readonly string[][],
  columns: TableColumns<Name>,
): Promise<TableRow<Name>[]> {
  const { keepsOthers = false, maxRows = 10_000 } = columns;
  if (header === undefined) throw invalid({ path: '', message: 'the file has no header row' });
  if (rows.length > maxRows) throw invalid({ path: '', message: `the file has more than ${maxRows} rows` });
  const width = widthOf(header);
  const unnamed = unnamedOf(header);
  const places = header.flatMap((cell, index) => (cell.trim() === '' ? [] : [index]));
  const found = readHeader(
    places.map((place) => header[place] as string),
    columns,
  ).map((name, position) => ({ ...name, place: places[position] as number }));
  const [known, others] = [found.filter(({ isKnown }) => isKnown), found.filter(({ isKnown }) => !isKnown)];
  const read = await mapInSlices(rows, (cells, index): TableRow<Name> | null => {
    if (isBlank(cells)) return null;
    assertNamed(cells, unnamed);
    return {
      row: index + 1,
      cells: pickCells(known, cells) as TableRow<Name>['cells'],
      problem: findShapeProblem(cells, header, width),
      ...(keepsOthers ? { others: pickCells(others, cells) } : {}),
    };
  });
  return read.filter((row) => row !== null);
}

function pickCells(columns: readonly PlacedColumn[], cells: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    columns.flatMap(({ name, place }) => {
      const cell = cells[place]?.trim() ?? '';
      return cell === '' ? [] : [[name, cell]];
    }),
  );
}

interface HeaderColumn {
  /** The canonical name of a known column, otherwise its title. */
  readonly name: string;
  readonly isKnown: boolean;
}

interface PlacedColumn extends HeaderColumn {
  readonly place: number;
}

function readHeader<Name extends string>(
  header: readonly string[],
  { names, required, keepsOthers = false }: TableColumns<Name>,
): HeaderColumn[] {
  const canonical = Object.keys(names) as Name[];
  const aliases = new Map<string, Name>(
    canonical.flatMap((name) => [name, ...names[name]].map((alias) => [alias, name] as const)),
  );
  const known = new ColumnNames([...aliases.keys()]);
  const found = header.map((cell): HeaderColumn => {
    const name = aliases.get(known.find(cell.trim()) ?? '');
    return { name: name ?? cell.trim(), isKnown: name !== undefined };
  });
  const unknown = found.filter(({ isKnown }) => !isKnown).map(({ name }) => name.slice(0, 100));
  if (unknown.length === found.length)
    throw new Failure(
      'no_known_columns',
      `The header names no known column. The columns are ${canonical.join(', ')}.`,
      {
        suggestions: unknown.slice(0, maxSuggested).map((column) => ({ column, suggestions: known.suggest(column) })),
        known: canonical,
      },
    );
  if (unknown.length > 0 && !keepsOthers)
    throw invalid({
      path: '',
      message: `unknown columns ${listed(unknown)}; rename or remove them. The columns are ${canonical.join(', ')}`,
    });
  const all = found.map(({ name }) => name);
  const once = new Set<string>();
  for (const name of all) {
    if (once.has(name)) throw invalid({ path: '', message: `the header names the column ${name} twice; remove one` });
    once.add(name);
  }
  const missing = required.filter((name) => !once.has(name));
  if (missing.length > 0) throw invalid({ path: '', message: `the file has no column ${missing.join(', ')}` });
  return found;
}

function listed(columns: readonly string[]): string {
  const more = columns.length - maxSuggested;
  return `${columns.slice(0, maxSuggested).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
