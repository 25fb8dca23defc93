type Labels = readonly (readonly [key: string, label: string])[];

export interface PastedCells {
  /** The texts with the row and the column that get them. */
  readonly cells: readonly (readonly [row: string, column: string, text: string])[];
  /** Names in the first column of the block that no row has. */
  readonly unknown: readonly string[];
}

function normalize(name: string): string {
  return name.trim().replace(/\s+/g, ' ').toLowerCase();
}

/** The column that a heading names, such as that of Sep-26; null if none. */
export type ColumnOf = (heading: string) => string | null;

/** The columns of the cells of a block whose first row has headings; null if it has none. */
function readHeadings(
  first: readonly string[],
  columns: Labels,
  columnOf: ColumnOf,
): readonly (string | null)[] | null {
  const keys = new Set(columns.map(([key]) => key));
  const named = first.map(columnOf);
  const isHeadings = first.every((cell, index) => named[index] !== null || index === 0 || !/\d/.test(cell));
  const found = named.map((key) => (key !== null && keys.has(key) ? key : null));
  return isHeadings && found.some((key) => key !== null) ? found : null;
}

/**
 * Where the cells of a pasted block go: from the focused cell on or, if the block begins with names of rows, to the rows
 * with these names; and if its first row has headings, to their columns.
 */
export function placePasted(
  pasted: readonly (readonly string[])[],
  rows: Labels,
  columns: Labels,
  focus: { readonly row: number; readonly column: number },
  columnOf: ColumnOf = () => null,
): PastedCells {
  const headings = readHeadings(pasted[0] ?? [], columns, columnOf);
  const block = headings === null ? pasted : pasted.slice(1);
  const byName = new Map(rows.map(([key, label]) => [normalize(label), key]));
  const filled = block.filter((cells) => cells.some((cell) => cell.trim() !== ''));
  const known = filled.filter(([name = '']) => byName.has(normalize(name)));
  const hasNames = known.length > 0 && known.length * 2 >= filled.length;
  const place = (row: string | undefined, texts: readonly string[]) =>
    texts.flatMap((text, right) => {
      const column =
        headings === null ? columns[focus.column + right]?.[0] : (headings[right + (hasNames ? 1 : 0)] ?? undefined);
      return row === undefined || column === undefined ? [] : [[row, column, text.trim()] as const];
    });
  if (!hasNames)
    return { cells: block.flatMap((cells, down) => place(rows[focus.row + down]?.[0], cells)), unknown: [] };
  return {
    cells: known.flatMap(([name = '', ...texts]) => place(byName.get(normalize(name)), texts)),
    unknown: filled.filter((cells) => !known.includes(cells)).map(([name = '']) => name.trim()),
  };
}
