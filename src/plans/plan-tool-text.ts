import { describedPlanConfig } from '../engine/plan-config.js';
import { type JsonSchema, jsonSchemaOf } from '../platform/json-schema.js';
import { firstDay, lastDay } from '../platform/mcp/tool.js';
import { type PlanStatus } from './plan.js';

/** What agents are told of plans, in one wording for all tools. */
export const planArguments = {
  planId: 'The plan (UUID, planId of list_plans)',
  planRef: 'planId of list_plans for the plan and its version in force today, or a planVersionId for that version',
  planVersionId: 'One version of a plan (UUID, planVersionId of list_plans or get_plan_history)',
  effectiveStart: firstDay('First day that the plan pays'),
  effectiveEnd: lastDay('Last day that the plan pays'),
  currency: {
    description: 'ISO 4217 code such as EUR that the plan pays in, or "workspace" for the currency of the workspace',
    words: { workspace: null },
  },
} as const;

/** Parts of a version that say its terms at length; `rules` and `dealConditions` are the config read, rule ids added. */
export const planTermParts = ['config', 'dealConditions', 'rules', 'fieldMapping'] as const;

export function describePlan(plan: {
  planId: string;
  planVersionId: string;
  version: number;
  status: PlanStatus;
}): string {
  return `Plan ${plan.planId}, version ${plan.version} (${plan.planVersionId}), is ${plan.status}.`;
}

/** The codes only: messages name stages and fields, which others wrote. */
export function describeWarnings({ warnings }: { warnings: readonly { code: string }[] }): string {
  const codes = [...new Set(warnings.map(({ code }) => code))];
  return codes.length === 0 ? '' : ` Warnings to read in full and to show to the person: ${codes.join(', ')}.`;
}

let schema: JsonSchema | null = null;

/**
 * The schema of a config for the list of tools, which is in the context of every conversation: conditions and groups of
 * them in one form, described once. The resource commission://schema/plan-config has the whole schema.
 */
export function planConfigArgument(): JsonSchema {
  const whole = planConfigSchema() as unknown as PlanConfigSchema;
  const { dealConditions, rules } = whole.properties;
  const { conditions, ...ofRule } = rules.items.properties;
  return {
    ...whole,
    properties: {
      ...whole.properties,
      dealConditions: { ...dealConditions, items: briefCondition(dealConditions.items.anyOf[0]) },
      rules: {
        ...rules,
        items: { ...rules.items, properties: { ...ofRule, conditions: likeDealConditions(conditions) } },
      },
    },
  };
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

/** The form of a plan's config, told field by field; made when first asked for. */
export function planConfigSchema(): JsonSchema {
  schema ??= jsonSchemaOf(describedPlanConfig, 'input');
  return schema;
}
