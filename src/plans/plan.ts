import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import {
  describedPlanConfig,
  groupWithDifferentTerms,
  type PlanTerms,
  type Rule,
  readPlanConfig,
  ruleWithPartialSchedule,
} from '../engine/plan-config.js';
import { computePlanCost, maxPlanCost } from '../engine/plan-cost.js';
import { type PlanFx, planFx } from '../engine/plan-fx.js';
import { type Day, isDay } from '../kernel/day.js';
import { Failure, type Issue, invalid } from '../kernel/failure.js';
import { readValue } from '../kernel/invalid-values.js';
import { describedAs } from '../platform/json-schema.js';
import { wholeNumber } from '../platform/operations/schemas.js';
import { storedTests } from './plan-tests.js';
import { planWarnings } from './plan-warnings.js';

export const planStatuses = ['draft', 'active', 'archived', 'deleted'] as const;
export type PlanStatus = (typeof planStatuses)[number];

/** A config in either documented shape. The engine validates its content. */
export const planConfig = z
  .record(z.string(), z.unknown())
  .meta({ description: 'Conditions and rules of the plan', [describedAs]: 'PlanConfig' });

/** What the config is in the OpenAPI document. */
export const planConfigRecord = describedPlanConfig.describe(
  'Conditions and rules of a plan. Rules may also have the older shape, with baseField in place of measure and tiers of min, rate and amount',
);

export const fieldMapping = z
  .record(z.string().min(1).max(500), z.unknown())
  .meta({ description: 'Slugs that have another name in this plan: slug to CRM slug', example: { amount: 'acv' } });

const stretch = z
  .object({
    planVersionId: fields.planVersionId,
    version: fields.version,
    from: z.string().nullable().describe('First day, YYYY-MM-DD; null for no earliest day'),
    to: z.string().nullable().describe('Last day, YYYY-MM-DD; null for no end'),
  })
  .describe('Days on which one version is in force');

export const planVersion = z
  .object({
    planId: fields.planId,
    planVersionId: fields.planVersionId,
    id: z.string().describe('The same as planVersionId'),
    version: fields.version,
    name: z.string().describe('Name of the plan'),
    planStatus: z.enum(planStatuses).describe('Status of the plan; the plan pays only while it is active'),
    status: z.enum(planStatuses).describe('Status of this version or, while the plan is not active, of the plan'),
    versionStatus: z.enum(planStatuses).describe('Own status of this version, independent of that of the plan'),
    timeline: z
      .array(stretch)
      .describe('The days of each version that pays, earliest first; empty while the plan itself is not active'),
    inForce: stretch.nullable().describe('The part of the timeline that contains today; null if there is none'),
    effectiveStart: fields.effectiveStart.nullable(),
    effectiveEnd: fields.effectiveEnd.nullable(),
    currency: z
      .string()
      .nullable()
      .describe('Currency that the plan pays in, ISO 4217 code; null for the currency of the workspace'),
    fx: planFx.optional().describe(`${planFx.description}; absent if the plan converts nothing`),
    fieldMapping: fieldMapping.nullable(),
    config: planConfig.describe('The config as it was sent'),
    dealConditions: z.array(z.unknown()).describe('Conditions of the config, as the service reads them'),
    rules: z
      .array(
        z
          .looseObject({
            id: z.string().describe('Id of the rule (UUID)'),
            name: z.string().describe('Name of the rule'),
          })
          .describe('A rule with the fields of the config and its id'),
      )
      .describe('Rules of the config with their ids and defaults filled in'),
    tests: storedTests.describe('Tests that are stored with the version; empty for callers who do not see every plan'),
    acceptance: z
      .enum(['required', 'hold_pay'])
      .optional()
      .describe('required: people accept the version; hold_pay: what it pays waits for that too; absent for none'),
    assignedReps: z
      .array(
        z.object({ repId: fields.repId, name: z.string().describe('Name of the rep') }).describe('An assigned rep'),
      )
      .describe('Reps who are assigned to the plan today'),
    assignedCount: z.int().optional().describe('Number of assigned reps; with `assigned` only'),
    createdAt: fields.createdAt,
  })
  .describe('A plan version');
export type PlanVersion = z.input<typeof planVersion>;

/** How many of the assigned people a list of plans has: in a huge workspace, they are most of it. */
export const assignedQuery = wholeNumber(0, 10_000)
  .optional()
  .describe('Max number of assigned reps that each plan lists, 0 to 10000; all by default');

const tierTerms = {
  tierIndex: fields.tierIndex,
  minThreshold: fields.minThreshold,
  rate: fields.rate.optional(),
  flatAmount: fields.flatAmount.optional(),
  table: z.string().optional().describe('Rate table that says the rate'),
  column: z.string().optional().describe('Column of the table; absent where it has one'),
  from: z.string().optional().describe('First day of these terms, YYYY-MM-DD; absent: that of the version'),
  to: z.string().optional().describe('Last day of these terms, YYYY-MM-DD; absent: that of the version'),
};

const carriedTier = z
  .object({
    repId: fields.repId,
    repName: fields.repName,
    ruleName: fields.ruleName,
    ...tierTerms,
  })
  .describe('An override of one tier');

/** A plan version in the response of the command that wrote it, with the warnings about the change. */
export const writtenPlan = planVersion.extend({
  warnings: planWarnings,
  overridesCarried: z
    .array(carriedTier)
    .optional()
    .describe('Per-rep tiers that were copied to the new version; present when the change created a version'),
  overridesDropped: z
    .array(
      carriedTier
        .extend({
          reason: z
            .enum(['rule_removed', 'tier_changed'])
            .describe('Whether the rule no longer exists or the tier has changed'),
        })
        .describe('An override of one tier that was dropped'),
    )
    .optional()
    .describe('Per-rep tiers that no tier of the new version matches; present when the change created a version'),
  rolledBackTo: stretch
    .nullable()
    .optional()
    .describe(
      'Present when the change deactivated the version in force: the version that is in force instead; null if there is none',
    ),
});
export type WrittenPlan = z.input<typeof writtenPlan>;

