import { hashKey } from '@tanstack/react-query';
import type { Condition, Group, Leaf } from '#src/engine/condition.js';
import type { Rule, Tier } from '#src/engine/plan-config.js';
import { type Answer } from '../../api/client.js';
import { type Plan } from '../../api/queries.js';
import { listRules } from './rules.js';
import { teamEarnings } from './words.js';

export type { Condition, Group, Leaf, Rule, Tier };
export type PlanTemplate = Answer<'listPlanTemplates'>[number];

export interface DraftTerms {
  readonly dealConditions: readonly Condition[];
  readonly rules: readonly Rule[];
}

/** A made-up deal of a plan test, and what else a test has. */
export interface PlanTest {
  readonly name: string;
  readonly deals: readonly Readonly<Record<string, unknown>>[];
  readonly quotas?: readonly Readonly<Record<string, unknown>>[];
  readonly expected: readonly Readonly<Record<string, unknown>>[];
  readonly total?: number;
  readonly tables?: readonly TestTable[];
  readonly [other: string]: unknown;
}

/** A rate table as a test has it. */
interface TestTable {
  readonly name: string;
}

/** The tables that the rules name and the test does not have. */
export function missingTables({ terms, tests }: Pick<Draft, 'terms' | 'tests'>): readonly string[] {
  if (tests.length === 0) return [];
  const named = [...new Set(terms.rules.flatMap(({ tiers }) => tiers.flatMap(({ table }) => table ?? [])))];
  return named.filter((name) => tests.some((test) => !hasTable(test, name)));
}

function hasTable({ tables = [] }: PlanTest, name: string): boolean {
  return tables.some((table) => table.name.toLowerCase() === name.toLowerCase());
}

/** The tests with tables that they lack, since stored ones do not count in a test. */
export function withTables(tests: readonly PlanTest[], tables: readonly TestTable[]): readonly PlanTest[] {
  return tests.map((test) => {
    const missing = tables.filter(({ name }) => !hasTable(test, name));
    return missing.length === 0 ? test : { ...test, tables: [...(test.tables ?? []), ...missing] };
  });
}

export type PlanFx = NonNullable<Plan['fx']>;

/** The plan as it is edited. */
export interface Draft {
  readonly name: string;
  readonly terms: DraftTerms;
  readonly effectiveStart: string | null;
  readonly effectiveEnd: string | null;
  readonly currency: string | null;
  /** How deals in other currencies are converted; absent if they pay nothing. */
  readonly fx?: PlanFx | undefined;
  /** Slugs that have another name in this plan. */
  readonly fieldMapping: Readonly<Record<string, unknown>> | null;
  readonly tests: readonly PlanTest[];
}

export function toDraft(plan: Plan): Draft {
  const { name, dealConditions, effectiveStart, effectiveEnd, currency, fx, fieldMapping, tests } = plan;
  return {
    name,
    terms: {
      dealConditions: dealConditions as readonly Condition[],
      rules: listRules(plan).map(({ id: _, ...rule }) => rule),
    },
    effectiveStart,
    effectiveEnd,
    currency,
    ...(fx === undefined ? {} : { fx }),
    fieldMapping,
    tests: tests as unknown as readonly PlanTest[],
  };
}

/** A new plan with the terms of another. Its days and the tiers of single people stay with the other plan. */
export function copyOfPlan(plan: Plan): Draft {
  const draft = toDraft(plan);
  const rules = draft.terms.rules.map((rule) => ({
    ...rule,
    tiers: rule.tiers.filter(({ repId }) => repId === undefined),
  }));
  return {
    ...draft,
    name: `Copy of ${plan.name}`,
    terms: { ...draft.terms, rules },
    effectiveStart: null,
    effectiveEnd: null,
  };
}

export const won: Leaf = { field: 'stage', fieldType: 'status', operator: 'contains', value: 'won' };

export function newRule(name: string): Rule {
  return {
    name,
    measure: 'amount',
    executionPhase: 'per_deal',
    attainmentPeriod: 'quarterly',
    tierBy: 'attainment',
    tierMode: 'full_rate',
    payoutMode: 'rate',
    conditions: [],
    tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0 }],
  };
}

