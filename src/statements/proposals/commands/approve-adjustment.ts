import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { text } from '../../../platform/operations/schemas.js';
import { decide } from '../decide.js';
import { proposal, proposalExample } from '../proposal.js';

export const approveAdjustment = operation({
  id: 'approveAdjustment',
  summary: 'Approve an adjustment above a limit that another person has proposed. It counts from now on',
  method: 'post',
  path: '/v1/adjustments/:adjustmentId/approve',
  access: 'manager',
  scope: null,
  params: z.strictObject({ adjustmentId: pathIds.adjustmentId.describe('Id of the proposed adjustment (UUID)') }),
  body: z.strictObject({ reason: text(1000).optional().describe('Why, for the audit log') }),
  response: proposal,
  failures: { adjustment_not_found: 404, statement_locked: 400, deal_not_found: 404, already_decided: 409 },
  example: {
    params: { adjustmentId: proposalExample.adjustmentId },
    body: { reason: 'Compared with the rules of the contest' },
    response: { ...proposalExample, status: 'approved', deciders: [], decidedAt: '2026-03-02T09:00:00.000Z' },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { adjustmentId }, body: { reason } }, caller, { unitOfWork, clock }) {
    return unitOfWork.run(caller, { lock: 'shared', access: 'write' }, (tx) =>
      decide(tx, caller, adjustmentId, { status: 'approved', reason: reason ?? null }, clock.now()),
    );
  },
});
