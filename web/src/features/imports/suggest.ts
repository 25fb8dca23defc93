import { bare, type ImportKind, keepColumn, skipColumn } from './kind.js';
import { type SourceTable } from './table.js';

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

/** The targets of the last files by the names of their columns, and suggestions for the other columns. */
export function matchColumns(
  kind: ImportKind,
  table: SourceTable,
  saved: ReadonlyMap<string, string>,
): readonly Suggestion[] {
  const known = table.header.map((name) => saved.get(bare(name)));
  const used = new Set(known);
  const rest: Suggestion = { target: kind.keepsColumns ? keepColumn : skipColumn, isGuess: false };
  return suggestColumns(kind, table).map((suggestion, index) => {
    const target = known[index];
    if (target !== undefined) return { target, isGuess: false };
    return used.has(suggestion.target) ? rest : suggestion;
  });
}
