import { readStored, writeStored } from '../../app/device-storage.js';
import { bare, type ImportKey } from '../../features/imports/kind.js';

function storageKey(key: ImportKey): string {
  return `import-columns:${key}`;
}

/** The targets of the columns of earlier files, by their names. */
export function readSavedColumns(key: ImportKey): ReadonlyMap<string, string> {
  const saved = readStored(storageKey(key));
  const entries = saved !== null && typeof saved === 'object' ? Object.entries(saved as Record<string, unknown>) : [];
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** Without storage, the next file gets suggestions again. */
export function saveColumns(key: ImportKey, header: readonly string[], columns: readonly string[]): void {
  const added = header.map((name, index) => [bare(name), columns[index]]);
  writeStored(storageKey(key), { ...Object.fromEntries(readSavedColumns(key)), ...Object.fromEntries(added) });
}
