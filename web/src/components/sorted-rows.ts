import { compareTexts } from '../shared/format/texts.js';

/** What rows are sorted by; null for a row without a value. */
export type SortValue = string | number | null;

/** Texts in the order of the reader's language. Rows without a value are last in both directions. */
export function sortedRows<Row>(
  rows: readonly Row[],
  sortBy: (row: Row) => SortValue,
  isDescending: boolean,
): readonly Row[] {
  const order = isDescending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [first, second] = [sortBy(a), sortBy(b)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    if (typeof first === 'string' && typeof second === 'string') return order * compareTexts(first, second);
    return order * (Number(first) - Number(second));
  });
}
