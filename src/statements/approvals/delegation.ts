import { type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { type Caller, mayActAs } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { isUuid } from '../../kernel/ids.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

const person = z.object({ repId: fields.repId, name: z.string().describe('Name of the person') }).describe('A person');

export const delegation = z
  .object({
    delegationId: z.string().describe('Id of the delegation (UUID)'),
    delegator: person.describe('Whose steps are signed'),
    delegate: person.describe('Who also signs them'),
    from: z.string().describe('First day, YYYY-MM-DD'),
    to: z.string().describe('Last day, YYYY-MM-DD'),
    scopes: z.array(z.literal('approvals').describe('Always approvals')).describe('What is delegated'),
  })
  .describe('A person signs for another on some days');
export type Delegation = z.input<typeof delegation>;

/** Admins see all delegations, other people those from and to them. */
export async function findDelegations(
  tx: Transaction,
  caller: Caller,
  delegationId: string | null,
): Promise<Delegation[]> {
  if (delegationId !== null && !isUuid(delegationId)) return [];
  let query = tx.db
    .selectFrom('delegations as d')
    .innerJoin('reps as f', (join) =>
      join.onRef('f.workspace_id', '=', 'd.workspace_id').onRef('f.rep_id', '=', 'd.from_rep_id'),
    )
    .innerJoin('reps as t', (join) =>
      join.onRef('t.workspace_id', '=', 'd.workspace_id').onRef('t.rep_id', '=', 'd.delegate_id'),
    )
    .select(['d.delegation_id as delegationId', 'd.from_day as from', 'd.to_day as to', 'd.scopes'])
    .select(['f.rep_id as fromId', 'f.name as fromName', 't.rep_id as toId', 't.name as toName'])
    .where('d.workspace_id', '=', tx.workspaceId)
    .orderBy('d.from_day', 'desc')
    .orderBy('d.delegation_id');
  if (!mayActAs(caller, 'admin'))
    query = query.where(sql<SqlBool>`${caller.repId}::uuid in (d.from_rep_id, d.delegate_id)`);
  if (delegationId !== null) query = query.where('d.delegation_id', '=', delegationId);
  const rows = await query.execute();
  return rows.map(({ fromId, fromName, toId, toName, scopes, ...row }) => ({
    ...row,
    scopes: [...scopes],
    delegator: { repId: fromId, name: fromName },
    delegate: { repId: toId, name: toName },
  }));
}

/** The person and admins change what is delegated. */
export function assertMayDelegate(caller: Caller, fromRepId: string): void {
  if (caller.repId === fromRepId || mayActAs(caller, 'admin')) return;
  throw new Failure('forbidden', 'Only the person whose steps are signed, or an admin, changes a delegation.');
}

export function delegationNotFound(): Failure {
  return new Failure('delegation_not_found', 'There is no such delegation in this workspace.');
}

export const delegationExample: Delegation = {
  delegationId: 'c1b7c1de-7a0e-4c29-9a80-2f6f5f0c8f11',
  delegator: { repId: sampleIds.managerId, name: 'Mia Manager' },
  delegate: { repId: 'a4f0f7c2-6a53-4b0e-9d38-0f4b5e7a1c22', name: 'Max' },
  from: '2026-03-02',
  to: '2026-03-13',
  scopes: ['approvals'],
};
