import { describedPlanConfig } from '../engine/plan-config.js';
import { type JsonSchema, toJsonSchema } from '../platform/json-schema.js';
import { type DescribedArgument, firstDay, lastDay } from '../platform/mcp/tool.js';
import { type PlanVersion } from './plan.js';

/** Argument descriptions that all plan tools share. */
export const planArguments = {
  planId: 'The plan (UUID, planId of list_plans)',
  planRef: 'planId of list_plans (its version in force today), or a planVersionId',
  planVersionId: 'One version of a plan (UUID, planVersionId of list_plans or get_plan_history)',
  effectiveStart: firstDay('First day that the plan pays'),
  effectiveEnd: lastDay('Last day that the plan pays'),
  currency: {
    description: 'ISO 4217 code that the plan pays in, or "workspace"',
    keywords: { workspace: null },
  },
  fx: {
    description:
      'Converts other currencies: {date: close_date | period_start | period_end | fixed, day?, table?}, or "none"',
    keywords: { none: null },
    schema: () => ({ type: 'object' }),
  },
} as const;

/** The whole schema of tests would be as long as that of a config. */
export const planTestsArgument: DescribedArgument = {
  description:
    'Tests, each {name, deals: [{dealId, closeDate, amount, stage, rep}], quotas: [{measure, period, target}], managers: {rep: manager}, expected: [{ruleName, dealId, amount}], total}',
  schema: () => ({ type: 'array', items: { type: 'object' } }),
};

export const briefTestsArgument: DescribedArgument = {
  ...planTestsArgument,
  description: 'Tests to store, as in run_plan_tests',
};

/** The long parts of a version. `rules` and `dealConditions` are the parsed config with rule ids. */
export const planTermParts = ['config', 'dealConditions', 'rules', 'tests', 'fieldMapping'] as const;

export function describePlan(
  plan: Pick<PlanVersion, 'planId' | 'planVersionId' | 'version' | 'status' | 'timeline' | 'inForce'>,
): string {
  const { planId, planVersionId, version, status, timeline, inForce } = plan;
  const isNow = inForce?.planVersionId === planVersionId;
  const days = isNow ? undefined : timeline.find((stretch) => stretch.planVersionId === planVersionId);
  const state = days === undefined ? status : `in force ${formatDays(days)}`;
  return `Plan ${planId}, version ${version} (${planVersionId}), is ${state}.`;
}

function formatDays({ from, to }: PlanVersion['timeline'][number]): string {
  return [...(from === null ? [] : [`from ${from}`]), ...(to === null ? [] : [`to ${to}`])].join(' ');
}

/** Warning codes only: messages quote stages and fields, which are untrusted text. */
export function describeWarnings({ warnings }: { warnings: readonly { code: string }[] }): string {
  const codes = [...new Set(warnings.map(({ code }) => code))];
  return codes.length === 0 ? '' : ` Read these warnings in full and show them to the person: ${codes.join(', ')}.`;
}

let schema: JsonSchema | null = null;

/**
 * The schema of a config for the list of tools, which every conversation holds in its context: conditions and groups
 * share one form, described once. The resource commission://schema/plan-config has the whole schema.
 */
export function planConfigArgument(): JsonSchema {
  const whole = planConfigSchema() as unknown as PlanConfigSchema;
  const { dealConditions, rules } = whole.properties;
  // cap and floor are deprecated; they stay valid, but models should not choose them.
  const { conditions, quotaCredit, cap: _cap, floor: _floor, ...ofRule } = rules.items.properties;
  return {
    ...whole,
    properties: {
      ...whole.properties,
      dealConditions: { ...dealConditions, items: briefCondition(dealConditions.items.anyOf[0]) },
      rules: {
        ...rules,
        items: {
          ...rules.items,
          properties: { ...ofRule, quotaCredit: creditList(quotaCredit), conditions: likeDealConditions(conditions) },
        },
      },
    },
  };
}

function creditList(credit: JsonSchema | undefined): JsonSchema {
  const description = `${credit?.['description']}: [{field, weight}]`;
  return { type: 'array', items: { type: 'object' }, description };
}

function likeDealConditions(conditions: JsonSchema | undefined): JsonSchema {
  const description = `${conditions?.['description']}. As in dealConditions`;
  return { type: 'array', items: { type: 'object' }, description };
}

function briefCondition(leaf: LeafSchema): JsonSchema {
  const { operator, ...others } = leaf.properties;
  return {
    ...leaf,
    properties: {
      ...others,
      operator: {
        ...operator,
        enum: [...operator.enum, 'and', 'or'],
        description: `${operator['description']}. and, or: a group of the conditions in rules`,
      },
      rules: {
        type: 'array',
        items: { type: 'object' },
        description: 'Of a group: its conditions, each with field, fieldType, operator and value',
      },
    },
    required: ['operator'],
  };
}

interface LeafSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>> & {
    readonly operator: JsonSchema & { readonly enum: readonly string[] };
  };
}

interface PlanConfigSchema {
  readonly properties: {
    readonly dealConditions: JsonSchema & { readonly items: { readonly anyOf: readonly [LeafSchema, JsonSchema] } };
    readonly rules: { readonly items: { readonly properties: Readonly<Record<string, JsonSchema>> } };
  };
}

/** The JSON schema of a plan's config with a description of each field; created on first use. */
export function planConfigSchema(): JsonSchema {
  schema ??= toJsonSchema(describedPlanConfig, 'input');
  return schema;
}
