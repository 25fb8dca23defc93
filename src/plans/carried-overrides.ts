import { type Rule } from '../engine/plan-config.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { thresholdOf, type WrittenPlan } from './plan.js';
import { insertOverrides } from './plan-store.js';
import { listOverrides, type OverrideRow } from './plan-views.js';

/** The per-rep tiers that a new version copied from its source, and those that no tier of the new version matches. */
export interface CarriedOverrides {
  readonly overridesCarried: NonNullable<WrittenPlan['overridesCarried']>;
  readonly overridesDropped: NonNullable<WrittenPlan['overridesDropped']>;
}

/** The overrides of the source that its copy with the rules keeps: those of rules and tiers that it still has. */
export async function overridesKept(
  trx: Work,
  workspaceId: string,
  sourceVersionId: string,
  rules: readonly Rule[],
): Promise<CarriedOverrides & { readonly kept: readonly OverrideRow[] }> {
  const carried: CarriedOverrides['overridesCarried'] = [];
  const dropped: CarriedOverrides['overridesDropped'] = [];
  const kept: OverrideRow[] = [];
  for (const override of await listOverrides(trx, workspaceId, sourceVersionId)) {
    const { repId, repName, rule, tiers } = override;
    const newRule = rules.find((candidate) => candidate.name === rule.name);
    const copied = tiers.filter((tier) => {
      const minThreshold = thresholdOf(rule, tier.tierIndex) ?? 0;
      const shown = { repId, repName, ruleName: rule.name, minThreshold, ...tier };
      const isKept = newRule !== undefined && thresholdOf(newRule, tier.tierIndex) === minThreshold;
      if (isKept) carried.push(shown);
      else dropped.push({ ...shown, reason: newRule === undefined ? 'rule_removed' : 'tier_changed' });
      return isKept;
    });
    if (copied.length > 0) kept.push({ ...override, tiers: copied });
  }
  return { kept, overridesCarried: carried, overridesDropped: dropped };
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
  const { kept, ...shown } = await overridesKept(trx, workspaceId, sourceVersionId, target.rules);
  const copies = kept.map(({ repId, rule, tiers }) => ({
    repId,
    ruleId: target.ruleIds.get(rule.name) as string,
    tiers,
  }));
  await insertOverrides(trx, workspaceId, target.planVersionId, copies);
  return shown;
}
