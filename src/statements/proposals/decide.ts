import { type Caller, peopleBehind } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { newId } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { recordEvent } from '../../platform/outbound/outgoing-events.js';
import { assertNotOwnStatement } from '../approvers.js';
import { lockRep } from '../rep-lane.js';
import { recordStatementEntry } from '../statement-store.js';
import { checkAdjustment, writeAdjustment } from '../write-adjustment.js';
import { type Proposal, proposalNotFound } from './proposal.js';
import { findProposals, presentProposals, type StoredProposal } from './proposal-views.js';

export interface Decision {
  readonly status: 'approved' | 'rejected';
  readonly reason: string | null;
}

/** Approves or rejects what another person has proposed. An approved adjustment counts from now on. */
export async function decide(
  tx: Transaction,
  caller: Caller,
  adjustmentId: string,
  decision: Decision,
  at: Date,
): Promise<Proposal> {
  const read = async () => (await findProposals(tx, { adjustmentId, repIds: null }, at))[0];
  const found = await read();
  if (found === undefined) throw proposalNotFound();
  await lockRep(tx, found.repId);
  const proposed = (await read()) as StoredProposal;
  assertNotOwnStatement(caller, proposed.repId);
  assertMayDecide(proposed, caller);
  const { repId, period, kind, amount, currency, dealId, reason } = proposed;
  const adjustment = { kind, amount, currency, period, dealId, reason };
  const eventId =
    decision.status === 'approved'
      ? await writeAdjustment(tx, caller, repId, await checkAdjustment(tx, caller, repId, adjustment, at), at)
      : null;
  await tx.db
    .updateTable('adjustment_proposals')
    .set({
      status: decision.status,
      decided_by: caller.repId,
      decided_at: at,
      decision_reason: decision.reason,
      event_id: eventId,
    })
    .where('workspace_id', '=', tx.workspaceId)
    .where('adjustment_id', '=', adjustmentId)
    .execute();
  tx.markAffected([repId]);
  const { status } = decision;
  await recordStatementEntry(tx, caller, {
    runId: newId(),
    trigger: status === 'approved' ? 'adjustment_approved' : 'adjustment_rejected',
    repId,
    period,
    dealId,
    details: { adjustmentId, eventId, proposedBy: proposed.proposerIds, reason: decision.reason },
    at,
  });
  await recordEvent(tx, {
    type: 'adjustment.decided',
    repId,
    data: { adjustmentId, repId, period, status, amount, currency },
  });
  const [decided] = presentProposals([(await read()) as StoredProposal], caller);
  return decided as Proposal;
}

function assertMayDecide({ status, deciders, proposerIds }: StoredProposal, caller: Caller): void {
  if (status !== 'proposed') throw new Failure('already_decided', `This adjustment is ${status} already.`, { status });
  if (peopleBehind(caller).some((id) => proposerIds.includes(id)))
    throw new Failure('forbidden', 'You have proposed this adjustment. Another person must decide it.');
  if (!deciders.some(({ repId }) => repId === caller.repId))
    throw new Failure(
      'forbidden',
      'You may not decide this adjustment. `deciders` of GET /v1/adjustments names who may, each in their own session.',
    );
}
