import { describedPlanConfig } from '../engine/plan-config.js';
import { type JsonSchema, toJsonSchema } from '../platform/json-schema.js';
import { type DescribedArgument, firstDay, lastDay } from '../platform/mcp/tool.js';
import { type PlanVersion } from './plan.js';

/** Argument descriptions that all plan tools share. */
export const planArguments = {
  planId: 'The plan (planId of list_plans)',
  planRef: 'planId of list_plans (its version in force today), or a planVersionId',
  planVersionId: 'One version',
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
    'Each {name, deals: [{dealId, closeDate, amount, stage, rep}], quotas: [{measure, period, target}], managers: {rep: manager}, expected: [{ruleName, dealId, amount}], total}',
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
 * The schema of a config for the list of tools, which every conversation holds in its context: what most plans leave
 * out, and conditions, whose values have no single type, are described in words. The resource
 * commission://schema/plan-config has the whole schema.
 */
export function planConfigArgument(): JsonSchema {
  const whole = planConfigSchema() as unknown as PlanConfigSchema;
  const { dealConditions, clawback: ofPlan, rules } = whole.properties;
  // cap and floor are deprecated; they stay valid, but models should not choose them.
  const { conditions, quotaCredit, clawback, payout, cap: _cap, floor: _floor, ...others } = rules.items.properties;
  const common = Object.fromEntries(Object.entries(others).filter(([name]) => !rarelySet.has(name)));
  const inWords = {
    conditions: listInWords(`${conditions?.['description']}. As in dealConditions`),
    lines: objectInWords(
      'Pays the lines of deals: {conditions: as in dealConditions}, or {} for all lines; measure may then be line.amount',
    ),
    quotaCredit: listInWords(`${quotaCredit?.['description']}: [{field, weight}]`),
    clawback: objectInWords(`${clawback?.['description']}`),
    payout: objectInWords(
      `${payout?.['description']}: {schedule: [{on, percent, offsetDays?}]}, where on is close, paid, paid_in_full or the slug of a date, or {parts, everyMonths}`,
    ),
  };
  const described = {
    ...whole,
    properties: {
      ...whole.properties,
      clawback: objectInWords(
        `${ofPlan['description']}: {window: {from: close_date or the slug of a date, days}, steps: [{untilDay, percent}], declining: true, credit: refund_period | none, causes: [cancellation, refund, non_payment]}`,
      ),
      dealConditions: listInWords(
        `${dealConditions['description']}. ${conditionInWords(dealConditions.items.anyOf[0])}`,
      ),
      rules: {
        ...rules,
        description: `${rules['description']}. Also ${[...rarelySet].join(', ')}: see commission://schema/plan-config`,
        items: { ...rules.items, properties: { ...common, ...inWords } },
      },
    },
  };
  // Agents call list_fields.
  return JSON.parse(JSON.stringify(described).replaceAll(' (GET /v1/fields)', ''));
}

/** Fields that few plans have: they are named, and the resource describes them. */
const rarelySet: ReadonlySet<string> = new Set([
  'calendar',
  'creditKinds',
  'creditRoles',
  'effectiveEnd',
  'effectiveStart',
  'flatPer',
  'floorAttainment',
  'quotaGroup',
  'quotaMeasure',
  'quotaProration',
]);

function listInWords(description: string): JsonSchema {
  return { type: 'array', items: { type: 'object' }, description };
}

function objectInWords(description: string): JsonSchema {
  return { type: 'object', description };
}

function conditionInWords({ properties: { field, fieldType, operator, value } }: LeafSchema): string {
  return [
    'Each {field, fieldType, operator, value}, or a group {operator: and | or, rules: [conditions]}',
    `field: ${field['description']}`,
    `fieldType: ${(fieldType['enum'] as readonly string[]).join(', ')}`,
    `operator: ${(operator['enum'] as readonly string[]).join(', ')}. ${operator['description']}`,
    `value: ${value['description']}`,
  ].join('. ');
}

interface LeafSchema {
  readonly properties: Readonly<Record<'field' | 'fieldType' | 'operator' | 'value', JsonSchema>>;
}

interface PlanConfigSchema {
  readonly properties: {
    readonly clawback: JsonSchema;
    readonly dealConditions: JsonSchema & { readonly items: { readonly anyOf: readonly [LeafSchema, JsonSchema] } };
    readonly rules: JsonSchema & { readonly items: { readonly properties: Readonly<Record<string, JsonSchema>> } };
  };
}

/** The JSON schema of a plan's config with a description of each field; created on first use. */
export function planConfigSchema(): JsonSchema {
  schema ??= toJsonSchema(describedPlanConfig, 'input');
  return schema;
}
