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

/**
 * Where the cells of a pasted block go: from the focused cell on or, if the block begins with names of rows, to the rows
 * with these names, in the columns from the focused one on.
 */
export function placePasted(
  block: readonly (readonly string[])[],
  rows: Labels,
  columns: Labels,
  focus: { readonly row: number; readonly column: number },
): PastedCells {
  const byName = new Map(rows.map(([key, label]) => [normalize(label), key]));
  const filled = block.filter((cells) => cells.some((cell) => cell.trim() !== ''));
  const known = filled.filter(([name = '']) => byName.has(normalize(name)));
  const hasNames = known.length > 0 && known.length * 2 >= filled.length;
  const place = (row: string | undefined, texts: readonly string[]) =>
    texts.flatMap((text, right) => {
      const [column] = columns[focus.column + right] ?? [];
      return row === undefined || column === undefined ? [] : [[row, column, text.trim()] as const];
    });
  if (!hasNames)
    return { cells: block.flatMap((cells, down) => place(rows[focus.row + down]?.[0], cells)), unknown: [] };
  return {
    cells: known.flatMap(([name = '', ...texts]) => place(byName.get(normalize(name)), texts)),
    unknown: filled.filter((cells) => !known.includes(cells)).map(([name = '']) => name.trim()),
  };
}
