import { z } from 'zod';
import { isConsent } from '../../../access/workspaces/approval-steps.js';
import { fields, pathIds } from '../../../api/resource-fields.js';
import { type Caller, peopleBehind } from '../../../kernel/caller.js';
import { Failure, rejectAny } from '../../../kernel/failure.js';
import { newId } from '../../../kernel/ids.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { type Transaction, UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { period, text, uuid } from '../../../platform/operations/schemas.js';
import { assertNotOwnStatement } from '../../approvers.js';
import { lockRep } from '../../rep-lane.js';
import { type StatementKey, statementLocked, statementNotFound } from '../../statement.js';
import { recordStatementEntry } from '../../statement-store.js';
import { findLatest } from '../../statement-views.js';
import { approval } from '../approval.js';
import { approvalExample } from '../approval-example.js';
import { toApprovalResponse } from '../approval-response.js';
import { type Chains, loadChains, type NextStep, readChain } from '../approval-state.js';
import { notNext } from '../sign-step.js';
import { mayApproveFor } from '../signers.js';

const params = z.strictObject({ repId: pathIds.repId });
const body = z.strictObject({
  period: period.describe('Period of the statement'),
  step: text(100).describe('Name of the step that waits and has no signer'),
  repIds: z
    .array(uuid)
    .min(1)
    .max(50)
    .describe('Who signs it for this statement: managers or admins by id (UUID), neither the rep nor the caller'),
  reason: text(1000).describe('Why, for the audit log'),
});

/** An admin who could name themself would sign every step. */
function assertOthers(chains: Chains, repId: string, repIds: readonly string[], caller: Caller): void {
  rejectAny(
    repIds
      .map((id, index) => ({ id, path: `repIds.${index}` }))
      .filter(({ id }) => !mayApproveFor(chains.people, id, repId))
      .map(({ path }) => ({ path, message: 'is no active manager or admin who may approve for this rep' })),
  );
  if (peopleBehind(caller).some((person) => repIds.includes(person)))
    throw new Failure(
      'forbidden',
      'You cannot name yourself, also not with a key that you created. Name another manager or admin, or ask another admin.',
    );
}

function assertBlocked(next: NextStep | null, step: string): void {
  if (next === null || next.step.name !== step) throw notNext(null);
  if (next.free.length > 0 || isConsent(next.step))
    throw new Failure(
      'step_not_blocked',
      `The step ${step} has someone who may sign it. Only steps without are reassigned.`,
    );
}

async function reassign(
  tx: Transaction,
  key: StatementKey,
  { step, repIds, reason }: z.output<typeof body>,
  caller: Caller,
  at: Date,
) {
  await lockRep(tx, key.repId);
  assertNotOwnStatement(caller, key.repId);
  const stored = await findLatest(tx, key);
  if (stored === null) throw statementNotFound();
  const { head, latest } = stored;
  if (head.status === 'approved') throw statementLocked(key.period);
  const readNow = async () => {
    const chains = await loadChains(tx, key.period, [key.repId], at);
    if (chains === null) throw notNext(null);
    return { chains, state: readChain(chains, { ...latest, repId: key.repId, status: head.status }) };
  };
  const { chains, state } = await readNow();
  assertBlocked(state.next, step);
  assertOthers(chains, key.repId, repIds, caller);
  await tx.db
    .insertInto('step_assignments')
    .values({
      workspace_id: tx.workspaceId,
      rep_id: key.repId,
      period: key.period,
      step,
      signer_ids: [...repIds],
      reason,
      actor: caller.actor,
      assigned_at: at,
    })
    .execute();
  tx.markAffected([key.repId]);
  const details = { step, repIds, reason };
  await recordStatementEntry(tx, caller, { runId: newId(), trigger: 'step_reassigned', ...key, details, at });
  const after = await readNow();
  return { ...key, approval: toApprovalResponse(after.chains, after.state, caller) };
}

export const reassignStep = operation({
  id: 'reassignStep',
  summary: 'Name who signs a step of one statement that has no signer, because its signers have left or signed before',
  method: 'post',
  path: '/v1/statements/:repId/reassign',
  access: 'admin',
  params,
  body,
  response: z.object({ repId: fields.repId, period: fields.period, approval }),
  failures: {
    rep_not_found: 404,
    statement_not_found: 404,
    statement_locked: 409,
    step_not_next: 409,
    step_not_blocked: 409,
  },
  example: {
    params: { repId: sampleIds.repId },
    body: { period: '2026-02', step: 'Manager', repIds: [sampleIds.managerId], reason: 'Their manager has left' },
    response: { repId: sampleIds.repId, period: '2026-02', approval: approvalExample },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { repId }, body: request }, caller, { unitOfWork, clock }) {
    return unitOfWork.run(caller, { lock: 'shared', access: 'write' }, (tx) =>
      reassign(tx, { repId, period: request.period }, request, caller, clock.now()),
    );
  },
});
