import { sql } from 'kysely';
import { type Caller, type KeyScope, personBehind } from '../kernel/caller.js';
import { newId } from '../kernel/ids.js';
import { recordAuditEntry } from '../ledger/audit-entry.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { newToken, tokenHash } from '../platform/secrets/token.js';

export interface NewIntegrationKey {
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly expiresInDays: number;
}

/** Creates a key. It is returned only here: the database has its hash. */
export async function insertIntegrationKey(
  trx: Work,
  caller: Caller,
  { name, scopes, expiresInDays }: NewIntegrationKey,
): Promise<{ id: string; key: string }> {
  const id = newId();
  const key = newToken('int');
  await trx
    .insertInto('tokens')
    .values({
      workspace_id: caller.workspaceId,
      token_id: id,
      kind: 'int',
      token_hash: tokenHash(key) as Buffer,
      rep_id: null,
      label: name,
      created_by: personBehind(caller),
      scopes: [...scopes],
      expires_at: sql<Date>`now() + make_interval(days => ${expiresInDays})`,
    })
    .execute();
  await recordAuditEntry(trx, caller, {
    trigger: 'integration_key_created',
    scope: 'workspace',
    details: { keyId: id, scopes, expiresInDays },
  });
  return { id, key };
}

/** Returns false if there is no such key. A revoked key stops working at once. */
export async function deleteIntegrationKey(trx: Work, caller: Caller, id: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('tokens')
    .where('workspace_id', '=', caller.workspaceId)
    .where('token_id', '=', id)
    .where('kind', '=', 'int')
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await recordAuditEntry(trx, caller, {
    trigger: 'integration_key_revoked',
    scope: 'workspace',
    details: { keyId: id },
  });
  return true;
}