const planOverride = z
  .object({
    ruleId: fields.ruleId,
    ruleName: fields.ruleName,
    tiers: z
      .array(z.object(tierTerms).describe('A tier with its terms for the rep'))
      .describe('The tiers with other terms'),
  })
  .describe('A rule with the tiers of one rep');

export const repOverrides = z
  .object({
    planVersionId: fields.planVersionId,
    repId: fields.repId,
    repName: fields.repName,
    rules: z.array(planOverride).describe('The rules with other terms'),
  })
  .describe('The overrides of one rep in a plan version');

/** Parses a config in either shape; the failure lists every problem with its path. */
export function planTerms(config: unknown): PlanTerms {
  assertPlanCost(config);
  const read = readPlanConfig(config);
  if ('terms' in read) {
    assertGroupTerms(read.terms.rules);
    assertSchedules(read.terms.rules);
    return read.terms;
  }
  throw invalid(
    ...(read.issues.map((issue) => ({ ...issue, path: `config.${issue.path}` })) as [(typeof read.issues)[0]]),
  );
}

function assertGroupTerms(rules: PlanTerms['rules']): void {
  const group = groupWithDifferentTerms(rules);
  if (group === null) return;
  throw new Failure(
    'group_terms_differ',
    `The rules of the quota group ${group} share one quota. Give them the same quotaProration and the same calendar.`,
    { quotaGroup: group },
  );
}

function assertSchedules(rules: PlanTerms['rules']): void {
  const ruleName = ruleWithPartialSchedule(rules);
  if (ruleName === null) return;
  throw new Failure(
    'schedule_must_total_100',
    `The percents of the payout schedule of ${ruleName} must add up to 100.`,
    {
      ruleName,
    },
  );
}

function assertPlanCost(config: unknown): void {
  const cost = computePlanCost(config);
  if (cost <= maxPlanCost) return;
  throw new Failure(
    'plan_too_complex',
    `One deal under this plan needs ${cost} comparisons, but at most ${maxPlanCost} are allowed. Use fewer conditions, rules or values; conditions of the plan count once for each rule.`,
    { cost, limit: maxPlanCost },
  );
}

/** How a plan file converts, or every problem. */
export function readPlanFx(fx: unknown): { readonly value: PlanFx | null } | { readonly issues: readonly Issue[] } {
  return readValue(planFx.nullable(), fx, ['fx']);
}

/** The dates in a request; undefined if absent, null for no bound. */
export interface RequestedDates {
  readonly effectiveStart?: Day | null | undefined;
  readonly effectiveEnd?: Day | null | undefined;
}

/** The dates of the request, and those in its config, which count as dates of the request. */
export function requestedDates(
  request: RequestedDates & { readonly config?: Readonly<Record<string, unknown>> | undefined },
): RequestedDates {
  return {
    effectiveStart: requestedDate('effectiveStart', request),
    effectiveEnd: requestedDate('effectiveEnd', request),
  };
}

function requestedDate(
  key: 'effectiveStart' | 'effectiveEnd',
  request: RequestedDates & { readonly config?: Readonly<Record<string, unknown>> | undefined },
): Day | null | undefined {
  const own = request[key];
  const inConfig = request.config?.[key];
  if (inConfig === undefined) return own;
  if (inConfig === null) return own === undefined ? null : own;
  const path = `config.${key}`;
  if (typeof inConfig !== 'string' || !isDay(inConfig))
    throw invalid({ path, message: 'must be a calendar day, YYYY-MM-DD' });
  if (own === undefined || own === inConfig) return inConfig;
  throw invalid({
    path,
    message: `is ${inConfig}, but ${key} of the request is ${own}; send one of them, or both with the same value`,
  });
}

/** The config as sent, with the version number and dates that it names replaced by those of the version. */
export function storedConfig(
  config: Readonly<Record<string, unknown>>,
  version: { readonly version: number; readonly effectiveStart: Day | null; readonly effectiveEnd: Day | null },
): Record<string, unknown> {
  const stored = { ...config };
  for (const key of ['version', 'effectiveStart', 'effectiveEnd'] as const)
    if (Object.hasOwn(config, key)) stored[key] = version[key];
  return stored;
}

/** Mapping values must be slugs. The close date cannot be mapped per plan, because it decides the period. */
export function assertFieldMapping(mapping: Readonly<Record<string, unknown>> | null): void {
  const flat =
    mapping === null
      ? []
      : Object.entries(mapping).flatMap(([key, value]) =>
          (key === 'standard' || key === 'measures') && typeof value === 'object' && value !== null
            ? Object.entries(value)
            : [[key, value] as const],
        );
  for (const [key, value] of flat) {
    if (['closeDate', 'close_date', 'closedate'].includes(key))
      throw invalid({ path: `fieldMapping.${key}`, message: 'the close date cannot be mapped per plan' });
    if (typeof value !== 'string' || value.length === 0 || value.length > 500)
      throw invalid({ path: `fieldMapping.${key}`, message: 'must be a field slug' });
  }
}

export function planNotFound(): Failure {
  return new Failure('plan_not_found', 'There is no such plan or plan version in this workspace.');
}

/** The threshold that a tier of the rule has for reps without their own tiers. */
export function findThreshold(rule: Rule, tierIndex: number): number | undefined {
  return rule.tiers.find((tier) => tier.tierIndex === tierIndex && tier.repId === undefined)?.minThreshold;
}
