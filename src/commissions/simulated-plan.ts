import { type StoredVersion } from '../ledger/rep-terms.js';

/** The id of an unsaved plan and version, and the prefix of their rule ids. */
export const unsaved = '00000000-0000-4000-8000-000000000000';

export function isRanked(versions: readonly StoredVersion[]): boolean {
  return versions.some((version) => version.rules.some((rule) => rule.tierBy === 'rank'));
}

export function isCascade(versions: readonly StoredVersion[]): boolean {
  return versions.some((version) => version.rules.some((rule) => rule.executionPhase === 'cascade'));
}
