import { findShape, namesOf, type SavedColumns } from './file-shapes.js';
import { bare, becomesField, type ImportContext, type ImportKind, keepColumn, newNameOf, skipColumn } from './kind.js';
import { type SourceTable } from './table.js';
import { guessByValues } from './value-guesses.js';

export interface Suggestion {
  readonly target: string;
  /** Whether a person should confirm it. */
  readonly isGuess: boolean;
}

/** The target of every column. Exact names come before likeness, and no target is used twice. */
export function suggestColumns(kind: ImportKind, { header, rows }: SourceTable): readonly Suggestion[] {
  const found = new Map<number, Suggestion>();
  const used = new Set<string>();
  const put = (index: number, target: string, isGuess: boolean) => {
    found.set(index, { target, isGuess });
    used.add(target);
  };
  header.forEach((name, index) => {
    const own = kind.suggest?.(name) ?? null;
    if (own !== null) put(index, own, false);
  });
  for (const { key, names } of kind.targets) {
    const places = names.map((name) =>
      header.findIndex((cell, index) => !found.has(index) && bare(cell.replace(/__c$/i, '')) === name),
    );
    const index = places.find((place) => place >= 0);
    if (index !== undefined && !used.has(key)) put(index, targetByContent(key, rows, index), false);
  }
  for (const { key, like } of kind.targets) {
    if (like === undefined || used.has(key)) continue;
    const index = header.findIndex((cell, place) => !found.has(place) && like.test(cell.toLowerCase()));
    if (index >= 0) put(index, targetByContent(key, rows, index), true);
  }
  const rest: Suggestion = { target: kind.keepsColumns ? keepColumn : skipColumn, isGuess: false };
  return header.map((_, index) => found.get(index) ?? rest);
}

/** Owners who are e-mail addresses are found by their address. */
function targetByContent(key: string, rows: SourceTable['rows'], index: number): string {
  if (key !== 'ownerId') return key;
  const filled = rows.slice(0, 200).flatMap((row) => row[index] || []);
  return filled.length > 0 && filled.every((cell) => cell.includes('@')) ? 'ownerEmail' : key;
}

/**
 * The targets of the last file of the same shape, of the last files by the names of their columns, and suggestions for
 * the other columns, by their names and by their values.
 */
export function matchColumns(
  kind: ImportKind,
  table: SourceTable,
  saved: SavedColumns,
  context: ImportContext,
): readonly Suggestion[] {
  const known = knownTargets(table.header, saved);
  const used = new Set(known.filter((target) => target !== undefined));
  const rest: Suggestion = { target: kind.keepsColumns ? keepColumn : skipColumn, isGuess: false };
  const suggested = suggestColumns(kind, table).map((suggestion, index): Suggestion => {
    const target = known[index];
    if (target !== undefined) return { target, isGuess: false };
    return used.has(suggestion.target) ? rest : suggestion;
  });
  const taken = new Set(suggested.map(({ target }) => target));
  const open = suggested.flatMap((suggestion, index) =>
    known[index] === undefined && suggestion.target === rest.target ? [index] : [],
  );
  const guesses = guessByValues(kind, table, context, { open, taken });
  return suggested.map((suggestion, index) => {
    const target = guesses.get(index);
    return target === undefined ? suggestion : { target, isGuess: true };
  });
}

/** The target of each column in earlier files; undefined for a column that is new, or whose target another one has. */
function knownTargets(header: readonly string[], { byName, shapes }: SavedColumns): (string | undefined)[] {
  const shape = findShape(header, shapes);
  const ofShape = new Map(shape?.names.map((name, index) => [name, shape.targets[index]]));
  const names = namesOf(header);
  const used = new Set<string>();
  const once = (target: string | undefined) => {
    if (target === undefined || (!isRepeatable(target) && used.has(target))) return undefined;
    used.add(target);
    return target;
  };
  const first = names.map((name) => once(ofShape.get(name)));
  return names.map((name, index) => first[index] ?? (ofShape.has(name) ? undefined : once(byName.get(name))));
}

/** Whether several columns may have the target. */
export function isRepeatable(target: string): boolean {
  return becomesField(target) || target === skipColumn || newNameOf(target) !== null;
}

/** The targets with another one for a column. A target has one column: the one that had it before gets the rest. */
export function withTarget(
  columns: readonly string[],
  index: number,
  target: string,
  { keepsColumns }: Pick<ImportKind, 'keepsColumns'>,
): readonly string[] {
  const rest = keepsColumns ? keepColumn : skipColumn;
  return columns.map((key, at) => (at === index ? target : key === target && !isRepeatable(target) ? rest : key));
}
