import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { computePlanCost, maxPlanCost } from '../../engine/plan-cost.js';
import { type Clock } from '../../kernel/clock.js';
import { Failure } from '../../kernel/failure.js';
import { type CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { type TenantCaller, type Transaction } from '../../platform/database/unit-of-work.js';
import { changeOrPreview } from '../../simulation/preview-write.js';
import { commissionEffect, toCommissionEffect } from '../../simulation/write-effect.js';
import { type AffectedReps, affectedByCredits, merge } from '../affected-reps.js';
import { toLineRecords } from '../deal-credit-views.js';
import { allLines, creditLine } from '../deal-credits.js';
import { findDealNames } from '../deal-views.js';
import { type CreditsChange, refreshAllCredits } from '../refresh-credits.js';
import { loadCreditRules } from '../stored-credit-rules.js';
import { type CreditRule, creditRule, toRecord } from './credit-rule.js';
import { recordCreditRules } from './credit-rule-store.js';

const maxSamples = 20;

/** The response of a change of rules, and of its dry run. */
export const changedCreditRule = z.object({
  rule: creditRule.nullable().describe('The rule after the change; null if it was removed'),
  deals: z.int().describe('Number of deals whose credit lines change'),
  reps: z.int().describe('Number of people whose commission is calculated again'),
  samples: z
    .array(
      z
        .object({
          dealId: fields.dealId,
          dealName: fields.dealName.nullable(),
          before: z.array(creditLine).describe('The lines before the change'),
          after: z.array(creditLine).describe('The lines after the change'),
        })
        .describe('One deal'),
    )
    .describe(`The first ${maxSamples} of these deals`),
  dryRun: z.literal(true).optional().describe('Present for a dry run, which writes nothing'),
  effect: commissionEffect
    .nullable()
    .optional()
    .describe('With dryRun=true. null: the people have more deals than can be calculated at once'),
});
type ChangedCreditRule = z.input<typeof changedCreditRule>;

/** Writes a rule and returns it; null if it is removed. */
type WriteRule = (tx: Transaction) => Promise<CreditRule | null>;

interface ChangedRules extends Pick<ChangedCreditRule, 'rule' | 'deals' | 'reps' | 'samples'> {
  readonly affected: AffectedReps;
}

async function changeRules(tx: Transaction, write: WriteRule): Promise<ChangedRules> {
  const before = await loadCreditRules(tx);
  const rule = await write(tx);
  const after = await loadCreditRules(tx);
  assertRulesCost(before, after);
  await recordCreditRules(tx, after.map(toRecord));
  const changes = await refreshAllCredits(tx);
  const affected = [...(await affectedByCredits(tx, changes)).values()].reduce(merge, new Map());
  return { rule, deals: changes.length, reps: affected.size, samples: await describeSamples(tx, changes), affected };
}

/** All rules of a workspace have the budget of one plan. Rules that exceed it already may become simpler. */
function assertRulesCost(before: readonly object[], after: readonly object[]): void {
  const cost = computePlanCost({ rules: after });
  if (cost <= maxPlanCost || cost <= computePlanCost({ rules: before })) return;
  throw new Failure(
    'plan_too_complex',
    `One deal under the credit rules needs ${cost} comparisons, but at most ${maxPlanCost} are allowed. Use fewer rules, conditions or values.`,
    { cost, limit: maxPlanCost },
  );
}

async function describeSamples(
  tx: Transaction,
  changes: readonly CreditsChange[],
): Promise<ChangedCreditRule['samples']> {
  const first = changes.slice(0, maxSamples);
  const names = await findDealNames(
    tx,
    first.map(({ dealId }) => dealId),
  );
  const samples: ChangedCreditRule['samples'] = [];
  for (const { dealId, repId, before, after } of first)
    samples.push({
      dealId,
      dealName: names.get(dealId) ?? null,
      before: await toLineRecords(tx, allLines(before, repId)),
      after: await toLineRecords(tx, allLines(after, repId)),
    });
  return samples;
}

/** Changes the rules, the lines that they derive, and the commission of everyone affected. */
export function runRuleChange(
  changes: CommissionChanges,
  clock: Clock,
  caller: TenantCaller,
  { dryRun, write }: { readonly dryRun: boolean; readonly write: WriteRule },
): Promise<ChangedCreditRule> {
  return changeOrPreview({ changes, clock }, caller, { dryRun, toEffect: toCommissionEffect }, async (tx) => {
    const { affected, ...changed } = await changeRules(tx, write);
    return { result: dryRun ? { ...changed, dryRun } : changed, affected, trigger: 'credits' };
  });
}
