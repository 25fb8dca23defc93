import { type IdentifiedRule, type TierOverride } from '../engine/compiled-plan.js';
import { type Rule } from '../engine/plan-config.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { findThreshold, type WrittenPlan } from './plan.js';
import { insertOverrides } from './plan-store.js';
import { listOverrides, type OverrideRow } from './plan-views.js';

/** The per-rep tiers that a new version copied from its source, and those that no tier of the new version matches. */
export interface CarriedOverrides {
  readonly overridesCarried: NonNullable<WrittenPlan['overridesCarried']>;
  readonly overridesDropped: NonNullable<WrittenPlan['overridesDropped']>;
}

/** Whether a version keeps the override of a tier: its rule of the same name has the tier with the same threshold. */
function keepsTier(before: Rule, after: Rule | undefined, tierIndex: number): boolean {
  const threshold = findThreshold(before, tierIndex);
  return after !== undefined && threshold !== undefined && findThreshold(after, tierIndex) === threshold;
}

/** The overrides of a rep, by rule, with those that the new version carries over from its source. */
export function addCarriedOverrides(
  overrides: ReadonlyMap<string, readonly TierOverride[]>,
  source: { readonly rules: readonly IdentifiedRule[] },
  newVersion: { readonly rules: readonly IdentifiedRule[] },
): ReadonlyMap<string, readonly TierOverride[]> {
  const carried = newVersion.rules.flatMap((rule): [string, TierOverride[]][] => {
    const before = source.rules.find(({ name }) => name === rule.name);
    if (before === undefined) return [];
    return [[rule.id, (overrides.get(before.id) ?? []).filter(({ tierIndex }) => keepsTier(before, rule, tierIndex))]];
  });
  return new Map([...overrides, ...carried]);
}

/** The overrides of the source that its copy with the rules keeps: those of rules and tiers that it still has. */
export async function selectCarriedOverrides(
  tx: Transaction,
  sourceVersionId: string,
  rules: readonly Rule[],
): Promise<CarriedOverrides & { readonly copies: readonly OverrideRow[] }> {
  const carried: CarriedOverrides['overridesCarried'] = [];
  const dropped: CarriedOverrides['overridesDropped'] = [];
  const copies: OverrideRow[] = [];
  for (const override of await listOverrides(tx, sourceVersionId)) {
    const { repId, repName, rule, tiers } = override;
    const newRule = rules.find((candidate) => candidate.name === rule.name);
    const copied = tiers.filter((tier) => {
      const minThreshold = findThreshold(rule, tier.tierIndex) ?? 0;
      const described = { repId, repName, ruleName: rule.name, minThreshold, ...tier };
      const isCarried = keepsTier(rule, newRule, tier.tierIndex);
      if (isCarried) carried.push(described);
      else dropped.push({ ...described, reason: newRule === undefined ? 'rule_removed' : 'tier_changed' });
      return isCarried;
    });
    if (copied.length > 0) copies.push({ ...override, tiers: copied });
  }
  return { copies, overridesCarried: carried, overridesDropped: dropped };
}

/**
 * Copies the overrides of the source to the new version, for every rule whose name still exists and every tier whose
 * index and threshold are unchanged.
 */
export async function carryOverrides(
  tx: Transaction,
  sourceVersionId: string,
  target: {
    readonly planVersionId: string;
    readonly rules: readonly Rule[];
    readonly ruleIds: ReadonlyMap<string, string>;
  },
): Promise<CarriedOverrides> {
  const { copies: overrides, ...counts } = await selectCarriedOverrides(tx, sourceVersionId, target.rules);
  const copies = overrides.map(({ repId, rule, tiers }) => ({
    repId,
    ruleId: target.ruleIds.get(rule.name) as string,
    tiers,
  }));
  await insertOverrides(tx, target.planVersionId, copies);
  return counts;
}
