import { z } from 'zod';
import { mayActAs } from '../../../kernel/caller.js';
import { Failure } from '../../../kernel/failure.js';
import { newId } from '../../../kernel/ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { ToolRunner } from '../../../platform/mcp/tool-runner.js';
import { operation } from '../../../platform/operations/operation.js';
import { pathId, requireUuid, text } from '../../../platform/operations/schemas.js';
import { approveChange } from '../approve-change.js';
import { alreadyDecided, changeRequest, changeRequestExample, changeRequestNotFound } from '../change-request.js';
import { decide } from '../change-request-store.js';
import { readChangeRequest } from '../change-request-views.js';

const params = z.strictObject({ changeRequestId: pathId.describe('Id of the change request (UUID)') });
const body = z.strictObject({
  decision: z
    .enum(['approve', 'reject'])
    .describe('approve runs the change at once, with the present rights of who requested it, unless it pays you'),
  fingerprint: text(100)
    .optional()
    .describe('The fingerprint of the request as it was read. If another is current, the change does not run'),
  reason: text(500).optional().describe('Why it is rejected'),
});

export const decideChangeRequest = operation({
  id: 'decideChangeRequest',
  summary: 'Approve or reject a change that an agent has requested: admins every one, others those of their own agents',
  method: 'post',
  path: '/v1/change-requests/:changeRequestId/decide',
  access: 'rep',
  payroll: true,
  scope: null,
  params,
  body,
  response: changeRequest,
  failures: { no_person: 409, already_decided: 409, preview_outdated: 409 },
  example: {
    params: { changeRequestId: changeRequestExample.id },
    body: { decision: 'reject', reason: 'Next quarter' },
    response: { ...changeRequestExample, status: 'rejected', reason: 'Next quarter' },
  },
  uses: { unitOfWork: UnitOfWork, runner: ToolRunner, clock: CLOCK },
  async execute({ params: { changeRequestId }, body }, caller, { unitOfWork, runner, clock }) {
    const { decision, fingerprint, reason = null } = body;
    const { repId } = caller;
    const id = requireUuid(changeRequestId, 'not_found', changeRequestNotFound().message);
    if (repId === null || caller.tokenKind !== 'sess')
      throw new Failure('no_person', 'Only a person who is signed in can decide about a change.');
    const ref = { requestId: id, repId: mayActAs(caller, 'admin') ? null : repId };
    const isDecided = await (decision === 'approve'
      ? approveChange({ unitOfWork, runner, clock }, { approver: caller, ref, fingerprint, reason })
      : unitOfWork.write(caller, (tx) => decide(tx, caller, ref, { status: 'rejected', reason, runId: newId() })));
    const found = await unitOfWork.read(caller, (tx) => readChangeRequest(tx, ref));
    if (!isDecided) throw alreadyDecided(found);
    return found;
  },
});
