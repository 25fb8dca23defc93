import { type PlanTerms } from '../engine/plan-config.js';
import { type PlanFx } from '../engine/plan-fx.js';
import { canonicalFieldMapping } from '../ledger/input/field-mapping.js';
import { type StoredVersion } from '../ledger/input/rep-terms.js';
import { unsaved } from '../simulation/unsaved-plan.js';
import { type VersionRow } from './plan-store.js';

export const onEveryDay = {
  status: 'active',
  supersedes: null,
  hasBeenActive: false,
  planStatus: 'active',
  effectiveStart: null,
  effectiveEnd: null,
} as const;

/** A version of a config alone. It applies on every day. */
export function unsavedVersion(terms: PlanTerms, currency: string, fx: PlanFx | null = null): StoredVersion {
  return {
    planId: unsaved,
    planVersionId: unsaved,
    version: 1,
    ...onEveryDay,
    currency,
    fx,
    fieldMapping: {},
    dealConditions: terms.dealConditions,
    rules: identifyRules(unsaved, terms),
  };
}

/** A version that a change would create, as a calculation reads it. `currency` is that of the workspace. */
export function toStoredVersion(row: VersionRow, terms: PlanTerms, currency: string): StoredVersion {
  return {
    planId: row.planId,
    planVersionId: row.planVersionId,
    version: row.version,
    status: row.status,
    supersedes: row.supersedes,
    hasBeenActive: row.hasBeenActive,
    planStatus: 'active',
    effectiveStart: row.effectiveStart,
    effectiveEnd: row.effectiveEnd,
    currency: row.currency ?? currency,
    fx: row.fx,
    fieldMapping: canonicalFieldMapping(row.fieldMapping),
    dealConditions: terms.dealConditions,
    rules: identifyRules(row.planVersionId, terms),
  };
}

function identifyRules(planVersionId: string, { rules }: PlanTerms): StoredVersion['rules'] {
  return rules.map((rule) => ({ ...rule, id: `${planVersionId}:${rule.name}` }));
}
