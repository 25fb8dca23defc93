import { groupSeparator } from '../../shared/format/entered-numbers.js';

/** `en`: 1,234.50. `eu`: 1.234,50. */
export type NumberFormat = 'en' | 'eu';

/** How a cell with a comma or a dot is written: `?,` and `?.` can be read in both ways. */
function formatOf(cell: string): NumberFormat | '?,' | '?.' | null {
  const digits = cell.replace(/[^\d.,]/g, '').replace(/[.,]$/, '');
  const separators = digits.replace(/\d/g, '');
  const last = separators.at(-1);
  if (last === undefined) return null;
  const [whole = '', ...rest] = digits.split(last);
  const isRepeated = rest.length > 1;
  const isBoth = separators !== last.repeat(separators.length);
  const canGroup = rest.every((part) => part.length === 3) && /^[1-9]\d{0,2}$/.test(whole);
  if (!isBoth && !isRepeated && canGroup) return last === ',' ? '?,' : '?.';
  const isDecimal = isBoth || !isRepeated;
  return (last === '.') === isDecimal ? 'en' : 'eu';
}

export interface ReadNumberFormat {
  /** Null where the cells need none, or show both formats: the service then reads each cell by itself. */
  readonly format: NumberFormat | null;
  /** Whether every cell can be read in both ways, so that the separator of the reader decides. */
  readonly isGuess: boolean;
}

/**
 * The format that the numbers of a file show. Amounts such as 280,000 alone show none: they are read with the thousands
 * separator of the reader, and never with the decimal sign.
 */
export function readNumberFormat(cells: Iterable<string>, group: string = groupSeparator): ReadNumberFormat {
  const found = new Set([...cells].map(formatOf));
  if (found.has('en') !== found.has('eu')) return { format: found.has('en') ? 'en' : 'eu', isGuess: false };
  const isOpen = !found.has('en') && found.has('?,') !== found.has('?.');
  const separator = found.has('?,') ? ',' : '.';
  return isOpen && separator === group
    ? { format: group === ',' ? 'en' : 'eu', isGuess: true }
    : { format: null, isGuess: false };
}
