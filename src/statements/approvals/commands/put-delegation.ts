import { sql } from 'kysely';
import { z } from 'zod';
import { fields } from '../../../api/resource-fields.js';
import { recordAuditEntry } from '../../../audit/audit-entry.js';
import { type Caller, peopleBehind } from '../../../kernel/caller.js';
import { type Clock } from '../../../kernel/clock.js';
import { type Day } from '../../../kernel/day.js';
import { Failure, type Issue, rejectAny } from '../../../kernel/failure.js';
import { groupBy } from '../../../kernel/group-by.js';
import { isUuid } from '../../../kernel/ids.js';
import { workspaceToday } from '../../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { day, flag, pathId, uuid } from '../../../platform/operations/schemas.js';
import { listSubjects, loadChains, readChain } from '../approval-state.js';
import {
  assertMayDelegate,
  type Delegation,
  delegation,
  delegationExample,
  delegationNotFound,
  findDelegations,
} from '../delegation.js';
import { loadSteps } from '../signature-store.js';
import { findSigners, lastDayOfDelegation, loadPeople, maxDelegationDays, mayApproveFor } from '../signers.js';

const body = z.strictObject({
  fromRepId: uuid.describe('Whose steps are signed, by id (UUID)'),
  delegateId: uuid.describe('Who also signs them, by id (UUID)'),
  from: day.describe('First day, YYYY-MM-DD'),
  to: day.describe(`Last day, YYYY-MM-DD; at most ${maxDelegationDays} days`),
  scopes: z.array(z.literal('approvals').describe('Always approvals')).min(1).max(1).describe('What is delegated'),
});
type Body = z.output<typeof body>;

const reached = z
  .object({
    repId: fields.repId,
    repName: fields.repName,
    period: fields.period,
    step: z.string().describe('Name of the step that waits'),
  })
  .describe('A statement that the delegate could sign');

const response = delegation.extend({
  dryRun: z.literal(true).optional().describe('Present for a dry run, which stores nothing'),
  reaches: z.array(reached).describe('The statements that wait for the person now, which the delegate could sign'),
});

/** An admin who could be anyone's delegate would sign every step. */
async function assertAllowed(tx: Transaction, caller: Caller, request: Body, today: Day): Promise<void> {
  assertMayDelegate(caller, request.fromRepId);
  const { fromRepId, delegateId, from, to } = request;
  const { approvers } = await loadPeople(tx, [delegateId], today);
  const issues: Issue[] = [];
  for (const path of ['fromRepId', 'delegateId'] as const)
    if (!approvers.has(request[path]))
      issues.push({ path, message: 'is no active manager or admin of this workspace' });
  if (fromRepId === delegateId) issues.push({ path: 'delegateId', message: 'is the same person as fromRepId' });
  if (to < from) issues.push({ path: 'to', message: 'is before from' });
  if (to > lastDayOfDelegation(from))
    issues.push({ path: 'to', message: `must be at most ${maxDelegationDays} days after from, both included` });
  if (to < today) issues.push({ path: 'to', message: 'has passed' });
  rejectAny(issues);
  if (peopleBehind(caller).includes(delegateId))
    throw new Failure(
      'forbidden',
      'You cannot name yourself as the delegate of another person, also not with a key that you created.',
    );
  await assertNotOwn(tx, request, today);
}

async function assertNotOwn(tx: Transaction, { fromRepId, delegateId }: Body, today: Day): Promise<void> {
  if (!(await isPaid(tx, delegateId))) return;
  const people = await loadPeople(tx, [delegateId], today);
  const steps = (await loadSteps(tx)) ?? [];
  const signed = steps.find(({ by }) => findSigners(people, by, delegateId, today).includes(fromRepId));
  if (signed !== undefined)
    throw new Failure(
      'own_statement',
      `The person signs the step ${signed.name} of the statements of this delegate, who would sign their own. Name someone else.`,
      { step: signed.name },
    );
}

/** Whether the person has statements, or is on a plan. */
async function isPaid(tx: Transaction, repId: string): Promise<boolean> {
  const { rows } = await sql`
    select from statement_periods where workspace_id = ${tx.workspaceId} and rep_id = ${repId}
    union all select from assignments where workspace_id = ${tx.workspaceId} and rep_id = ${repId} limit 1`.execute(
    tx.db,
  );
  return rows.length > 0;
}

