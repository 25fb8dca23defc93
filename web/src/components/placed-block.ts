export interface GridColumn {
  readonly key: string;
  readonly label: string;
  /** Numbers are right-aligned. */
  readonly isNumber: boolean;
}

/** A text for a cell. Rows are counted from those that are shown; later ones are new. */
export type EnteredCell = readonly [row: number, column: string, text: string];

/** Where the cells of a block go: to the columns that its first row names or, without names, from the focused cell on. */
export function placeBlock(
  block: readonly (readonly string[])[],
  columns: readonly GridColumn[],
  row: number,
  column: number,
): readonly EnteredCell[] {
  const [first = [], ...others] = block;
  const named = first.map(
    (cell) => columns.find(({ label }) => label.toLowerCase() === cell.trim().toLowerCase())?.key,
  );
  const hasNames = others.length > 0 && named.length > 0 && named.every((key) => key !== undefined);
  const body = (hasNames ? others : block).filter((texts) => texts.some((text) => text.trim() !== ''));
  return body.flatMap((texts, down) =>
    texts.flatMap((text, right): EnteredCell[] => {
      const key = hasNames ? named[right] : columns[column + right]?.key;
      return key === undefined ? [] : [[row + down, key, text.trim()]];
    }),
  );
}
