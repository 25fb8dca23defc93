import { chunk } from '../../kernel/chunk.js';

/** A key with its terms. Null for none. */
type Keyed<Key, Terms> = Key & { readonly terms: Terms | null };

/** How rows with terms are stored. */
interface KeyedStore<Key, Terms> {
  /** Removes what is stored of the keys. */
  remove(keys: readonly Key[]): Promise<void>;
  replace(rows: readonly (Key & { readonly terms: Terms })[]): Promise<void>;
  /** Records the new state in the history. */
  record(rows: readonly Keyed<Key, Terms>[]): Promise<void>;
}

const rowsPerStatement = 10_000;

/** Stores each row in place of the one with its key, or removes it, a few statements for many rows. */
export async function storeKeyed<Key, Terms>(
  rows: readonly Keyed<Key, Terms>[],
  { remove, replace, record }: KeyedStore<Key, Terms>,
): Promise<void> {
  for (const part of chunk(rows, rowsPerStatement)) {
    const removed = part.filter(({ terms }) => terms === null);
    const replaced = part.flatMap((row) => (row.terms === null ? [] : { ...row, terms: row.terms }));
    if (removed.length > 0) await remove(removed);
    if (replaced.length > 0) await replace(replaced);
    await record(part);
  }
}
