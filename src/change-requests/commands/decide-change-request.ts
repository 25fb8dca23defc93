import { z } from 'zod';
import { type Caller, mayActAs } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { ToolRunner } from '../../platform/mcp/tool-runner.js';
import { operation } from '../../platform/operation.js';
import { pathId, requireUuid, text } from '../../platform/schemas.js';
import { type ChangeRequest, changeRequest, changeRequestExample, changeRequestNotFound } from '../change-request.js';
import { type DecidedRequest, decide, storeOutcome } from '../change-request-store.js';
import { findRequestedCall, listChangeRequests, stillHasRole } from '../change-request-views.js';

const params = z.strictObject({ changeRequestId: pathId.describe('Id of the change request (UUID)') });
const body = z.strictObject({
  decision: z
    .enum(['approve', 'reject'])
    .describe('approve runs the change at once, with the rights of who requested it'),
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
  failures: { no_person: 409, already_decided: 409 },
  example: {
    params: { changeRequestId: changeRequestExample.id },
    body: { decision: 'reject', reason: 'Next quarter' },
    answer: { ...changeRequestExample, status: 'rejected', reason: 'Next quarter' },
  },
  uses: [UnitOfWork, ToolRunner],
  /** A request is decided once, also if two people decide at the same time: the first update takes it. */
  async execute({ params: { changeRequestId }, body: { decision, reason = null } }, caller, unitOfWork, runner) {
    const { workspaceId } = caller;
    const id = requireUuid(changeRequestId, 'not_found', changeRequestNotFound().message);
    if (caller.repId === null || caller.tokenKind !== 'sess')
      throw new Failure('no_person', 'Only a person who is signed in can decide about a change.');
    const repId = mayActAs(caller, 'admin') ? null : caller.repId;
    if (decision === 'approve') await assertProof(unitOfWork, runner, caller, { repId, id });
    const status = decision === 'approve' ? 'running' : 'rejected';
    const decided = await unitOfWork.run(caller, { lock: 'none', access: 'write' }, (trx) =>
      decide(trx, caller, id, { status, reason, repId }),
    );
    if (decided !== null && status === 'running') await run(unitOfWork, runner, caller, id, decided);
    const [found] = await unitOfWork.run(caller, { lock: 'none', access: 'read' }, (trx) =>
      listChangeRequests(trx, workspaceId, { repId, id, limit: 1 }),
    );
    if (found === undefined) throw changeRequestNotFound();
    if (decided === null)
      throw new Failure('already_decided', `The change request is ${found.status}.`, { status: found.status });
    return found satisfies ChangeRequest;
  },
});

/** An approval needs the proof of identity that the change itself would need. */
async function assertProof(
  unitOfWork: UnitOfWork,
  runner: ToolRunner,
  approver: Caller,
  request: { readonly repId: string | null; readonly id: string },
): Promise<void> {
  const call = await unitOfWork.run(approver, { lock: 'none', access: 'read' }, (trx) =>
    findRequestedCall(trx, approver.workspaceId, request),
  );
  if (call !== null) await runner.assertProof(call.tool, call.input, approver);
}

/** Runs the change and stores its outcome. An expected failure, such as a plan that no longer exists, is an outcome. */
async function run(
  unitOfWork: UnitOfWork,
  runner: ToolRunner,
  approver: Caller,
  id: string,
  { tool, input, caller: requester }: DecidedRequest,
): Promise<void> {
  const { workspaceId, requestId } = approver;
  const { scopes, team, ...rest } = requester;
  const caller: Caller = {
    ...rest,
    workspaceId,
    requestId,
    actor: `${requester.actor}, approved by ${approver.actor}`,
    ...(scopes === undefined ? {} : { scopes: new Set(scopes) }),
    ...(team === undefined ? {} : { team: new Set(team) }),
  };
  const { repId, accessLevel } = requester;
  const hasRights =
    repId === null ||
    (await unitOfWork.run(approver, { lock: 'none', access: 'read' }, (trx) =>
      stillHasRole(trx, workspaceId, repId, accessLevel),
    ));
  const outcome = hasRights
    ? await runner.run(tool, input, caller)
    : { failed: { statusCode: 403, code: 'forbidden', message: 'Who requested the change has another role now.' } };
  await unitOfWork.run(approver, { lock: 'none', access: 'write' }, (trx) =>
    'failed' in outcome
      ? storeOutcome(trx, workspaceId, id, 'failed', outcome.failed)
      : storeOutcome(trx, workspaceId, id, 'done', outcome.answer),
  );
}
