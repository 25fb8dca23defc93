import { sql } from 'kysely';
import { Failure } from '../kernel/failure.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type PolicyTerms, type StoredPolicy } from './policy.js';
import { proposalColumns } from './proposal.js';

/** All versions, or those of a name, by name and version; in a transaction with `asOf`, as they were decided then. */
export async function listPolicies(tx: Transaction, name: string | null): Promise<StoredPolicy[]> {
  const { rows } = await sql<Omit<StoredPolicy, keyof PolicyTerms> & { readonly terms: PolicyTerms }>`
    select name, version, terms, ${proposalColumns(tx)}
    from accounting_policies
    where workspace_id = ${tx.workspaceId} ${name === null ? sql`` : sql`and name = ${name}`}
      and proposed_at <= ${tx.until}::timestamptz
    order by name, version`.execute(tx.db);
  return rows.map(({ terms, ...policy }) => ({ ...policy, ...terms }));
}

export async function requirePolicy(tx: Transaction, name: string, version: number): Promise<StoredPolicy> {
  const found = (await listPolicies(tx, name)).find((policy) => policy.version === version);
  if (found === undefined)
    throw new Failure('policy_not_found', 'There is no such version of a policy in this workspace.', { name, version });
  return found;
}
