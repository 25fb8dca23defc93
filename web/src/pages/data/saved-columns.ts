import { readStored, writeStored } from '../../app/device-storage.js';
import { bare, type ImportKey } from '../../features/imports/kind.js';

function storageKey(key: ImportKey, header: readonly string[]): string {
  return `import-columns:${key}:${header.map(bare).join('|')}`;
}

/** The matching that was used for the last file with the same columns; null if there is none. */
export function readSavedColumns(key: ImportKey, header: readonly string[]): readonly string[] | null {
  const saved = readStored(storageKey(key, header));
  return Array.isArray(saved) && saved.length === header.length ? (saved as string[]) : null;
}

/** Without storage, the next file gets suggestions again. */
export function saveColumns(key: ImportKey, header: readonly string[], columns: readonly string[]): void {
  writeStored(storageKey(key, header), columns);
}