/** The terms with the conditions of the plan on every rule but this one, which no deal has to meet. */
export function withMovedConditions({ dealConditions, rules }: DraftTerms, exempt: Rule): DraftTerms {
  return {
    dealConditions: [],
    rules: rules.map((rule) =>
      rule === exempt ? rule : { ...rule, conditions: [...dealConditions, ...rule.conditions] },
    ),
  };
}

/** The wish, or the wish with a number that no other has. */
export function freeName(others: readonly { readonly name: string }[], wish: string): string {
  const names = new Set(others.map(({ name }) => name));
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? wish : `${wish} ${count}`;
    if (!names.has(name)) return name;
  }
}

/** The terms as a config. */
export function toConfig({ dealConditions, rules }: DraftTerms): Record<string, unknown> {
  return {
    ...(dealConditions.length === 0 ? {} : { dealConditions }),
    rules: rules.map(({ conditions, tiers, ...rule }) => ({
      ...rule,
      ...(conditions.length === 0 ? {} : { conditions }),
      tiers: numbered(tiers),
    })),
  };
}

/** Tiers of everyone are numbered in their order; those of one person keep the number that they replace. */
export function numbered(tiers: readonly Tier[]): readonly Tier[] {
  let next = 0;
  return tiers.map((tier) => {
    if (tier.repId !== undefined) return tier;
    const tierIndex = next;
    next += 1;
    return { ...tier, tierIndex };
  });
}

/** A rule or a tier with other values; undefined removes a field. */
export function withChange<Of extends Rule | Tier>(before: Of, change: Partial<Of>): Of {
  const fields = Object.entries({ ...before, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields) as unknown as Of;
}

/** Whether the content is the same, whatever the order of the fields: a field that is emptied and filled in moves. */
export function isSame(left: unknown, other: unknown): boolean {
  return hashKey([left]) === hashKey([other]);
}

/** The rules of a config in either shape, with the defaults and the clawback of the plan that the service fills in. */
export function toTerms(config: Readonly<Record<string, unknown>>): DraftTerms {
  const rules = (Array.isArray(config['rules']) ? config['rules'] : []) as Readonly<Record<string, unknown>>[];
  const ofPlan = {
    attainmentPeriod: (config['quotaPeriod'] ?? 'quarterly') as Rule['attainmentPeriod'],
    ...(config['clawback'] == null ? {} : { clawback: config['clawback'] as NonNullable<Rule['clawback']> }),
  };
  return {
    dealConditions: (config['dealConditions'] ?? []) as readonly Condition[],
    rules: rules.map((rule, index) => toRule(rule, index, ofPlan)),
  };
}

function toRule(raw: Readonly<Record<string, unknown>>, index: number, ofPlan: Partial<Rule>): Rule {
  const { baseField, tiers, tierBy, ...rest } = raw;
  const isNamed = tierBy === undefined || tierBy === 'attainment' || tierBy === 'rank' || tierBy === 'value';
  return {
    ...newRule(`Rule ${index + 1}`),
    ...(raw['executionPhase'] === 'cascade' ? { measure: teamEarnings } : {}),
    ...ofPlan,
    ...(baseField === undefined ? {} : { measure: String(baseField) }),
    ...(isNamed ? {} : { tierValueField: String(tierBy) }),
    ...(tierBy === undefined ? {} : { tierBy: isNamed ? tierBy : 'value' }),
    ...rest,
    tiers: (Array.isArray(tiers) ? tiers : []).map(toTier),
  } as Rule;
}

function toTier(raw: Readonly<Record<string, unknown>>, index: number): Tier {
  const { min, amount, ...rest } = raw;
  return {
    tierIndex: index,
    minThreshold: (min ?? 0) as number,
    ...(amount === undefined ? {} : { flatAmount: amount }),
    ...rest,
  } as Tier;
}

/** What a request for a new version contains. */
export function toChange({ terms, effectiveStart, effectiveEnd, currency, fx, fieldMapping, tests }: Draft) {
  const config = toConfig(terms);
  return { config, effectiveStart, effectiveEnd, currency, fx: fx ?? null, fieldMapping, tests: tests as never };
}
