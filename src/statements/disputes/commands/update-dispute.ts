import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { recordAuditEntry } from '../../../audit/audit-entry.js';
import { findDeal } from '../../../deals/deal-views.js';
import { type Caller, mayActAs, personBehind } from '../../../kernel/caller.js';
import { Failure, invalid } from '../../../kernel/failure.js';
import { type Transaction, UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { money, period, text } from '../../../platform/operations/schemas.js';
import { assertWithinLimit } from '../../proposals/limits.js';
import { lockRep } from '../../rep-lane.js';
import { checkAdjustment, writeAdjustment } from '../../write-adjustment.js';
import {
  assertMayFollow,
  type Dispute,
  type DisputeDetail,
  disputeDetail,
  disputeDetailExample,
  disputeStatuses,
  type StoredDispute,
} from '../dispute.js';
import { updateDispute as write } from '../dispute-store.js';
import { findDispute, findVisibleDispute, readDisputeDetail } from '../dispute-views.js';

const params = z.strictObject({ disputeId: pathIds.disputeId });
const body = z.strictObject({
  status: z
    .enum(disputeStatuses)
    .exclude(['open'])
    .describe('in_review, accepted or rejected by another person than the rep and who opened it; withdrawn by them'),
  note: text(2000).optional().describe('Reason or message, for the rep to read'),
  adjustment: z
    .strictObject({
      amount: money
        .refine((amount) => amount !== 0, 'must not be 0')
        .describe('Amount in the currency of the workspace, not 0; negative to take money back'),
      period: period.describe('Period that the amount belongs to; its statement must not be approved'),
    })
    .optional()
    .describe('Only with accepted, for admins: an adjustment to write with the acceptance'),
});
type Body = z.infer<typeof body>;

async function update(
  tx: Transaction,
  caller: Caller,
  disputeId: string,
  request: Body,
  at: Date,
): Promise<DisputeDetail> {
  const { repId } = await findVisibleDispute(tx, caller, disputeId);
  await lockRep(tx, repId);
  const dispute = (await findDispute(tx, caller, disputeId)) as StoredDispute;
  assertMayTake(caller, dispute, request);
  assertMayFollow(dispute.status, request.status);
  const adjustmentId = await adjust(tx, caller, dispute, request, at);
  await write(tx, caller, disputeId, { status: request.status, note: request.note ?? null, adjustmentId, at });
  await recordAuditEntry(tx, caller, {
    trigger: `dispute_${request.status}`,
    scope: 'statement',
    repId,
    period: dispute.period,
    dealId: dispute.dealId,
    details: { disputeId, before: dispute.status, adjustmentId },
    at,
  });
  return readDisputeDetail(tx, caller, (await findDispute(tx, caller, disputeId)) as Dispute);
}

/**
 * Only who opened a dispute withdraws it. Neither they, nor who approved that an agent opens it, nor the rep decide it.
 * Keys that no person created count as one: what one of them opened, a person decides.
 */
function assertMayTake(
  caller: Caller,
  { repId, openedBy, approvedById }: StoredDispute,
  { status, adjustment }: Body,
): void {
  const person = personBehind(caller);
  const isOpener = person === openedBy.repId && (person !== null || mayActAs(caller, 'admin'));
  if (status === 'withdrawn') {
    if (isOpener) return;
    throw new Failure('forbidden', 'Only the person who opened a dispute may withdraw it. Accept or reject it.');
  }
  if (isOpener && person === null)
    throw new Failure('forbidden', 'A key opened this dispute. A person who is signed in must decide it.');
  if (isOpener || person === repId || (person !== null && person === approvedById))
    throw new Failure(
      'forbidden',
      'You cannot decide a dispute that you opened, that you approved for an agent, or that is about your own pay, also not with a key that you created. Another manager or admin must do it.',
    );
  if (!mayActAs(caller, adjustment === undefined ? 'manager' : 'admin'))
    throw new Failure(
      'forbidden',
      adjustment === undefined
        ? 'Only managers and admins decide disputes.'
        : 'Only admins add adjustments. Accept the dispute without one, or ask an admin.',
    );
}

async function adjust(
  tx: Transaction,
  caller: Caller,
  dispute: Dispute,
  { adjustment }: Body,
  at: Date,
): Promise<string | null> {
  if (adjustment === undefined) return null;
  const { repId, disputeId } = dispute;
  // The id of a missing deal belongs to no deal.
  const deal = dispute.dealId === null ? null : await findDeal(tx, dispute.dealId);
  const request = {
    kind: 'adjustment',
    ...adjustment,
    dealId: deal?.deal_id ?? null,
    reason: `Dispute ${disputeId}`,
  } as const;
  const checked = await checkAdjustment(tx, caller, repId, request, at);
  await assertWithinLimit(tx, { repId, ...checked, day: checked.earnedOn, replaces: null });
  return writeAdjustment(tx, caller, repId, checked, at);
}

export const updateDispute = operation({
  id: 'updateDispute',
  summary:
    'Review, accept, reject or withdraw a dispute. Accepting may add one adjustment in a period that is not approved',
  method: 'patch',
  path: '/v1/disputes/:disputeId',
  access: 'rep',
  params,
  body,
  response: disputeDetail,
  failures: { dispute_not_found: 404, invalid_transition: 409, statement_locked: 409, adjustment_limit: 409 },
  example: {
    params: { disputeId: disputeDetailExample.disputeId },
    body: { status: 'in_review', note: 'I am checking the contract.' },
    response: { ...disputeDetailExample, status: 'in_review' },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { disputeId }, body: request }, caller, { unitOfWork, clock }): Promise<DisputeDetail> {
    if (request.adjustment !== undefined && request.status !== 'accepted')
      throw invalid({ path: 'adjustment', message: 'is possible only with the status accepted' });
    return unitOfWork.run(caller, { lock: 'shared', access: 'write' }, (tx) =>
      update(tx, caller, disputeId, request, clock.now()),
    );
  },
});
