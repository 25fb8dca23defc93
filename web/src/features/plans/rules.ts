import type { Condition, Group } from '#src/engine/condition.js';
import type { Rule, Tier } from '#src/engine/plan-config.js';
import { type Answer } from '../../api/client.js';
import { type Plan } from '../../api/queries.js';
import { type PeriodLength } from '../../shared/format/periods.js';

export type PlanRule = Rule & { readonly id: string };
export type Overrides = Answer<'listPlanOverrides'>;

/** The rules of a plan version as the service reads them. */
export function listRules(plan: Pick<Plan, 'rules'>): readonly PlanRule[] {
  return plan.rules as unknown as readonly PlanRule[];
}

/** The tiers of everyone, lowest first. */
export function sharedTiers({ tiers }: Pick<Rule, 'tiers'>): readonly Tier[] {
  return tiers.filter(({ repId }) => repId === undefined).sort((a, b) => a.minThreshold - b.minThreshold);
}

export function isGroup(condition: Condition): condition is Group {
  return 'rules' in condition;
}

/** Whether the rule pays nothing without a quota. One tier from 0 on needs none. */
export function needsQuota({ tierBy, tiers, executionPhase, payoutBase, payoutMode }: Rule): boolean {
  if (payoutBase === 'variable_target' || payoutMode === 'rate_times_attainment') return true;
  if (executionPhase === 'cascade' || tierBy !== 'attainment') return false;
  return tiers.length > 1 || tiers.some(({ minThreshold }) => minThreshold > 0);
}

const months = { monthly: 1, quarterly: 3, semi_annual: 6, annual: 12 } as const;

/** The length of the attainment period of a rule in months. */
export function countMonths({ attainmentPeriod }: Pick<Rule, 'attainmentPeriod'>): PeriodLength {
  return months[attainmentPeriod];
}

/** The key under which the credit of a rule is counted. */
export function measureOf(rule: Pick<Rule, 'name' | 'quotaGroup'>): string {
  return rule.quotaGroup ?? rule.name;
}

export interface OwnTier {
  readonly tierIndex: number;
  readonly name: string;
  readonly minThreshold: number;
  readonly rate: number | null;
  readonly flatAmount: number | null;
  /** The rate table that says the rate. */
  readonly table: string | null;
  readonly column: string | null;
  /** Whether it differs from what others on the plan have. */
  readonly isOwn: boolean;
}

/** The tiers that apply to the rep on the day, lowest first: tiers and overrides of the rep take precedence. */
export function tiersFor(rule: PlanRule, repId: string, day: string, overrides: Overrides = []): readonly OwnTier[] {
  const byIndex = new Map<number, OwnTier>();
  const put = (tier: Tier, isOwn: boolean) => byIndex.set(tier.tierIndex, ownTier(tier, isOwn));
  for (const tier of rule.tiers) if (tier.repId === undefined) put(tier, false);
  for (const tier of rule.tiers) if (tier.repId === repId) put(tier, true);
  const overridden = overrides
    .find((override) => override.repId === repId)
    ?.rules.find(({ ruleId }) => ruleId === rule.id);
  for (const override of overridden?.tiers ?? []) {
    const { tierIndex, rate = null, flatAmount = null, table = null, column = null, from = day, to = day } = override;
    const tier = byIndex.get(tierIndex);
    if (tier !== undefined && from <= day && day <= to)
      byIndex.set(tierIndex, { ...tier, rate, flatAmount, table, column, isOwn: true });
  }
  return [...byIndex.values()].sort((a, b) => a.minThreshold - b.minThreshold);
}

function ownTier({ tierIndex, name, minThreshold, rate, flatAmount, table, column }: Tier, isOwn: boolean): OwnTier {
  return {
    tierIndex,
    name: name ?? `Tier ${tierIndex + 1}`,
    minThreshold,
    rate: rate ?? null,
    flatAmount: flatAmount ?? null,
    table: table ?? null,
    column: column ?? null,
    isOwn,
  };
}
