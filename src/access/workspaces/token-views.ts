import { sql } from 'kysely';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type ConnectionToken } from './connection-token.js';
import { type IntegrationKey } from './integration-key.js';

/** Lists the workspace's connection tokens, newest first. */
export async function listConnectionTokens(tx: Transaction): Promise<ConnectionToken[]> {
  const rows = await selectTokens(tx, 'conn').execute();
  return rows.map((row) => ({
    id: row.token_id,
    label: row.label,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  }));
}

/** The valid integration keys of the workspace, newest first. */
export async function listIntegrationKeys(tx: Transaction): Promise<IntegrationKey[]> {
  const rows = await selectTokens(tx, 'int').where('expires_at', '>', sql<Date>`now()`).execute();
  return rows.map((row) => ({
    id: row.token_id,
    name: row.label ?? '',
    scopes: row.scopes ?? [],
    agent: row.is_agent,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    expiresAt: (row.expires_at as Date).toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  }));
}

function selectTokens(tx: Transaction, kind: 'conn' | 'int') {
  return tx.db
    .selectFrom('tokens')
    .select(['token_id', 'label', 'scopes', 'is_agent', 'created_by', 'created_at', 'expires_at', 'last_used_at'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('kind', '=', kind)
    .orderBy('created_at', 'desc')
    .orderBy('token_id');
}