/** The statements that wait for the person, and that the delegate could sign. */
async function listReached(
  tx: Transaction,
  { fromRepId, delegateId }: Body,
  now: Date,
): Promise<z.input<typeof reached>[]> {
  const drafts = await listSubjects(tx, { period: null, repIds: null });
  const found: z.input<typeof reached>[] = [];
  for (const [period, listed] of groupBy(drafts, (subject) => subject.period)) {
    const chains = await loadChains(tx, period, null, now);
    if (chains === null) return [];
    for (const { repName, ...subject } of listed) {
      const { next } = readChain(chains, subject);
      const { repId } = subject;
      if (next === null || !next.free.includes(fromRepId) || !mayApproveFor(chains.people, delegateId, repId)) continue;
      found.push({ repId, repName, period, step: next.step.name });
    }
  }
  return found;
}

async function store(tx: Transaction, caller: Caller, delegationId: string, request: Body): Promise<void> {
  const stored = await tx.db
    .selectFrom('delegations')
    .select('from_rep_id')
    .where('workspace_id', '=', tx.workspaceId)
    .where('delegation_id', '=', delegationId)
    .executeTakeFirst();
  if (stored !== undefined) assertMayDelegate(caller, stored.from_rep_id);
  const { fromRepId, delegateId, from, to, scopes } = request;
  const row = { from_rep_id: fromRepId, delegate_id: delegateId, from_day: from, to_day: to, scopes: [...scopes] };
  await tx.db
    .insertInto('delegations')
    .values({ workspace_id: tx.workspaceId, delegation_id: delegationId, ...row })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'delegation_id']).doUpdateSet(row))
    .execute();
  await recordAuditEntry(tx, caller, {
    trigger: 'delegation_set',
    scope: 'workspace',
    details: { delegationId, ...request },
  });
}

async function put(
  tx: Transaction,
  caller: Caller,
  {
    delegationId,
    dryRun,
    request,
  }: { readonly delegationId: string; readonly dryRun: boolean; readonly request: Body },
  clock: Clock,
): Promise<z.input<typeof response>> {
  await assertAllowed(tx, caller, request, await workspaceToday(tx, clock));
  const reaches = await listReached(tx, request, clock.now());
  if (!dryRun) {
    await store(tx, caller, delegationId, request);
    const [stored] = await findDelegations(tx, caller, delegationId);
    return { ...(stored as Delegation), reaches };
  }
  const { approvers } = await loadPeople(tx, [], await workspaceToday(tx, clock));
  const named = (repId: string) => ({ repId, name: approvers.get(repId)?.name ?? '' });
  const { fromRepId, delegateId, from, to, scopes } = request;
  return { delegationId, delegator: named(fromRepId), delegate: named(delegateId), from, to, scopes, dryRun, reaches };
}

export const putDelegation = operation({
  id: 'putDelegation',
  summary:
    'Let another manager or admin also sign the steps of a person on some days. dryRun lists the statements that it reaches',
  method: 'put',
  path: '/v1/delegations/:delegationId',
  scope: null,
  access: 'manager',
  params: z.strictObject({ delegationId: pathId.describe('Id of the delegation, chosen by the caller (UUID)') }),
  query: z.strictObject({ dryRun: flag.default(false).describe('true: store nothing') }),
  body,
  response,
  failures: { delegation_not_found: 404, own_statement: 409 },
  example: {
    params: { delegationId: delegationExample.delegationId },
    body: {
      fromRepId: delegationExample.delegator.repId,
      delegateId: delegationExample.delegate.repId,
      from: '2026-03-02',
      to: '2026-03-13',
      scopes: ['approvals'],
    },
    response: { ...delegationExample, reaches: [] },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { delegationId }, query: { dryRun }, body: request }, caller, { unitOfWork, clock }) {
    if (!isUuid(delegationId)) throw delegationNotFound();
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, (tx) =>
      put(tx, caller, { delegationId, dryRun, request }, clock),
    );
  },
});
