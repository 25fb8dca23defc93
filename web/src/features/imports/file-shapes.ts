import { bare } from './kind.js';

/** The columns of a file that was imported, in their order, with the target of each. */
export interface SavedShape {
  readonly names: readonly string[];
  readonly targets: readonly string[];
}

/** What earlier files teach about the columns of the next one. */
export interface SavedColumns {
  /** The last target of a column with this name, in a file of any shape. */
  readonly byName: ReadonlyMap<string, string>;
  /** The newest first. */
  readonly shapes: readonly SavedShape[];
}

export const noSavedColumns: SavedColumns = { byName: new Map(), shapes: [] };

/** The bare names of the columns; a repeated name has its number. */
export function namesOf(header: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return header.map((cell) => {
    const name = bare(cell);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} ${count}`;
  });
}

/** A file of the same source may have one column more or less. */
const maxDifference = 1;

/** The shape with the columns of the file, or all but one of them, in any order; null if no file had it. */
export function findShape(header: readonly string[], shapes: readonly SavedShape[]): SavedShape | null {
  const names = new Set(namesOf(header));
  let best: { readonly shape: SavedShape; readonly difference: number } | null = null;
  for (const shape of shapes) {
    const common = shape.names.filter((name) => names.has(name)).length;
    const [more, fewer] = [names.size - common, shape.names.length - common];
    if (more > maxDifference || fewer > maxDifference || common < 2) continue;
    if (best === null || more + fewer < best.difference) best = { shape, difference: more + fewer };
  }
  return best?.shape ?? null;
}

const maxShapes = 20;

/** The shapes with that of the file, which replaces an equal one. */
export function withShape(
  shapes: readonly SavedShape[],
  header: readonly string[],
  targets: readonly string[],
): readonly SavedShape[] {
  const names = namesOf(header);
  const key = [...names].sort().join('\n');
  const others = shapes.filter((shape) => [...shape.names].sort().join('\n') !== key);
  return [{ names, targets }, ...others].slice(0, maxShapes);
}
