import { type Rule } from '../engine/plan-config.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { thresholdOf, type WrittenPlan } from './plan.js';
import { insertOverrides } from './plan-store.js';
import { listOverrides } from './plan-views.js';

/** The per-rep tiers that a new version copied from its source, and those that no tier of the new version matches. */
export interface CarriedOverrides {
  readonly overridesCarried: NonNullable<WrittenPlan['overridesCarried']>;
  readonly overridesDropped: NonNullable<WrittenPlan['overridesDropped']>;
}

/**
 * Copies the overrides of the source to the new version, for every rule whose name still exists and every tier whose
 * index and threshold are unchanged.
 */
export async function carryOverrides(
  trx: Work,
  workspaceId: string,
  sourceVersionId: string,
  target: {
    readonly planVersionId: string;
    readonly rules: readonly Rule[];
    readonly ruleIds: ReadonlyMap<string, string>;
  },
): Promise<CarriedOverrides> {
  const carried: CarriedOverrides['overridesCarried'] = [];
  const dropped: CarriedOverrides['overridesDropped'] = [];
  const copies: { repId: string; ruleId: string; tiers: unknown[] }[] = [];
  for (const { repId, repName, rule, tiers } of await listOverrides(trx, workspaceId, sourceVersionId)) {
    const newRule = target.rules.find((candidate) => candidate.name === rule.name);
    const copied = tiers.filter((tier) => {
      const minThreshold = thresholdOf(rule, tier.tierIndex) ?? 0;
      const override = { repId, repName, ruleName: rule.name, minThreshold, ...tier };
      const isKept = newRule !== undefined && thresholdOf(newRule, tier.tierIndex) === minThreshold;
      if (isKept) carried.push(override);
      else dropped.push({ ...override, reason: newRule === undefined ? 'rule_removed' : 'tier_changed' });
      return isKept;
    });
    if (copied.length > 0) copies.push({ repId, ruleId: target.ruleIds.get(rule.name) as string, tiers: copied });
  }
  await insertOverrides(trx, workspaceId, target.planVersionId, copies);
  return { overridesCarried: carried, overridesDropped: dropped };
}
