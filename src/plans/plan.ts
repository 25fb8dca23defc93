import { z } from 'zod';
import { type PlanTerms, readPlanConfig } from '../engine/plan-config.js';
import { type Day } from '../kernel/day.js';
import { Failure, invalid } from '../kernel/failure.js';
import { planWarnings } from './plan-warnings.js';

export const planStatuses = ['draft', 'active', 'archived', 'deleted'] as const;
export type PlanStatus = (typeof planStatuses)[number];

/** Either documented shape; what it must hold is checked by the engine, which knows. */
export const planConfig = z.record(z.string(), z.unknown());

export const fieldMapping = z.record(z.string().min(1).max(500), z.unknown());

export const planVersion = z.object({
  planId: z.string(),
  planVersionId: z.string(),
  id: z.string(),
  version: z.int(),
  name: z.string(),
  status: z.enum(planStatuses),
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

/** A version as the commands answer that write it. */
export const writtenPlan = planVersion.extend({ warnings: planWarnings });
export type WrittenPlan = z.input<typeof writtenPlan>;

export const planOverride = z.object({
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

/** The terms of a config in either shape; every problem named with its path. */
export function planTerms(config: unknown): PlanTerms {
  const read = readPlanConfig(config);
  if ('terms' in read) return read.terms;
  throw invalid(
    ...(read.issues.map((issue) => ({ ...issue, path: `config.${issue.path}` })) as [(typeof read.issues)[0]]),
  );
}

/** A cascade may also depend on a rule of another plan; a name that no plan knows is a slip of the pen. */
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
    message: `no rule is named ${dependsOn}; use a rule of a plan that exists, or _total`,
  });
}

export function assertDateOrder(start: Day | null, end: Day | null): void {
  if (start !== null && end !== null && end < start)
    throw invalid({ path: 'effectiveEnd', message: 'must not lie before effectiveStart' });
}

/** Mapping values must be slugs, and the close date is the same for every plan: it decides the period. */
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
