import { sql } from 'kysely';
import { recordAuditEntry } from '../audit/audit-entry.js';
import { type Caller, type KeyScope, personBehind } from '../kernel/caller.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { deleteToken, insertToken } from '../platform/secrets/token-store.js';

export async function insertConnectionToken(
  trx: Work,
  caller: Caller,
  label: string | null,
): Promise<{ id: string; token: string; createdAt: Date }> {
  const created = await insertToken(trx, 'conn', { workspace_id: caller.workspaceId, label });
  await audit(trx, caller, 'connection_token_created', { tokenId: created.id });
  return created;
}

/** Returns false if there is no such token. */
export async function deleteConnectionToken(trx: Work, caller: Caller, id: string): Promise<boolean> {
  const isDeleted = await deleteToken(trx, caller.workspaceId, 'conn', id);
  if (isDeleted) await audit(trx, caller, 'connection_token_deleted', { tokenId: id });
  return isDeleted;
}

interface NewIntegrationKey {
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly expiresInDays: number;
  /** Whether an agent uses the key. */
  readonly agent: boolean;
}

export async function insertIntegrationKey(
  trx: Work,
  caller: Caller,
  { name, scopes, expiresInDays, agent }: NewIntegrationKey,
): Promise<{ id: string; key: string }> {
  const { id, token: key } = await insertToken(trx, 'int', {
    workspace_id: caller.workspaceId,
    label: name,
    created_by: personBehind(caller),
    scopes: [...scopes],
    is_agent: agent,
    expires_at: sql<Date>`now() + make_interval(days => ${expiresInDays})`,
  });
  await audit(trx, caller, 'integration_key_created', { keyId: id, scopes, expiresInDays, agent });
  return { id, key };
}

/** Returns false if there is no such key. */
export async function deleteIntegrationKey(trx: Work, caller: Caller, id: string): Promise<boolean> {
  const isDeleted = await deleteToken(trx, caller.workspaceId, 'int', id);
  if (isDeleted) await audit(trx, caller, 'integration_key_revoked', { keyId: id });
  return isDeleted;
}

async function audit(
  trx: Work,
  caller: Caller,
  trigger: string,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await recordAuditEntry(trx, caller, { trigger, scope: 'workspace', details });
}
