import { type StoredVersion } from '../ledger/input/rep-terms.js';

/**
 * The ids of the periodic rules. An outcome of such a rule has its period in place of a deal id, and the id of a deal
 * may look like a period.
 */
export function loadPeriodicRuleIds(versions: readonly StoredVersion[]): ReadonlySet<string> {
  const rules = versions.flatMap((version) => version.rules);
  return new Set(rules.filter((rule) => rule.executionPhase === 'periodic').map((rule) => rule.id));
}
