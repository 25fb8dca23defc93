import { describedPlanConfig } from '../engine/plan-config.js';
import { type JsonSchema, jsonSchemaOf } from '../platform/json-schema.js';
import { type PlanStatus } from './plan.js';

/** What agents are told of plans, in one wording for all tools. */
export const planWords = {
  planId: 'The plan (UUID, planId of list_plans)',
  planRef: 'planId of list_plans, or a planVersionId: either means the plan with its version in force',
  planVersionId: 'One version of a plan (UUID, planVersionId of list_plans or get_plan_history)',
  effectiveStart: 'First day that the plan pays, YYYY-MM-DD; null or nothing for no bound',
  effectiveEnd: 'Last day that the plan pays, YYYY-MM-DD; null or nothing for no bound',
  currency: 'ISO 4217 code such as EUR that the plan pays in; null for that of the workspace',
} as const;

/** Parts of a version that say its terms at length; `rules` and `dealConditions` are the config read, rule ids added. */
export const planTermParts = ['config', 'dealConditions', 'rules', 'fieldMapping'] as const;

export function saysPlan(plan: { planId: string; planVersionId: string; version: number; status: PlanStatus }): string {
  return `Plan ${plan.planId}, version ${plan.version} (${plan.planVersionId}), is ${plan.status}.`;
}

/** The codes only: messages name stages and fields, which others wrote. */
export function saysWarnings({ warnings }: { warnings: readonly { code: string }[] }): string {
  const codes = [...new Set(warnings.map(({ code }) => code))];
  return codes.length === 0 ? '' : ` Warnings to read in full and to show to the person: ${codes.join(', ')}.`;
}

let schema: JsonSchema | null = null;

/** The form of a plan's config, told field by field; made when first asked for. */
export function planConfigSchema(): JsonSchema {
  schema ??= jsonSchemaOf(describedPlanConfig, 'input');
  return schema;
}
