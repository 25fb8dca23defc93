import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { creditKinds } from '../engine/credit-lines.js';
import { dealLineInput } from '../engine/deal-line-input.js';
import { rateTableInput } from '../engine/rate-table-input.js';
import { ramp } from '../people/ramps/ramp.js';
import { planConfig } from './plan.js';
import { type PlanTest, storedTests } from './plan-tests.js';

const dealFields = z.record(z.string(), z.union([z.string(), z.number()])).describe('Fields of the deal, by slug');

/** Example deals and what a plan made from the template pays on them; small enough to check by hand. */
const workedExample = z
  .object({
    assignment: z
      .object({
        effectiveStart: z.string().describe('First day, YYYY-MM-DD'),
        effectiveEnd: z.string().describe('Last day, YYYY-MM-DD'),
        ramp: z.object({ steps: ramp.shape.steps }).optional().describe('Ramp of the assignment; absent without one'),
      })
      .optional()
      .describe("The days of the rep's assignment; absent if it is unbounded"),
    quotas: z
      .array(
        z
          .object({
            measure: z.string().describe('Name of the rule'),
            period: fields.period,
            target: z.number().describe('What counts as 100 %, in the unit of the measure'),
            variableTarget: z.number().optional().describe('Variable pay at 100 %, an amount of money'),
          })
          .describe('A quota'),
      )
      .describe('Quotas of the rep'),
    deals: z
      .array(
        z
          .object({
            dealId: fields.dealId,
            closeDate: fields.closeDate,
            amount: z.number().optional().describe('Amount of the deal'),
            stage: fields.stage.optional(),
            fields: dealFields.optional(),
            credits: z
              .array(
                z
                  .object({
                    rep: z.literal('rep').describe('The rep of the example, who does not own the deal'),
                    kind: z.enum(creditKinds).describe('split: a part of the deal; overlay: a credit in addition'),
                    role: z.string().describe('What the rep does on the deal'),
                    percent: z.number().describe('Percentage of the deal'),
                  })
                  .describe('A credit line'),
              )
              .optional()
              .describe('Credit lines of a deal that someone else owns; absent for a deal of the rep'),
            lines: z.array(dealLineInput).optional().describe('The products of the deal; absent if it has none'),
          })
          .describe('A deal'),
      )
      .describe('Deals in the format of a deal import. They belong to the rep, unless they have credit lines'),
    expected: z
      .array(
        z
          .object({
            earnedBy: z.enum(['rep', 'manager']).describe('Who earns the event: the owner of the deal or the manager'),
            dealId: z.string().describe('Id of the deal; of a periodic event, its period'),
            ruleName: fields.ruleName,
            tierName: fields.tierName.nullable(),
            amount: z.number().describe('Amount of the event'),
          })
          .describe('A commission event'),
      )
      .describe('All resulting events. A deal without an event does not qualify'),
    note: z.string().describe('How the amounts are computed'),
  })
  .describe('Example deals and what a plan made from the template pays for them');

export const planTemplate = z
  .object({
    templateId: z.string().describe('Id of the template, such as flat-commission'),
    name: z.string().describe('Name of the template'),
    description: z.string().describe('The plan in one sentence'),
    tables: z
      .array(rateTableInput)
      .optional()
      .describe('Rate tables that the rules name; store them by PUT /v1/rate-tables/:name before the plan'),
    planConfig: z
      .object({ config: planConfig, tests: storedTests.describe('The worked example as a test of the plan') })
      .describe('Body for POST /v1/plans, to which a name and effectiveStart are added'),
    workedExample,
  })
  .describe('A starter plan with a worked example');
export type PlanTemplate = z.input<typeof planTemplate>;
/** A template as it is written: its test follows from the worked example. */
export type WrittenTemplate = Omit<PlanTemplate, 'planConfig'> & Pick<PlanTemplate['planConfig'], 'config'>;

/** The template with its worked example as a test of the plan. */
export function withTest({
  templateId,
  name,
  description,
  tables,
  config,
  workedExample: example,
}: WrittenTemplate): PlanTemplate {
  const needed = tables === undefined ? {} : { tables };
  const tests = [{ ...toTest(example), ...needed }];
  return { templateId, name, description, ...needed, planConfig: { config, tests }, workedExample: example };
}

function toTest({ deals, quotas, assignment, expected }: PlanTemplate['workedExample']): PlanTest {
  const dealIds = new Set(deals.map(({ dealId }) => dealId));
  const hasManager = expected.some(({ earnedBy }) => earnedBy === 'manager');
  return {
    name: 'Worked example',
    deals: deals.map(({ credits, ...deal }) =>
      credits === undefined
        ? deal
        : { ...deal, rep: 'owner', credits: credits.map((line) => ({ ...line, affects: 'both' })) },
    ),
    ...(quotas.length === 0 ? {} : { quotas: quotas.map((quota) => ({ ...quota, rep: 'rep' })) }),
    ...(hasManager ? { managers: { rep: 'manager' } } : {}),
    ...(assignment === undefined ? {} : { assignment }),
    expected: expected.map(({ earnedBy, dealId, ruleName, amount }) => ({
      ...(dealIds.has(dealId) ? { dealId } : { period: dealId }),
      ruleName,
      ...(hasManager ? { rep: earnedBy } : {}),
      amount,
    })),
    total: expected.reduce((total, { amount }) => total + amount, 0),
  };
}

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

/** A won deal of someone else on which the rep has an overlay credit. */
export function supportedDeal(won: ExampleDeal, role: string, percent: number): ExampleDeal {
  return { ...won, credits: [{ rep: 'rep', kind: 'overlay', role, percent }] };
}
