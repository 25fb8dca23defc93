import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { creditKinds } from '../../engine/credit-lines.js';
import { type CreditRule as EngineRule, maxPercents } from '../../engine/credit-rules.js';
import { conditionList, creditRole } from '../../engine/plan-config.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { day, text } from '../../platform/operations/schemas.js';

/** The terms of a credit rule in requests. */
export const creditRuleTerms = {
  name: text(200).describe('Name of the rule, unique in the workspace. The rules apply in the order of their names'),
  kind: z
    .enum(creditKinds)
    .describe('split: the person gets a part of what the owner still has; overlay: a credit in addition to the splits'),
  role: creditRole.nullable().describe('What the person does on the deal, such as SE; null for none'),
  personField: text(500).describe(
    'Slug of the field that names the person, by e-mail address or by the id in the CRM. Without a known person the rule gives no line',
  ),
  percent: z
    .number()
    .positive()
    .max(maxPercents.overlay)
    .refine((percent) => Number(percent.toFixed(6)) === percent, 'must have at most 6 decimals')
    .nullable()
    .describe('Percentage of the deal: at most 100 for a split, 1,000 for an overlay; null with percentField'),
  percentField: text(500)
    .nullable()
    .describe('Slug of the field with the percentage; null with percent. Other values give no line'),
  conditions: conditionList.describe('Conditions of a deal, as in plans; all must hold'),
  effectiveStart: day.nullable().describe('First close date, YYYY-MM-DD; null for no earliest day'),
  effectiveEnd: day.nullable().describe('Last close date, YYYY-MM-DD; null for no end'),
};

export const creditRule = z
  .object({
    creditRuleId: z.string().describe('Id of the rule (UUID)'),
    name: z.string().describe('Name of the rule, unique in the workspace. The rules apply in the order of their names'),
    kind: z.enum(creditKinds).describe('split: a part of what the owner still has; overlay: in addition to the splits'),
    role: z.string().nullable().describe('What the person does on the deal; null for none'),
    personField: z.string().describe('Slug of the field that names the person'),
    percent: z.number().nullable().describe('Percentage of the deal; null with percentField'),
    percentField: z.string().nullable().describe('Slug of the field with the percentage; null with percent'),
    conditions: z.array(z.unknown()).describe('Conditions of a deal; all must hold'),
    effectiveStart: fields.effectiveStart.nullable(),
    effectiveEnd: fields.effectiveEnd.nullable(),
  })
  .describe('A rule that gives a credit line to the person whom a field of the deal names');
export type CreditRule = z.input<typeof creditRule>;

export function assertValidRule({ kind, percent, percentField, effectiveStart, effectiveEnd }: CreditRule): void {
  if ((percent === null) === (percentField === null))
    throw invalid({ path: 'percent', message: 'give either percent or percentField' });
  if (percent !== null && percent > maxPercents[kind])
    throw invalid({ path: 'percent', message: `must be at most ${maxPercents[kind]} for a ${kind}` });
  if (effectiveStart !== null && effectiveEnd !== null && effectiveEnd < effectiveStart)
    throw invalid({ path: 'effectiveEnd', message: 'must not be before effectiveStart' });
}

export function toRecord(rule: EngineRule & { readonly creditRuleId: string }): CreditRule {
  const { percent, conditions, ...same } = rule;
  return {
    ...same,
    percent: typeof percent === 'number' ? percent : null,
    percentField: typeof percent === 'number' ? null : percent.field,
    conditions: [...conditions],
  };
}

export function creditRuleNotFound(): Failure {
  return new Failure('credit_rule_not_found', 'There is no such credit rule in this workspace.');
}

export function creditRuleNameTaken(name: string): Failure {
  return new Failure('credit_rule_name_taken', `Another credit rule is named ${name}. Choose another name.`);
}

export const creditRuleExample = {
  creditRuleId: sampleIds.creditRuleId,
  name: 'SE overlay',
  kind: 'overlay' as const,
  role: 'SE',
  personField: 'sales_engineer',
  percent: 100,
  percentField: null,
  conditions: [],
  effectiveStart: '2026-01-01',
  effectiveEnd: null,
};
