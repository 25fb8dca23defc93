import { type SqlBool, sql } from 'kysely';
import { findIdentity } from '../access/auth/identity-views.js';
import { type Caller, peopleBehind } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type Approver } from './statement.js';

interface Person {
  readonly repId: string;
  readonly name: string;
  readonly role: string;
}

/**
 * The people who may approve, unlock and true up the rep's statement: active managers and admins other than the rep. If
 * `managerScope` is `reports`, only managers above the rep count.
 */
export async function listApprovers(tx: Transaction, repId: string): Promise<Person[]> {
  return tx.db
    .selectFrom('reps')
    .select(['rep_id as repId', 'name', 'role'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('active', '=', true)
    .where('rep_id', '<>', repId)
    .where('role', 'in', ['admin', 'manager'])
    .where(
      sql<SqlBool>`(role = 'admin' or ${repId}::uuid = any(people_below(workspace_id, rep_id)) or exists (
        select from workspaces w where w.workspace_id = reps.workspace_id and w.manager_scope = 'workspace'))`,
    )
    .orderBy('role')
    .orderBy('name')
    .orderBy('rep_id')
    .execute();
}

/**
 * Rejects a person's decisions on their own pay: with a session, with every key that the person created or rotated, and
 * by approving the request of an agent. A key that the command line created belongs to no person and is not restricted.
 */
export function assertNotOwnStatement(caller: Caller, repId: string): void {
  if (!peopleBehind(caller).includes(repId)) return;
  throw new Failure(
    'forbidden',
    'You cannot adjust, approve, check, unlock or true up your own statement, also not with a key that you created or by approving the request of an agent. Another manager or admin must do it.',
  );
}

/** The person or API key that approves, with its current name. */
export async function identifyApprover(tx: Transaction, caller: Caller): Promise<Approver> {
  const { name } = await findIdentity(tx, caller);
  if (caller.repId !== null) return { repId: caller.repId, name };
  return { name, ...(caller.tokenId === undefined ? {} : { keyId: caller.tokenId }) };
}
