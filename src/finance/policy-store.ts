import { sql } from 'kysely';
import { type Caller, personBehind } from '../kernel/caller.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type PolicyTerms, type StoredPolicy } from './policy.js';

export async function insertPolicy(
  tx: Transaction,
  caller: Caller,
  { name, terms, at }: { readonly name: string; readonly terms: PolicyTerms; readonly at: Date },
): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    insert into accounting_policies (workspace_id, name, version, terms, status, proposed_by, proposed_by_id, proposed_at)
    select ${tx.workspaceId}::uuid, ${name}, coalesce(max(version), 0) + 1, ${JSON.stringify(terms)}::jsonb, 'proposed',
      ${caller.actor}, ${personBehind(caller)}::uuid, ${at}::timestamptz
    from accounting_policies where workspace_id = ${tx.workspaceId} and name = ${name}
    returning version`.execute(tx.db);
  return (rows[0] as { version: number }).version;
}

export async function decidePolicy(
  tx: Transaction,
  caller: Caller,
  { name, version }: Pick<StoredPolicy, 'name' | 'version'>,
  decision: { readonly status: 'approved' | 'withdrawn'; readonly at: Date },
): Promise<void> {
  await tx.db
    .updateTable('accounting_policies')
    .set({ status: decision.status, decided_by: caller.actor, decided_at: decision.at })
    .where('workspace_id', '=', tx.workspaceId)
    .where('name', '=', name)
    .where('version', '=', version)
    .execute();
}
