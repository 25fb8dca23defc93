import { z } from 'zod';

const dealFields = z.record(z.string(), z.union([z.string(), z.number()]));

/** Example deals and what a plan made from the template pays on them; small enough to check by hand. */
const workedExample = z.object({
  /** The days of the rep's assignment; without it, the assignment is unbounded. */
  assignment: z.object({ effectiveStart: z.string(), effectiveEnd: z.string() }).optional(),
  /** Quotas of the rep; `measure` is the name of the rule. */
  quotas: z.array(
    z.object({
      measure: z.string(),
      period: z.string(),
      target: z.number(),
      variableTarget: z.number().optional(),
    }),
  ),
  /** Deals of the rep, in the format of a deal import. */
  deals: z.array(
    z.object({
      dealId: z.string(),
      closeDate: z.string(),
      amount: z.number().optional(),
      stage: z.string().optional(),
      fields: dealFields.optional(),
    }),
  ),
  /** All resulting events. A deal without an event does not qualify. The dealId of a periodic event is its period. */
  expected: z.array(
    z.object({
      earnedBy: z.enum(['rep', 'manager']),
      dealId: z.string(),
      ruleName: z.string(),
      tierName: z.string().nullable(),
      amount: z.number(),
    }),
  ),
  note: z.string(),
});

export const planTemplate = z.object({
  templateId: z.string(),
  name: z.string(),
  description: z.string(),
  /** A plan body: add name and effectiveStart, and POST it to /v1/plans. */
  planConfig: z.object({ config: z.record(z.string(), z.unknown()) }),
  workedExample,
});
export type PlanTemplate = z.input<typeof planTemplate>;
type Expected = PlanTemplate['workedExample']['expected'][number];
type ExampleDeal = PlanTemplate['workedExample']['deals'][number];

/** Matches the won stage of any CRM: Won, Closed Won, closedwon. */
export const won = { field: 'stage', fieldType: 'status', operator: 'contains', value: 'won' };

export function rates(...tiers: readonly (readonly [minThreshold: number, rate: number, name: string])[]) {
  return tiers.map(([minThreshold, rate, name], tierIndex) => ({ tierIndex, minThreshold, rate, name }));
}

export function fixed(...tiers: readonly (readonly [minThreshold: number, flatAmount: number, name: string])[]) {
  return tiers.map(([minThreshold, flatAmount, name], tierIndex) => ({ tierIndex, minThreshold, flatAmount, name }));
}

export function wonDeal(dealId: string, closeDate: string, amount: number): ExampleDeal {
  return { dealId, closeDate, amount, stage: 'Closed Won' };
}

export function pays(
  dealId: string,
  ruleName: string,
  tierName: string | null,
  amount: number,
  earnedBy: Expected['earnedBy'] = 'rep',
): Expected {
  return { earnedBy, dealId, ruleName, tierName, amount };
}
