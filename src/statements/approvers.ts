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
 * The people who may approve, unlock and true up the rep's statement: managers and admins other than the rep. Where
 * `managerScope` is `reports`, only managers above the rep.
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

/** Nobody decides on their own pay while somebody else could. Keys have no person behind them. */
export async function assertNotOwnStatement(trx: Work, caller: Caller, repId: string): Promise<void> {
  if (caller.repId !== repId) return;
  const approvers = await listApprovers(trx, caller.workspaceId, repId);
  if (approvers.some((person) => person.repId !== repId))
    throw new Failure(
      'forbidden',
      'Your own statement is approved, unlocked and trued up by another manager or admin.',
    );
}

/** Who approves now, by the name of the person or the key. */
export async function identifyApprover(trx: Work, caller: Caller): Promise<Approver> {
  const { name } = await findIdentity(trx, caller);
  if (caller.repId !== null) return { repId: caller.repId, name };
  return { name, ...(caller.tokenId === undefined ? {} : { keyId: caller.tokenId }) };
}
