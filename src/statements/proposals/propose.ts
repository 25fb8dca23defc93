import { type AdjustmentLimit } from '../../access/workspaces/adjustment-limits.js';
import { type Caller, peopleBehind } from '../../kernel/caller.js';
import { newId } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { recordEvent } from '../../platform/outbound/outgoing-events.js';
import { recordStatementEntry } from '../statement-store.js';
import { type CheckedAdjustment } from '../write-adjustment.js';

/** Stores an adjustment above a limit, which does not count before another person approves it. Returns its id. */
export async function propose(
  tx: Transaction,
  caller: Caller,
  repId: string,
  { kind, amount, currency, period, dealId, reason }: CheckedAdjustment,
  { by, above }: AdjustmentLimit,
  at: Date,
): Promise<string> {
  const adjustmentId = newId();
  await tx.db
    .insertInto('adjustment_proposals')
    .values({
      workspace_id: tx.workspaceId,
      adjustment_id: adjustmentId,
      rep_id: repId,
      period,
      kind,
      amount,
      currency,
      deal_id: dealId,
      reason,
      deciders: JSON.stringify(by),
      proposer_ids: [...peopleBehind(caller)],
      actor: caller.actor,
      proposed_at: at,
    })
    .execute();
  tx.markAffected([repId]);
  await recordStatementEntry(tx, caller, {
    runId: newId(),
    trigger: 'adjustment_proposed',
    repId,
    period,
    dealId,
    details: { adjustmentId, kind, amount, currency, reason, above },
    at,
  });
  const data = { adjustmentId, repId, period, status: 'proposed', amount: Number(amount), currency };
  await recordEvent(tx, { type: 'adjustment.proposed', repId, data });
  return adjustmentId;
}
