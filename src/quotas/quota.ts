import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { Decimal } from '../kernel/decimal.js';
import { Failure } from '../kernel/failure.js';
import { sampleIds } from '../kernel/sample-ids.js';

/** What counts towards a quota, or its share of the target. */
export function creditSoFar(field: 'credit' | 'attainment') {
  return fields[field]
    .nullable()
    .describe(
      `${fields[field].description}; null if only periodic rules count, which do so once, until the attainment period has ended`,
    );
}

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
    current_value: creditSoFar('credit'),
    attainment: creditSoFar('attainment'),
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

export function quotaNotFound(): Failure {
  return new Failure('quota_not_found', 'There is no such quota in this workspace.');
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
