import { countParts, isFormula } from './formula.js';

/** Max cost of a plan. 1,000 deals under such a plan take about a second of calculation. */
export const maxPlanCost = 5_000;

/** Comparing with a set of this many values costs about as much as one more condition. */
const valuesPerUnit = 50;
const tiersPerUnit = 10;
/** A deal has several lines, each of which is compared, computed and looked up. */
const costOfLine = 5;

/**
 * The cost of one deal under a plan, in comparisons: every rule evaluates and records the conditions of the plan and
 * its own. Takes a config before it is validated too, so that an expensive one is rejected before any other work.
 */
export function computePlanCost(plan: unknown): number {
  const shared = conditionsCost(property(plan, 'dealConditions'));
  let cost = 0;
  for (const rule of toList(property(plan, 'rules'))) {
    const tiers = toList(property(rule, 'tiers')).length;
    const credits = toList(property(rule, 'quotaCredit')).length;
    const lines = property(rule, 'lines');
    const formulas = formulaCost([property(rule, 'measure'), property(rule, 'payoutBase')]);
    cost += 1 + shared + conditionsCost(property(rule, 'conditions')) + credits + Math.floor(tiers / tiersPerUnit);
    cost += lines === undefined ? formulas : costOfLine * (formulas + conditionsCost(property(lines, 'conditions')));
    cost += costOfLine * countTables(rule);
  }
  return cost;
}

/** The tables that the tiers name; each is looked up by its keys. */
function countTables(rule: unknown): number {
  const tables = toList(property(rule, 'tiers')).map((tier) => property(tier, 'table'));
  return new Set(tables.filter((table) => table !== undefined)).size;
}

function conditionsCost(conditions: unknown): number {
  let cost = 0;
  for (const condition of toList(conditions)) {
    const leaves = property(condition, 'rules');
    if (Array.isArray(leaves)) for (const leaf of leaves) cost += leafCost(leaf);
    else cost += leafCost(condition);
  }
  return cost;
}

function leafCost(leaf: unknown): number {
  return (
    1 + Math.floor(toList(property(leaf, 'value')).length / valuesPerUnit) + formulaCost([property(leaf, 'field')])
  );
}

/** A part of a formula costs less than a comparison. */
function formulaCost(slugs: readonly unknown[]): number {
  const parts = slugs.map((slug) => (typeof slug === 'string' && isFormula(slug) ? countParts(slug) : 0));
  return parts.reduce((sum, count) => sum + count, 0);
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
