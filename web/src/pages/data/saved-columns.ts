import { readStored, writeStored } from '../../app/device-storage.js';
import { type SavedColumns, type SavedShape, withShape } from '../../features/imports/file-shapes.js';
import { bare, becomesField, type ImportKey, skipColumn } from '../../features/imports/kind.js';

const namesKey = (key: ImportKey) => `import-columns:${key}`;
const shapesKey = (key: ImportKey) => `import-shapes:${key}`;

/** The targets of the columns of earlier files, by their names and by the shapes of the files. */
export function readSavedColumns(key: ImportKey): SavedColumns {
  const saved = readStored(namesKey(key));
  const entries = saved !== null && typeof saved === 'object' ? Object.entries(saved as Record<string, unknown>) : [];
  const shapes = readStored(shapesKey(key));
  return {
    byName: new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
    shapes: Array.isArray(shapes) ? shapes.filter(isShape) : [],
  };
}

function isShape(value: unknown): value is SavedShape {
  const { names, targets } = (value ?? {}) as Partial<Record<keyof SavedShape, unknown>>;
  const areTexts = (list: unknown): list is string[] =>
    Array.isArray(list) && list.every((text) => typeof text === 'string');
  return areTexts(names) && areTexts(targets) && names.length === targets.length;
}

/** Without storage, the next file gets suggestions again. */
export function saveColumns(key: ImportKey, header: readonly string[], columns: readonly string[]): void {
  const { byName, shapes } = readSavedColumns(key);
  // What one file leaves out or keeps under its own name stays a target in another one.
  const isTarget = (target: string) => !becomesField(target) && target !== skipColumn;
  const added = header
    .map((name, index) => [bare(name), columns[index] ?? skipColumn] as const)
    .filter(([name, target]) => isTarget(target) || !byName.has(name));
  writeStored(namesKey(key), { ...Object.fromEntries(byName), ...Object.fromEntries(added) });
  writeStored(shapesKey(key), withShape(shapes, header, columns));
}
