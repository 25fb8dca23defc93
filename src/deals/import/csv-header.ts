import { visibleText } from '../../kernel/comparable-text.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { ColumnNames, maxSuggested, nameKey } from '../../platform/files/column-names.js';
import { widthOf } from '../../platform/files/csv-records.js';
import { checkSlug, maxFields } from '../deal.js';
import { type ImportColumns, namedColumns } from './import-columns.js';
import { type CellKind, findCellKind } from './import-row.js';

export interface Column {
  readonly name: string;
  readonly index: number;
  readonly kind: CellKind;
}

export interface ColumnWarning {
  readonly code: 'unknown_column' | 'ambiguous_column' | 'midnight_utc' | 'short_ids';
  readonly column: string;
  readonly message: string;
}

export interface Header {
  readonly cells: readonly string[];
  /** Without the empty columns at the end. */
  readonly width: number;
  readonly id: number;
  readonly idTitle: string;
  /** The titles of the other columns as the file has them, by name. */
  readonly titles: ReadonlyMap<string, string>;
  readonly named: readonly Column[];
  /** Sorted by slug, the order in which content is stored. */
  readonly fields: readonly Column[];
  readonly warnings: readonly ColumnWarning[];
}

const usualIdColumns = ['id', 'deal_id'];

/** Reads the header: names that differ in case, spaces and punctuation only are the same column. */
export function readHeader(
  cells: readonly string[],
  idColumn: string | undefined,
  importColumns: ImportColumns,
): Header {
  if (cells.length > maxFields + 1)
    throw invalid({ path: '', message: `the header names more than ${maxFields} fields` });
  const id = findIdColumn(cells, idColumn);
  const names = new ColumnNames([...namedColumns, ...importColumns.slugs]);
  const columns = cells.flatMap((cell, index) => {
    if (index === id || cell.trim() === '') return [];
    const text = visibleText(cell);
    const found = names.find(text);
    return [{ name: found ?? text, index, isKnown: found !== null }];
  });
  if (id !== null) assertNames(columns, cells[id] ?? '');
  const unknown = columns.filter(({ isKnown }) => !isKnown);
  if (columns.length > 0 && unknown.length === columns.length) throw noKnownColumns(columns, names, importColumns);
  if (id === null) throw idColumnMissing(cells, idColumn);
  const named = new Set<string>(namedColumns);
  const kinded = columns.map(({ name, index }) => ({ name, index, kind: findCellKind(name, importColumns) }));
  return {
    cells,
    width: widthOf(cells),
    id,
    idTitle: toTitle(cells[id]),
    titles: new Map(columns.map(({ name, index }) => [name, toTitle(cells[index])])),
    named: kinded.filter(({ name }) => named.has(name)),
    fields: kinded.filter(({ name }) => !named.has(name)).sort((a, b) => (a.name < b.name ? -1 : 1)),
    warnings: unknown.map(({ name }, position) => ({
      code: 'unknown_column',
      column: name,
      message: `No mapping, plan or stored deal names this column; it is stored as the field ${name}.${didYouMean(position < maxSuggested ? names.suggest(name) : [])}`,
    })),
  };
}

function toTitle(cell = ''): string {
  return cell.trim().slice(0, 100);
}

function findIdColumn(cells: readonly string[], idColumn: string | undefined): number | null {
  for (const name of idColumn === undefined ? usualIdColumns : [idColumn]) {
    const exact = cells.findIndex((cell) => cell.trim() === name);
    const found = exact >= 0 ? exact : cells.findIndex((cell) => nameKey(cell) === nameKey(name));
    if (found >= 0) return found;
  }
  return null;
}

function idColumnMissing(cells: readonly string[], idColumn: string | undefined): Failure {
  const columns = cells.slice(0, 20).map(toTitle);
  return invalid({
    path: 'idColumn',
    message: `the header has no column ${idColumn ?? 'id'}; name the column of the deal ids with idColumn, one of: ${columns.join(', ')}`,
  });
}

function assertNames(columns: readonly { name: string; index: number }[], idCell: string): void {
  const names = new Set([idCell.trim()]);
  for (const { name, index } of columns) {
    const problem = checkSlug(name) ?? (names.has(name) ? 'is named twice' : null);
    if (problem !== null)
      throw invalid({ path: '', message: `column ${index + 1} of the header (${name.slice(0, 100)}) ${problem}` });
    names.add(name);
  }
}

function noKnownColumns(columns: readonly { name: string }[], names: ColumnNames, { slugs }: ImportColumns): Failure {
  const suggestions = columns
    .slice(0, maxSuggested)
    .map(({ name }) => ({ column: name.slice(0, 100), suggestions: names.suggest(name) }));
  return new Failure(
    'no_known_columns',
    `None of the columns ${columns
      .map(({ name }) => name.slice(0, 50))
      .slice(0, 10)
      .join(', ')} is known, so every value would be lost. Rename them or map them with POST /v1/fields/save.`,
    { suggestions, known: slugs.slice(0, 100) },
  );
}

function didYouMean(suggestions: readonly string[]): string {
  return suggestions.length === 0 ? '' : ` Did you mean ${suggestions.join(' or ')}?`;
}
