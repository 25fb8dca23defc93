import { sql } from 'kysely';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { type Caller, type KeyScope, personBehind } from '../../kernel/caller.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { deleteToken, insertToken } from '../../platform/secrets/token-store.js';

export async function insertConnectionToken(
  tx: Transaction,
  caller: Caller,
  label: string | null,
): Promise<{ id: string; token: string; createdAt: Date }> {
  const created = await insertToken(tx, 'conn', { workspace_id: tx.workspaceId, label });
  await audit(tx, caller, 'connection_token_created', { tokenId: created.id });
  return created;
}

/** Returns false if there is no such token. */
export async function deleteConnectionToken(tx: Transaction, caller: Caller, id: string): Promise<boolean> {
  const isDeleted = await deleteToken(tx, 'conn', id);
  if (isDeleted) await audit(tx, caller, 'connection_token_deleted', { tokenId: id });
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
  tx: Transaction,
  caller: Caller,
  { name, scopes, expiresInDays, agent }: NewIntegrationKey,
): Promise<{ id: string; key: string }> {
  const { id, token: key } = await insertToken(tx, 'int', {
    workspace_id: tx.workspaceId,
    label: name,
    created_by: personBehind(caller),
    scopes: [...scopes],
    is_agent: agent,
    expires_at: sql<Date>`now() + make_interval(days => ${expiresInDays})`,
  });
  await audit(tx, caller, 'integration_key_created', { keyId: id, scopes, expiresInDays, agent });
  return { id, key };
}

/** Returns false if there is no such key. */
export async function deleteIntegrationKey(tx: Transaction, caller: Caller, id: string): Promise<boolean> {
  const isDeleted = await deleteToken(tx, 'int', id);
  if (isDeleted) await audit(tx, caller, 'integration_key_revoked', { keyId: id });
  return isDeleted;
}

async function audit(
  tx: Transaction,
  caller: Caller,
  trigger: string,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await recordAuditEntry(tx, caller, { trigger, scope: 'workspace', details });
}
