import { type SqlBool, sql } from 'kysely';
import { findIdentity } from '../auth/identity-views.js';
import { type Caller } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type Approver } from './statement.js';

interface Person {
  readonly repId: string;
  readonly name: string;
  readonly role: string;
}

/**
 * The people who may approve, unlock and true up the rep's statement: active managers and admins other than the rep,
 * or the rep when there is no other. If `managerScope` is `reports`, only managers above the rep count.
 */
export async function listApprovers(trx: Work, workspaceId: string, repId: string): Promise<Person[]> {
  const people = await trx
    .selectFrom('reps')
    .select(['rep_id as repId', 'name', 'role'])
    .where('workspace_id', '=', workspaceId)
    .where('active', '=', true)
    .where('role', 'in', ['admin', 'manager'])
    .where(
      sql<SqlBool>`(role = 'admin' or ${repId}::uuid = any(people_below(workspace_id, rep_id)) or exists (
        select from workspaces w where w.workspace_id = reps.workspace_id and w.manager_scope = 'workspace'))`,
    )
    .orderBy('role')
    .orderBy('name')
    .orderBy('rep_id')
    .execute();
  const others = people.filter((person) => person.repId !== repId);
  return others.length > 0 ? others : people;
}

/**
 * Rejects decisions on the caller's own pay while another manager or admin exists. API keys do not belong to a
 * person and are not restricted.
 */
export async function assertNotOwnStatement(trx: Work, caller: Caller, repId: string): Promise<void> {
  if (caller.repId !== repId) return;
  const approvers = await listApprovers(trx, caller.workspaceId, repId);
  if (approvers.some((person) => person.repId !== repId))
    throw new Failure(
      'forbidden',
      'You cannot approve, unlock or true up your own statement. Another manager or admin must do it.',
    );
}

/** The person or API key that approves, with its current name. */
export async function identifyApprover(trx: Work, caller: Caller): Promise<Approver> {
  const { name } = await findIdentity(trx, caller);
  if (caller.repId !== null) return { repId: caller.repId, name };
  return { name, ...(caller.tokenId === undefined ? {} : { keyId: caller.tokenId }) };
}
