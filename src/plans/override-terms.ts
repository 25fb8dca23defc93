import { z } from 'zod';
import { payProblems, type Rule, rate, tableFields } from '../engine/plan-config.js';
import { findDayOrderIssue } from '../kernel/day-order.js';
import { Failure, invalid } from '../kernel/failure.js';
import { day, uuid } from '../platform/operations/schemas.js';
import { type PlanVersion } from './plan.js';

const tier = z
  .strictObject({
    tierIndex: z.int().min(0).describe('Position of the tier in the rule, from 0'),
    rate: rate.optional().describe('Share of the base: 0.08 is 8 %. Give rate or flatAmount'),
    flatAmount: z
      .number()
      .min(0)
      .max(1e12)
      .optional()
      .describe('Fixed amount instead of a rate, in the currency of the plan'),
    ...tableFields,
    from: day.optional().describe('First day of these terms, YYYY-MM-DD; absent: that of the version'),
    to: day.optional().describe('Last day of these terms, YYYY-MM-DD; absent: that of the version'),
  })
  .describe('The terms of one tier');

/** A rule with the tiers of which one rep has other terms. */
export const overriddenRule = z
  .strictObject({
    ruleId: uuid.describe('Id of the rule (UUID)'),
    tiers: z.array(tier).min(1).max(50).describe('Tiers with other terms; the others stay as in the plan'),
  })
  .describe('A rule with its tiers');

export interface Override {
  readonly rules: readonly z.output<typeof overriddenRule>[];
}

/** Rejects terms that name a rule or tier twice, or that the version does not have. `root` begins the paths of problems. */
export function assertOverrideFits(version: PlanVersion, override: Override, root: string): void {
  assertNamedOnce(override, root);
  assertTiersExist(version, override, root);
}

function assertNamedOnce(override: Override, root: string): void {
  const isRepeated = <T>(value: T, index: number, all: readonly T[]) => all.indexOf(value) < index;
  const rule = override.rules.map(({ ruleId }) => ruleId).findIndex(isRepeated);
  if (rule >= 0) throw invalid({ path: `${root}rules.${rule}.ruleId`, message: 'is listed more than once' });
  override.rules.forEach(({ tiers }, index) => {
    const tier = tiers.map(({ tierIndex }) => tierIndex).findIndex(isRepeated);
    if (tier >= 0)
      throw invalid({ path: `${root}rules.${index}.tiers.${tier}.tierIndex`, message: 'is listed more than once' });
  });
}

function assertTiersExist(version: PlanVersion, override: Override, root: string): void {
  override.rules.forEach(({ ruleId, tiers }, ruleIndex) => {
    const rule = version.rules.find((candidate) => candidate.id === ruleId) as
      | { payoutMode?: Rule['payoutMode']; tiers?: { tierIndex: number; repId?: string }[] }
      | undefined;
    if (rule === undefined)
      throw new Failure(
        'plan_rule_not_found',
        `The version has no rule ${ruleId}; rule ids change with every version.`,
      );
    const global = new Set(
      (rule.tiers ?? [])
        .filter((globalTier) => globalTier.repId === undefined)
        .map((globalTier) => globalTier.tierIndex),
    );
    tiers.forEach((overridden, tierPosition) => {
      const path = `${root}rules.${ruleIndex}.tiers.${tierPosition}`;
      if (!global.has(overridden.tierIndex))
        throw invalid({ path: `${path}.tierIndex`, message: 'must be the tierIndex of a tier of the rule' });
      const disorder = findDayOrderIssue(['from', overridden.from], ['to', overridden.to]);
      if (disorder !== null) throw invalid({ ...disorder, path: `${path}.${disorder.path}` });
      const [problem] = payProblems(overridden, rule);
      if (problem !== undefined) throw invalid({ path, message: problem });
    });
  });
}
