import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { Decimal } from '../../kernel/decimal.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { type ProratedQuota } from '../../ledger/input/prorated-quotas.js';
import { explainProration, proration, toProrationResponse } from './proration.js';

/** What has counted towards a quota, or its share of the target. */
export function countedCredit(field: 'credit' | 'attainment') {
  return fields[field].describe(
    `${fields[field].description}; 0 until periodic rules count, if only they do: \`countsAtEnd\` is what they have collected`,
  );
}

/** Where only periodic rules count, which do so once, when the attainment period has ended. */
export const runningFields = {
  countsAtEnd: z
    .number()
    .optional()
    .describe(
      'Present while only periodic rules count: the credit that they have collected so far, which counts when the attainment period ends; 0 with `uncounted`',
    ),
  uncounted: z
    .string()
    .optional()
    .describe(
      'Why the periodic rules would count nothing, as a reason such as variable_target_missing; too_many_deals if the deals are too many to be read for this answer',
    ),
};

/** What the days of the period leave of the targets; absent if the rule prorates nothing, or this quota is fixed. */
const proratedFields = {
  effectiveTarget: z.number().optional().describe('The target that counts; absent if it is `target`'),
  effectiveVariableTarget: z
    .number()
    .nullable()
    .optional()
    .describe('The variable target that counts; absent if it is `variableTarget`'),
  factor: z.number().optional().describe('Share of the target that counts, to 6 decimals; absent if it is all'),
  factors: z
    .array(
      z
        .object({
          from: z.string().describe('First day, YYYY-MM-DD'),
          to: z.string().describe('Last day, YYYY-MM-DD'),
          weight: z.number().describe('Share of the target that each of the days counts'),
          variableWeight: z.number().describe('Share of the variable target that each of the days counts'),
          because: z
            .enum(['full', 'ramp', 'absence', 'not_assigned', 'not_employed'])
            .describe('What decides the weight'),
        })
        .describe('Days of equal weight'),
    )
    .optional()
    .describe('The days of the period with their weights; absent if everything counts'),
  proration: proration.optional(),
  explanation: z
    .string()
    .optional()
    .describe('How the target that counts was computed, such as 120,000 × 34.5 of 90 days; absent if it is `target`'),
};

export const quota = z
  .object({
    quotaId: z.string().describe('Id of the quota (UUID)'),
    repId: fields.repId,
    planId: fields.planId,
    planRuleId: z.string().describe('Id of the rule (UUID)'),
    measure: fields.measure,
    period: z.string().describe('Attainment period, such as 2026-Q1'),
    target: z.number().describe('What counts as 100 %, in the unit of the measure'),
    variableTarget: z
      .number()
      .nullable()
      .describe('Variable pay at 100 %, in the currency of the plan; null if it is not set'),
    prorate: z
      .literal(false)
      .optional()
      .describe('Ramps, absences and dates do not change the targets; absent if they do'),
    ...proratedFields,
    current_value: countedCredit('credit'),
    attainment: countedCredit('attainment'),
    ...runningFields,
  })
  .describe('The target of a rep for one attainment key and period');
export type Quota = z.infer<typeof quota>;

const ratioDecimals = 6;

export const targetAmount = z
  .number()
  .min(0)
  .max(1e12, 'must be at most 1,000,000,000,000')
  .refine((value) => isExact(value), `must have at most ${ratioDecimals} decimals`);

function isExact(value: number): boolean {
  const decimal = Decimal.of(value);
  return decimal.rounded(ratioDecimals).equals(decimal);
}

/** Attainment, where 1 is 100 %; 0 without a target. */
export function computeRatio(credit: Decimal, target: Decimal): number {
  return target.isZero() ? 0 : credit.dividedBy(target).rounded(ratioDecimals).toNumber();
}

/** The fields of a quota whose targets the days of its period change. */
export function toProratedFields({ target, variableTarget, proration: computed, days }: ProratedQuota): ProratedFields {
  const response = toProrationResponse(computed);
  return {
    effectiveTarget: target.toNumber(),
    effectiveVariableTarget: variableTarget?.toNumber() ?? null,
    factor: factorOf(computed),
    factors: days.map(({ from, to, quotaWeight, variableWeight, because }) => ({
      from,
      to,
      weight: quotaWeight.toNumber(),
      variableWeight: variableWeight.toNumber(),
      because,
    })),
    proration: response,
    explanation: explainProration(response),
  };
}

type ProratedFields = z.input<z.ZodObject<typeof proratedFields>>;

function factorOf({ weight, size, minPercent }: ProratedQuota['proration']): number {
  return (minPercent ?? weight.times(hundred).dividedBy(Decimal.of(size)))
    .dividedBy(hundred)
    .rounded(ratioDecimals)
    .toNumber();
}

const hundred = Decimal.of(100);

export function quotaNotFound(): Failure {
  return new Failure('quota_not_found', 'There is no such quota in this workspace.');
}

/** The terms of the quota, without what has counted towards it. */
export function termsOf({ current_value: _, attainment: __, ...terms }: Quota): object {
  return terms;
}

export const quotaExample = {
  quotaId: sampleIds.quotaId,
  repId: sampleIds.repId,
  planId: sampleIds.planId,
  planRuleId: sampleIds.ruleId,
  measure: 'New business',
  period: '2026-Q1',
  target: 100000,
  variableTarget: null,
  current_value: 120000,
  attainment: 1.2,
};
