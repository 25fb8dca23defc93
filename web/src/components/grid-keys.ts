/** The texts of cells that differ from what is stored, by row and column. */
export type Edits = Readonly<Record<string, string>>;

export function cellKey(row: string, column: string): string {
  return `${row} ${column}`;
}

export function rowOf(key: string): string {
  return key.slice(0, key.indexOf(' '));
}

/** Where a key goes: rows down and columns to the right. Arrows to the sides move only at the end of the text. */
export function computeStep({
  key,
  shiftKey,
  currentTarget,
}: React.KeyboardEvent<HTMLInputElement>): readonly [number, number] | null {
  const { selectionStart, selectionEnd, value } = currentTarget;
  const isWhole = selectionStart === 0 && selectionEnd === value.length;
  if (key === 'Enter') return [shiftKey ? -1 : 1, 0];
  if (key === 'ArrowDown') return [1, 0];
  if (key === 'ArrowUp') return [-1, 0];
  if (key === 'ArrowLeft' && (isWhole || selectionEnd === 0)) return [0, -1];
  if (key === 'ArrowRight' && (isWhole || selectionStart === value.length)) return [0, 1];
  return null;
}
