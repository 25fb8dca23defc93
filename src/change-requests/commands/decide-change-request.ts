import { z } from 'zod';
import { type Caller, mayActAs } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { newId } from '../../kernel/ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { ToolRunner } from '../../platform/mcp/tool-runner.js';
import { operation } from '../../platform/operation.js';
import { pathId, requireUuid, text } from '../../platform/schemas.js';
import { findRoleAndActivity } from '../../reps/rep-views.js';
import {
  alreadyDecided,
  changeRequest,
  changeRequestExample,
  changeRequestNotFound,
  type StoredCaller,
} from '../change-request.js';
import {
  decide,
  findPending,
  noteWritten,
  type RequestedChange,
  type RequestRef,
  type Run,
  storeOutcome,
} from '../change-request-store.js';
import { readChangeRequest } from '../change-request-views.js';

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
    const ref = { requestId: id, repId: mayActAs(caller, 'admin') ? null : caller.repId };
    if (decision === 'approve') await assertProof(unitOfWork, runner, caller, ref);
    const status = decision === 'approve' ? 'running' : 'rejected';
    const runId = newId();
    const decided = await unitOfWork.write(caller, (trx) => decide(trx, caller, ref, { status, reason, runId }));
    if (decided !== null && status === 'running')
      await run({ unitOfWork, runner }, caller, { workspaceId, requestId: id, runId }, decided);
    const found = await unitOfWork.read(caller, (trx) => readChangeRequest(trx, workspaceId, ref));
    if (decided === null) throw alreadyDecided(found);
    return found;
  },
});

/** An approval needs the proof of identity that the change itself would need. */
async function assertProof(
  unitOfWork: UnitOfWork,
  runner: ToolRunner,
  approver: Caller,
  request: RequestRef,
): Promise<void> {
  const pending = await unitOfWork.read(approver, (trx) => findPending(trx, approver.workspaceId, request));
  if (pending !== null) await runner.assertProof(pending.tool, pending.input, approver);
}

/**
 * Runs the change and stores its outcome. An expected failure, such as a plan that no longer exists, is an outcome. If the
 * process ends before, a sweep returns a change that was not stored to those that wait for a decision.
 */
async function run(
  { unitOfWork, runner }: { readonly unitOfWork: UnitOfWork; readonly runner: ToolRunner },
  approver: Caller,
  attempt: Run,
  { tool, input, caller: requester }: RequestedChange,
): Promise<void> {
  const { workspaceId, requestId } = approver;
  const caller = toCaller(requester, { workspaceId, requestId, approvedBy: approver.actor });
  const { repId, accessLevel } = requester;
  const rep =
    repId === null ? null : await unitOfWork.read(approver, (trx) => findRoleAndActivity(trx, workspaceId, repId));
  const hasRights = rep === null || (rep?.active === true && rep.role === accessLevel);
  const outcome = hasRights
    ? await unitOfWork.withCommitHook(
        caller,
        (trx) => noteWritten(trx, attempt),
        () => runner.run(tool, input, caller),
      )
    : { failed: { statusCode: 403, code: 'forbidden', message: 'Who requested the change has another role now.' } };
  await unitOfWork.write(approver, (trx) =>
    'failed' in outcome
      ? storeOutcome(trx, attempt, 'failed', outcome.failed)
      : storeOutcome(trx, attempt, 'done', outcome.answer),
  );
}

function toCaller(
  { scopes, team, actor, ...rest }: StoredCaller,
  { approvedBy, ...request }: Pick<Caller, 'workspaceId' | 'requestId'> & { readonly approvedBy: string },
): Caller {
  return {
    ...rest,
    ...request,
    actor: `${actor}, approved by ${approvedBy}`,
    ...(scopes === undefined ? {} : { scopes: new Set(scopes) }),
    ...(team === undefined ? {} : { team: new Set(team) }),
  };
}
