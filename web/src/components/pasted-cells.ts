import { readNumber } from '../shared/format/entered-numbers.js';
import { withoutAccents } from '../shared/format/texts.js';

type Labels = readonly (readonly [key: string, label: string])[];

/** A row with the texts that name it, such as the name and the e-mail address of a person. */
export type NamedRows = readonly (readonly [key: string, label: string, ...others: string[]])[];

export interface PastedCells {
  /** The texts with the row and the column that get them. */
  readonly cells: readonly (readonly [row: string, column: string, text: string])[];
  /** Names of the block that no row has, or several rows. */
  readonly unknown: readonly string[];
  /** Names that several rows of the block have. */
  readonly repeated: readonly string[];
  /** Headings above numbers that name no column. */
  readonly ignored: readonly string[];
}

function normalize(name: string): string {
  return withoutAccents(name).trim().replace(/\s+/g, ' ');
}

/** The column that a heading names, such as that of Sep-26; null if none. */
export type ColumnOf = (heading: string) => string | null;

function isNumber(cell: string): boolean {
  return readNumber(cell) !== null;
}

function isFilled(cell = ''): boolean {
  return cell.trim() !== '';
}

type RowOf = (name: string) => string | null | undefined;

/** The row of a name; null for a name that several rows have, undefined for one that none has. */
function rowFinder(rows: NamedRows, chosen: Readonly<Record<string, string>>): RowOf {
  const found = new Map<string, string | null>();
  for (const [key, ...names] of rows)
    for (const name of new Set(names.map(normalize))) found.set(name, found.has(name) ? null : key);
  return (name) => chosen[name.trim()] ?? found.get(normalize(name));
}

/** The columns that the first row names, undefined where it names none; null if it names no column. */
type Headings = readonly (string | undefined)[] | null;

/** Whether the first row has headings, and their columns. A heading may name a column that the grid has not. */
function readHeadings(
  [first = [], ...body]: readonly (readonly string[])[],
  columns: Labels,
  rowOf: RowOf,
  columnOf: ColumnOf,
): { readonly hasHeadings: boolean; readonly headings: Headings } {
  const keys = new Map(columns.flatMap(([key, label]) => [[key, key] as const, [label, key] as const]));
  const named = first.map((cell) => keys.get(cell.trim()) ?? columnOf(cell) ?? undefined);
  const found = named.map((key) => (key === undefined ? undefined : keys.get(key)));
  const hasHeadings =
    body.length > 0 &&
    first.every((cell, index) => found[index] !== undefined || !isNumber(cell)) &&
    first.every((cell) => rowOf(cell) === undefined);
  return { hasHeadings, headings: hasHeadings && named.some((key) => key !== undefined) ? found : null };
}

/** Where the names and the values of rows without headings begin. `name` is null if the rows have no names. */
function findColumns(body: readonly (readonly string[])[], rowOf: RowOf): { name: number | null; values: number } {
  const width = Math.max(0, ...body.map((row) => row.length));
  const filledCells = (index: number) => body.map((row) => row[index] ?? '').filter(isFilled);
  const isText = (index: number) => filledCells(index).filter(isNumber).length * 2 < filledCells(index).length;
  const known = Array.from({ length: width }, (_, index) => {
    return filledCells(index).filter((cell) => !isNumber(cell) && rowOf(cell) !== undefined).length;
  });
  const most = Math.max(0, ...known);
  let values = most === 0 ? 0 : known.indexOf(most) + 1;
  while (values < width && isText(values)) values += 1;
  if (most > 0) return { name: known.indexOf(most), values };
  // Texts alone are values that cannot be read.
  return values === 0 || values === width ? { name: null, values: 0 } : { name: 0, values };
}

/**
 * Where the cells of a pasted block go: from the focused cell on or, if the rows have names, to the rows with these
 * names; and if its first row has headings, to their columns. `chosen` has the rows of names that a person has matched.
 * A row whose name is unknown goes nowhere.
 */
export function placePasted(
  pasted: readonly (readonly string[])[],
  rows: NamedRows,
  columns: Labels,
  focus: { readonly row: number; readonly column: number },
  columnOf: ColumnOf = () => null,
  chosen: Readonly<Record<string, string>> = {},
): PastedCells {
  const rowOf = rowFinder(rows, chosen);
  const { hasHeadings, headings } = readHeadings(pasted, columns, rowOf, columnOf);
  const body = hasHeadings ? pasted.slice(1) : pasted;
  const { name, values } = findColumns(body, rowOf);
  const columnAt = (index: number) => {
    if (index === name) return undefined;
    return headings === null ? columns[index < values ? -1 : focus.column + index - values]?.[0] : headings[index];
  };
  const place = (row: string | undefined, texts: readonly string[]) =>
    texts.flatMap((text, index) => {
      const column = columnAt(index);
      return row === undefined || column === undefined ? [] : [[row, column, text.trim()] as const];
    });
  const isIgnored = (index: number) =>
    index !== name && columnAt(index) === undefined && body.some((row) => isNumber(row[index] ?? ''));
  const ignored = headings === null ? [] : (pasted[0] ?? []).filter((_, index) => isIgnored(index));
  if (name === null) {
    const cells = body.flatMap((texts, down) => place(rows[focus.row + down]?.[0], texts));
    return { cells, unknown: [], repeated: [], ignored };
  }
  const named = body
    .filter((texts) => texts.some(isFilled))
    .map((texts) => ({ text: (texts[name] ?? '').trim(), texts }))
    .map(({ text, texts }) => ({ text, row: rowOf(text) ?? undefined, texts }));
  const isOnce = (row: string) => named.filter((other) => other.row === row).length === 1;
  return {
    cells: named.flatMap(({ row, texts }) => (row === undefined || !isOnce(row) ? [] : place(row, texts))),
    unknown: [...new Set(named.flatMap(({ row, text }) => (row === undefined ? [text] : [])))],
    repeated: [...new Set(named.flatMap(({ row, text }) => (row === undefined || isOnce(row) ? [] : [text])))],
    ignored,
  };
}
