import { detectNumberFormat, type NumberFormat, readWrittenNumber } from '#src/client.js';
import { groupSeparator } from '../../shared/format/entered-numbers.js';

export type { NumberFormat };

export interface ReadNumberFormat {
  /** Null where the cells need none, or show both formats: the service then reads each cell by itself. */
  readonly format: NumberFormat | null;
  /** Whether every cell can be read in both ways, so that the separator of the reader decides. */
  readonly isGuess: boolean;
}

/**
 * The format that the numbers of a file show; `others` are the numbers of columns without a target. Amounts such as
 * 280,000 alone show none: they are read with the thousands separator of the reader, and never with the decimal sign.
 */
export function readNumberFormat(
  cells: readonly string[],
  group: string = groupSeparator,
  others: readonly string[] = [],
): ReadNumberFormat {
  const visible = formatsOf(cells);
  const found = visible.size > 0 ? visible : formatsOf(others);
  const [only, another] = found;
  if (only !== undefined) return { format: another === undefined ? only : null, isGuess: false };
  const separators = new Set([...cells, ...others].filter(isOpen).map((cell) => (cell.includes(',') ? ',' : '.')));
  return separators.size === 1 && separators.has(group === ',' ? ',' : '.') && (group === ',' || group === '.')
    ? { format: group === ',' ? 'en' : 'eu', isGuess: true }
    : { format: null, isGuess: false };
}

function formatsOf(cells: readonly string[]): Set<NumberFormat> {
  return new Set(cells.flatMap((cell) => detectNumberFormat(cell) ?? []));
}

function isOpen(cell: string): boolean {
  return readWrittenNumber(cell, null) === 'ambiguous';
}

/** What a column that is stored under its own name becomes. */
export type KeptContent = 'number' | 'date' | 'text';

const writtenDay = /^\s*\d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d{2})\b/;

/** As the service decides it: a column is numbers or dates if every value is one. */
export function contentOf(cells: readonly string[], format: NumberFormat | null): KeptContent {
  const filled = cells.filter((cell) => cell.trim() !== '');
  if (filled.length === 0) return 'text';
  if (filled.every((cell) => writtenDay.test(cell))) return 'date';
  const isNumber = (cell: string) => {
    const read = readWrittenNumber(cell, format);
    return read !== null && read !== 'ambiguous';
  };
  return filled.every(isNumber) ? 'number' : 'text';
}

/** The cells of the columns of which every value is a number in some format. */
export function numericCells(columns: readonly (readonly string[])[]): string[] {
  return columns
    .map((cells) => cells.filter((cell) => cell.trim() !== ''))
    .filter((cells) => cells.every((cell) => readWrittenNumber(cell, null) !== null))
    .flat();
}
