import { z } from 'zod';
import { type PlanTerms, readPlanConfig } from '../engine/plan-config.js';
import { type Day, isDay } from '../kernel/day.js';
import { Failure, invalid } from '../kernel/failure.js';
import { planWarnings } from './plan-warnings.js';

export const planStatuses = ['draft', 'active', 'archived', 'deleted'] as const;
export type PlanStatus = (typeof planStatuses)[number];

/** A config in either documented shape. The engine validates its content. */
export const planConfig = z.record(z.string(), z.unknown());

export const fieldMapping = z.record(z.string().min(1).max(500), z.unknown());

const stretch = z.object({
  planVersionId: z.string(),
  version: z.int(),
  from: z.string().nullable().describe('First day; null for no earliest day'),
  to: z.string().nullable().describe('Last day; null for no end'),
});

export const planVersion = z.object({
  planId: z.string(),
  planVersionId: z.string(),
  id: z.string(),
  version: z.int(),
  name: z.string(),
  planStatus: z.enum(planStatuses).describe('Status of the plan; the plan pays only while it is active'),
  status: z.enum(planStatuses).describe('Status of this version or, while the plan is not active, of the plan'),
  versionStatus: z.enum(planStatuses).describe('Own status of this version, independent of that of the plan'),
  timeline: z
    .array(stretch)
    .describe('The days of each version that pays, earliest first; empty while the plan itself is not active'),
  inForce: stretch.nullable().describe('The part of the timeline that contains today; null if there is none'),
  effectiveStart: z.string().nullable(),
  effectiveEnd: z.string().nullable(),
  currency: z.string().nullable(),
  fieldMapping: z.record(z.string(), z.unknown()).nullable(),
  config: z.record(z.string(), z.unknown()),
  dealConditions: z.array(z.unknown()),
  rules: z.array(z.looseObject({ id: z.string(), name: z.string() })),
  assignedReps: z.array(z.object({ repId: z.string(), name: z.string() })),
  createdAt: z.string(),
});
export type PlanVersion = z.input<typeof planVersion>;

const carriedTier = z.object({
  repId: z.string(),
  repName: z.string(),
  ruleName: z.string(),
  tierIndex: z.int(),
  minThreshold: z.number(),
  rate: z.number().optional(),
  flatAmount: z.number().optional(),
});

/** A plan version in the response of the command that wrote it, with the warnings about the change. */
export const writtenPlan = planVersion.extend({
  warnings: planWarnings,
  overridesCarried: z
    .array(carriedTier)
    .optional()
    .describe('Per-rep tiers that were copied to the new version; present when the change created a version'),
  overridesDropped: z
    .array(carriedTier.extend({ reason: z.enum(['rule_removed', 'tier_changed']) }))
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

const planOverride = z.object({
  ruleId: z.string(),
  ruleName: z.string(),
  tiers: z.array(
    z.object({
      tierIndex: z.int(),
      minThreshold: z.number(),
      rate: z.number().optional(),
      flatAmount: z.number().optional(),
    }),
  ),
});

export const repOverrides = z.object({
  planVersionId: z.string(),
  repId: z.string(),
  repName: z.string(),
  rules: z.array(planOverride),
});

/** Parses a config in either shape; the failure lists every problem with its path. */
export function planTerms(config: unknown): PlanTerms {
  const read = readPlanConfig(config);
  if ('terms' in read) return read.terms;
  throw invalid(
    ...(read.issues.map((issue) => ({ ...issue, path: `config.${issue.path}` })) as [(typeof read.issues)[0]]),
  );
}

/** A cascade may also depend on a rule of another plan. A name that no plan has is rejected as a mistake. */
export function assertUpstreamKnown(terms: PlanTerms, rulesOfOtherPlans: ReadonlySet<string>): void {
  const own = new Set(terms.rules.map((rule) => rule.name));
  const index = terms.rules.findIndex(
    ({ dependsOn }) =>
      dependsOn !== undefined && dependsOn !== '_total' && !own.has(dependsOn) && !rulesOfOtherPlans.has(dependsOn),
  );
  if (index < 0) return;
  const { dependsOn } = terms.rules[index] as { dependsOn: string };
  throw invalid({
    path: `config.rules.${index}.dependsOn`,
    message: `no rule is named ${dependsOn}; use a rule of an existing plan, or _total`,
  });
}

export function assertDateOrder(start: Day | null, end: Day | null): void {
  if (start !== null && end !== null && end < start)
    throw invalid({ path: 'effectiveEnd', message: 'must not be before effectiveStart' });
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
