import { targetOf } from './file-columns.js';
import { type ClaimedRun } from './run-store.js';

/** How the columns of a file differ from those that a person has confirmed. */
export interface HeaderDifference {
  readonly isFirst: boolean;
  readonly missing: readonly string[];
  readonly added: readonly string[];
}

export function findDifference(
  { confirmedHeader, options }: Pick<ClaimedRun, 'confirmedHeader' | 'options'>,
  header: readonly string[],
): HeaderDifference {
  if (confirmedHeader === null) return { isFirst: true, missing: [], added: [] };
  const confirmed = new Set(confirmedHeader);
  const present = new Set(header);
  return {
    isFirst: false,
    missing: confirmedHeader.filter((name) => !present.has(name)),
    added: header.filter((name) => !confirmed.has(name) && targetOf(name, options) !== null),
  };
}

/** The new columns without those that the import does not know, as its dry run has said. */
export function withoutUnknown(
  { options }: Pick<ClaimedRun, 'options'>,
  added: readonly string[],
  answer: unknown,
): readonly string[] {
  const { warnings = [] } = answer as { readonly warnings?: readonly { readonly column: string }[] };
  const unknown = new Set(warnings.map(({ column }) => column));
  return added.filter((name) => !unknown.has(targetOf(name, options)?.trim() ?? ''));
}

export function isDifferent({ isFirst, missing, added }: HeaderDifference): boolean {
  return isFirst || missing.length > 0 || added.length > 0;
}

const maxNamed = 20;
const maxNameLength = 100;

/** Null for the first file. */
export function reasonToWait({ missing, added }: HeaderDifference): string | null {
  const sentences = [
    ['lacks columns of the confirmed one', missing] as const,
    ['has columns that the confirmed one lacks', added] as const,
  ].flatMap(([what, names]) => (names.length === 0 ? [] : [`The file ${what}: ${listed(names)}.`]));
  return sentences.length === 0 ? null : sentences.join(' ');
}

function listed(names: readonly string[]): string {
  const first = names.slice(0, maxNamed).map((name) => name.slice(0, maxNameLength).toWellFormed());
  return `${first.join(', ')}${names.length > maxNamed ? ', …' : ''}`;
}
