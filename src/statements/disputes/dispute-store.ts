import { type Caller, peopleBehind, personBehind } from '../../kernel/caller.js';
import { newId } from '../../kernel/ids.js';
import { type Period } from '../../kernel/period.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { recordEvent } from '../../platform/outbound/outgoing-events.js';
import { type DisputeStatus, type Evidence } from './dispute.js';
import { type DisputeTables } from './dispute-tables.js';

interface NewDispute {
  readonly repId: string;
  readonly period: Period;
  readonly dealId: string | null;
  readonly eventId: string | null;
  readonly type: DisputeTables['disputes']['type'];
  readonly expectedAmount: string | null;
  readonly currency: string;
  readonly description: string;
  readonly evidence: Evidence;
}

/** Inserts an open dispute with its first step. Returns its id. */
export async function insertDispute(tx: Transaction, caller: Caller, dispute: NewDispute, at: Date): Promise<string> {
  const disputeId = newId();
  await tx.db
    .insertInto('disputes')
    .values({
      workspace_id: tx.workspaceId,
      dispute_id: disputeId,
      rep_id: dispute.repId,
      period: dispute.period,
      deal_id: dispute.dealId,
      event_id: dispute.eventId,
      type: dispute.type,
      expected_amount: dispute.expectedAmount,
      currency: dispute.currency,
      description: dispute.description,
      evidence: JSON.stringify(dispute.evidence),
      opened_by: personBehind(caller),
      approved_by: caller.approvedBy ?? null,
      opened_at: at,
      updated_at: at,
    })
    .execute();
  await insertStep(tx, caller, disputeId, { status: 'open', note: null, at });
  const { repId, period, type, dealId } = dispute;
  const data = { disputeId, repId, period, type, dealId };
  await recordEvent(tx, { type: 'dispute.opened', repId, doneBy: peopleBehind(caller), data });
  return disputeId;
}

/** Changes the status and records the step. The caller holds the lane of the dispute's rep. */
export async function updateDispute(
  tx: Transaction,
  caller: Caller,
  disputeId: string,
  change: {
    readonly status: DisputeStatus;
    readonly note: string | null;
    readonly adjustmentId: string | null;
    readonly at: Date;
  },
): Promise<void> {
  const {
    rep_id: repId,
    opened_by: openedBy,
    period,
  } = await tx.db
    .updateTable('disputes')
    .set({ status: change.status, adjustment_event_id: change.adjustmentId, updated_at: change.at })
    .where('workspace_id', '=', tx.workspaceId)
    .where('dispute_id', '=', disputeId)
    .returning(['rep_id', 'opened_by', 'period'])
    .executeTakeFirstOrThrow();
  await insertStep(tx, caller, disputeId, change);
  if (change.status === 'in_review') return;
  const data = { disputeId, repId, period, status: change.status };
  await recordEvent(tx, { type: 'dispute.resolved', repId, openedBy, data });
}

async function insertStep(
  tx: Transaction,
  caller: Caller,
  disputeId: string,
  { status, note, at }: { readonly status: DisputeStatus; readonly note: string | null; readonly at: Date },
): Promise<void> {
  const { actor } = caller;
  const { steps } = await tx.db
    .selectFrom('dispute_steps')
    .select(({ fn }) => fn.countAll<number>().as('steps'))
    .where('workspace_id', '=', tx.workspaceId)
    .where('dispute_id', '=', disputeId)
    .executeTakeFirstOrThrow();
  await tx.db
    .insertInto('dispute_steps')
    .values({
      workspace_id: tx.workspaceId,
      dispute_id: disputeId,
      step: Number(steps) + 1,
      status,
      note,
      author_id: personBehind(caller),
      actor,
      at,
    })
    .execute();
}
