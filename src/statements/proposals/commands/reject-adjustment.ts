import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { text } from '../../../platform/operations/schemas.js';
import { decide } from '../decide.js';
import { proposal, proposalExample } from '../proposal.js';

export const rejectAdjustment = operation({
  id: 'rejectAdjustment',
  summary: 'Reject an adjustment above a limit that another person has proposed',
  method: 'post',
  path: '/v1/adjustments/:adjustmentId/reject',
  access: 'manager',
  scope: null,
  params: z.strictObject({ adjustmentId: pathIds.adjustmentId.describe('Id of the proposed adjustment (UUID)') }),
  body: z.strictObject({ reason: text(1000).describe('Why, for the audit log and who has proposed it') }),
  response: proposal,
  failures: { adjustment_not_found: 404, already_decided: 409 },
  example: {
    params: { adjustmentId: proposalExample.adjustmentId },
    body: { reason: 'Compared with the rules of the contest' },
    response: { ...proposalExample, status: 'rejected', deciders: [], decidedAt: '2026-03-02T09:00:00.000Z' },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { adjustmentId }, body: { reason } }, caller, { unitOfWork, clock }) {
    return unitOfWork.run(caller, { lock: 'shared', access: 'write' }, (tx) =>
      decide(tx, caller, adjustmentId, { status: 'rejected', reason }, clock.now()),
    );
  },
});
