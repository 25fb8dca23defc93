import { sql } from 'kysely';
import { z } from 'zod';
import { type Refund } from '../../engine/clawback.js';
import { measureRefunds } from '../../engine/refund-chain.js';
import { type Caller, peopleBehind } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { Decimal } from '../../kernel/decimal.js';
import { type CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { withDryRun } from '../../platform/database/dry-run.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { flag } from '../../platform/operations/schemas.js';
import { computeMovement, loadAffectedWithin } from '../../simulation/write-effect.js';
import { creditsEffect, describeEffect } from '../credits-effect.js';
import { blockedStatements, describeBlocked } from '../credits-response.js';
import { changeRefunds, type RefundWrite, requestRefundCalculation } from './change-refunds.js';
import { type RefundKey, refund, toFact } from './refund.js';
import { listRefunds, paidWithoutPolicy } from './refund-views.js';
import { resolveLineRefunds } from './refunded-lines.js';

export const refundQuery = z.strictObject({
  dryRun: flag.default(false).describe('true: return the effect on each person; writes nothing'),
});

const refundWarning = z
  .object({
    code: z
      .enum(['refund_limited', 'refund_without_policy'])
      .describe(
        'refund_limited: earlier refunds left less of the deal than this one. refund_without_policy: no rule that paid the deal has a clawback policy, so nothing is taken back',
      ),
    message: z.string().describe('The warning in words'),
  })
  .describe('A warning');
type RefundWarning = z.output<typeof refundWarning>;

const changed = {
  warnings: z.array(refundWarning).describe('What to look at'),
  blocked: blockedStatements,
  jobId: z.string().optional().describe('The job that calculates everyone affected; absent for a dry run'),
  dryRun: z.literal(true).optional().describe('Present for a dry run, which writes nothing'),
  byRep: creditsEffect.byRep.optional(),
  locked: creditsEffect.locked.optional(),
};

/** The response of a change of a refund, and of its dry run. */
export const changedRefund = refund.extend(changed);
export type ChangedRefund = z.input<typeof changedRefund>;

export const deletedRefund = z.object({
  dealId: refund.shape.dealId,
  refundId: refund.shape.refundId,
  ...changed,
});
export type DeletedRefund = z.input<typeof deletedRefund>;

interface Change<Content> {
  readonly write: RefundWrite;
  readonly dryRun: boolean;
  /** The part of the response that the write decides. */
  readonly read: (tx: Transaction) => Promise<Content>;
}

/** What {@link runRefundChange} adds to the response. */
type Effect = Pick<ChangedRefund, 'blocked' | 'jobId' | 'dryRun' | 'byRep' | 'locked'>;

interface Uses {
  readonly changes: CommissionChanges;
  readonly clock: Clock;
}

/** Writes, and requests the calculation; a dry run calculates it and writes nothing. */
export async function runRefundChange<Content extends object>(
  { changes, clock }: Uses,
  caller: Caller,
  { write, dryRun, read }: Change<Content>,
): Promise<Content & Effect> {
  if (dryRun) return previewRefundChange({ changes, clock }, caller, { write, read });
  return changes.run(caller, 'shared', async (tx, recalculate) => {
    const changed = await changeRefunds(tx, write, peopleBehind(caller));
    const jobId = await requestRefundCalculation(tx, recalculate, caller, write.dealIds, changed);
    return { ...(await read(tx)), ...(await describeBlocked(tx, changed.blocked)), jobId };
  });
}

async function previewRefundChange<Content extends object>(
  { changes, clock }: Uses,
  caller: Caller,
  { write, read }: Omit<Change<Content>, 'dryRun'>,
): Promise<Content & Effect> {
  return withDryRun<Content & Effect>(true, (end) =>
    changes.run(caller, 'exclusive', async (tx) => {
      const { result, movement } = await computeMovement(tx, await workspaceToday(tx, clock), async () => {
        const { affected, blocked } = await changeRefunds(tx, write, peopleBehind(caller));
        return { result: { content: await read(tx), blocked }, affected: await loadAffectedWithin(tx, affected) };
      });
      return end({
        ...result.content,
        ...(await describeBlocked(tx, result.blocked)),
        dryRun: true as const,
        ...(await describeEffect(tx, movement)),
      });
    }),
  );
}

/** A refund with what is to be looked at. */
export const describedRefund = refund.extend({ warnings: changed.warnings });
type DescribedRefund = z.output<typeof describedRefund>;

export async function describeRefund(tx: Transaction, { dealId, refundId }: RefundKey): Promise<DescribedRefund> {
  const refunds = await describeRefunds(tx, dealId);
  return refunds.find((candidate) => candidate.refundId === refundId) as DescribedRefund;
}

/** The refunds of the deal, in the order in which they count. */
export async function describeRefunds(tx: Transaction, dealId: string): Promise<DescribedRefund[]> {
  const refunds = await listRefunds(tx, [dealId]);
  if (refunds.length === 0) return [];
  const deal = await tx.db
    .selectFrom('deals')
    .select(['amount', paidWithoutPolicy(sql.table('deals')).as('isWithoutPolicy')])
    .where('workspace_id', '=', tx.workspaceId)
    .where('deal_id', '=', dealId)
    .executeTakeFirst();
  const facts = (await resolveLineRefunds(tx, new Map([[dealId, refunds.map(toFact)]]))).get(dealId) ?? [];
  return refunds.map((one) => ({
    ...one,
    warnings: [
      ...(deal?.isWithoutPolicy === true ? [withoutPolicy] : []),
      ...limitWarnings(facts, one.refundId, deal?.amount ?? null),
    ],
  }));
}

const withoutPolicy: RefundWarning = {
  code: 'refund_without_policy',
  message:
    'It takes back 0, because no rule that paid the deal has a clawback policy. Add a policy to the plan, or enter an adjustment.',
};

function limitWarnings(
  refunds: readonly Refund[],
  refundId: string,
  dealAmount: string | number | null,
): RefundWarning[] {
  const amount = dealAmount === null ? null : Decimal.of(dealAmount);
  const part = measureRefunds(refunds, amount).find(({ refund: { refundId: id } }) => id === refundId);
  if (part?.isLimited !== true) return [];
  return [
    {
      code: 'refund_limited',
      message: `Earlier refunds left ${part.refunded} of the deal, so only this much counts.`,
    },
  ];
}
