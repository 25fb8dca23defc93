import { deriveId } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CrmMember, type CrmProvider } from '../adapters/port.js';
import { selectConnection, updateConnection } from '../connections/crm-connection-row.js';

/** Equal for people of whom an import would change nothing. Addresses of pictures may change with every response. */
export function hashMembers(members: readonly CrmMember[]): string {
  const rows = members.map(({ crmId, email, name, active, values }) =>
    JSON.stringify([crmId, email, name, active, ...(values === undefined ? [] : [values])]),
  );
  return deriveId(rows.sort().join());
}

/** Returns the hash of the people that were imported last; null if none were. */
export async function findMembersHash(tx: Transaction, provider: CrmProvider): Promise<string | null> {
  const row = await selectConnection(tx, provider).select('members_hash').executeTakeFirst();
  return row?.members_hash ?? null;
}

export async function saveMembersHash(tx: Transaction, provider: CrmProvider, hash: string): Promise<void> {
  await updateConnection(tx, provider).set({ members_hash: hash }).execute();
}
