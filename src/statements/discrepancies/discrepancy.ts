import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { personBehindKey } from '../../people/reps/author.js';
import { trueUpLine } from '../true-up-line.js';

export const discrepancyStatuses = ['open', 'dismissed', 'resolved'] as const;
export const resolutions = ['true_up', 'carry_forward', 'dismiss'] as const;

export function discrepancyNotFound(): Failure {
  return new Failure('discrepancy_not_found', 'There is no discrepancy with this id in this workspace.');
}

const otherDeltas = z
  .array(
    z
      .object({ currency: fields.currency, delta: z.number().describe('Difference in this currency') })
      .describe('Delta of one currency'),
  )
  .describe(
    'What the period owes in other currencies: true_up and carry_forward pay them too. Each has its own discrepancy',
  );

/** The difference of an approved statement in short. */
export const owed = z
  .object({
    discrepancyId: z.string().describe('Id of the discrepancy (UUID)'),
    status: z.enum(['open', 'dismissed']).describe('open: a person has not decided; dismissed: it is not paid'),
    currency: fields.currency,
    delta: z.number().describe('What is not paid yet, in `currency`; negative if too much was paid'),
    otherCurrencies: otherDeltas,
    since: z.string().describe('When the difference appeared, instant in ISO 8601'),
  })
  .describe('What the approved statement owes after later changes. Absent if nothing');

export const discrepancy = z
  .object({
    discrepancyId: z.string().describe('Id of the discrepancy (UUID)'),
    repId: fields.repId,
    repName: fields.repName,
    period: fields.period.describe('The approved period'),
    status: z
      .enum(discrepancyStatuses)
      .describe('dismissed becomes open again when the delta changes; resolved is final'),
    currency: fields.currency,
    approved: z.number().describe('Net payout of the approved statement in `currency`'),
    carriedForward: z.number().describe('What later periods have paid for this one'),
    live: z.number().describe('What the period would pay if no period were approved'),
    delta: z.number().describe('live - approved - carriedForward; the last delta of a resolved discrepancy'),
    otherCurrencies: otherDeltas,
    lines: z.array(trueUpLine).describe('The largest differences by deal and rule, at most 100'),
    lineCount: z.int().describe('Number of all lines'),
    causes: z
      .array(
        z
          .object({
            kind: z
              .string()
              .describe('What triggered the calculation, such as deal_change, plan_change or quota_change'),
            at: z.string().describe('When the change was calculated, instant in ISO 8601'),
            what: z.string().describe('What changed, such as a deal'),
          })
          .describe('A change that changed the delta'),
      )
      .describe('The latest changes that changed the delta, oldest first'),
    since: z.string().describe('When the difference appeared, instant in ISO 8601'),
    updatedAt: fields.updatedAt,
    resolution: z
      .object({
        action: z
          .enum([...resolutions, 'cleared', 'unlocked'])
          .describe('cleared: the delta became 0; unlocked: the statement was opened again'),
        reason: z.string().nullable().describe('Reason in the words of who resolved it; null for none'),
        by: personBehindKey.nullable().describe('Who resolved it; null if the delta became 0'),
        at: z.string().describe('When it was resolved, instant in ISO 8601'),
        eventId: z.string().nullable().describe('Id of the commission event that pays it (UUID); null for none'),
      })
      .nullable()
      .describe('How it was resolved; null while it is open'),
  })
  .describe('The difference between an approved statement and a new calculation of its period, in one currency');
export type Discrepancy = z.input<typeof discrepancy>;

export const discrepancyExample = {
  discrepancyId: sampleIds.discrepancyId,
  repId: sampleIds.repId,
  repName: 'Ben',
  period: '2026-01',
  status: 'open',
  currency: 'USD',
  approved: 4800,
  carriedForward: 0,
  live: 5420,
  delta: 620,
  otherCurrencies: [],
  lines: [
    {
      dealId: sampleIds.dealId,
      dealName: 'Acme renewal',
      planId: sampleIds.planId,
      ruleName: 'New business',
      approved: 0,
      live: 620,
      delta: 620,
      currency: 'USD',
    },
  ],
  lineCount: 1,
  causes: [{ kind: 'deal_change', at: '2026-02-11T08:30:00.000Z', what: 'Deal D-1' }],
  since: '2026-02-11T08:30:01.000Z',
  updatedAt: '2026-02-11T08:30:01.000Z',
  resolution: null,
} as const;
