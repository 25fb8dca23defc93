import { bare, type ImportKey } from '../../features/imports/kind.js';

function storageKey(key: ImportKey, header: readonly string[]): string {
  return `import-columns:${key}:${header.map(bare).join('|')}`;
}

/** The matching that was used for the last file with the same columns; null if there is none. */
export function keptColumns(key: ImportKey, header: readonly string[]): readonly string[] | null {
  try {
    const text = localStorage.getItem(storageKey(key, header));
    const kept = text === null ? null : (JSON.parse(text) as unknown);
    return Array.isArray(kept) && kept.length === header.length ? (kept as string[]) : null;
  } catch {
    return null;
  }
}

export function keepColumns(key: ImportKey, header: readonly string[], columns: readonly string[]): void {
  try {
    localStorage.setItem(storageKey(key, header), JSON.stringify(columns));
  } catch {
    // Without storage the next file gets suggestions again.
  }
}
