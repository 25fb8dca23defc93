import { z } from 'zod';
import { allDays, type DayRange, extendRange } from '../../../kernel/day.js';
import { invalid } from '../../../kernel/failure.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { loadCalendar } from '../../../ledger/input/calendar.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { repNotFound } from '../../../people/reps/rep.js';
import { unknownReps } from '../../../people/reps/rep-views.js';
import { type Transaction } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { period, uuid } from '../../../platform/operations/schemas.js';
import { previewWrite } from '../../../simulation/preview-write.js';
import { commissionEffect, toCommissionEffect } from '../../../simulation/write-effect.js';
import { repeatedSettings, toQuotaSetting } from '../apply-quotas.js';
import { quotaNotFound, targetAmount } from '../quota.js';
import { findRuleById } from '../quota-rule.js';
import { deleteQuotas, upsertQuotas } from '../quota-store.js';

const body = z.strictObject({
  planRuleId: uuid.describe('Id of the rule (UUID)'),
  targets: z
    .array(
      z
        .strictObject({
          repId: uuid.describe('The rep (UUID)'),
          period: period.describe("The period, in the format of the rule's attainmentPeriod"),
          target: targetAmount.describe('What counts as 100 %, in the unit of the measure'),
          variableTarget: targetAmount.nullish().describe('As variableTarget of setQuotas'),
          prorate: z.boolean().optional().describe('As prorate of setQuotas'),
        })
        .describe('Target of one rep and period'),
    )
    .max(10_000)
    .default([])
    .describe('The targets that would be set'),
  removed: z.array(uuid).max(10_000).default([]).describe('Ids of the quotas that would be deleted (UUID)'),
});
type Body = z.output<typeof body>;

const response = z.object({
  effect: commissionEffect.nullable().describe('null: the reps have more deals than can be calculated at once'),
});

/** Writes as the operations that set and delete quotas do. Returns the reps with the days of their quotas. */
async function writeQuotas(tx: Transaction, { planRuleId, targets, removed }: Body) {
  const unknown = await unknownReps(tx, [...new Set(targets.map(({ repId }) => repId))]);
  if (unknown.length > 0) throw repNotFound(unknown);
  const rule = await findRuleById(tx, planRuleId, undefined);
  const calendar = await loadCalendar(tx);
  const settings = targets.map((target) => toQuotaSetting(rule, target, calendar));
  const [repeated] = repeatedSettings(settings);
  if (repeated !== undefined)
    throw invalid({ path: `targets.${repeated.at}`, message: 'sets the rep and period of an earlier target again' });
  const affected = new Map<string, DayRange>();
  const affect = (repId: string, during: string) => extendRange(affected, repId, calendar.findRange(during) ?? allDays);
  for (const { repId, period: during } of settings) affect(repId, during);
  const quotas = await deleteQuotas(tx, removed);
  if (quotas.length < new Set(removed).size) throw quotaNotFound();
  for (const { repId, period: during } of quotas) affect(repId, during);
  await upsertQuotas(tx, settings);
  return affected;
}

export const previewQuotas = operation({
  id: 'previewQuotas',
  summary: 'What setting and deleting quotas of a rule would do to commission; writes nothing',
  method: 'post',
  path: '/v1/quotas/preview',
  access: 'admin',
  scope: 'read',
  body,
  maxKeys: 100_000,
  response,
  failures: {
    period_mismatch: 400,
    plan_too_complex: 400,
    rep_not_found: 404,
    plan_rule_not_found: 404,
    quota_not_found: 404,
  },
  example: {
    body: { planRuleId: sampleIds.ruleId, targets: [{ repId: sampleIds.repId, period: '2026-Q1', target: 120000 }] },
    response: { effect: { lines: 0, reps: 0, totals: [], locked: [] } },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ body: request }, caller, uses): Promise<z.input<typeof response>> {
    return previewWrite(uses, caller, toCommissionEffect, async (tx) => ({
      result: {},
      affected: await writeQuotas(tx, request),
    }));
  },
});
