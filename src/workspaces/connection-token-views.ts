import { type Work } from '../platform/database/unit-of-work.js';
import { type ConnectionToken } from './connection-token.js';

/** The workspace's connection tokens, newest first. */
export async function listConnectionTokens(trx: Work, workspaceId: string): Promise<ConnectionToken[]> {
  const rows = await trx
    .selectFrom('tokens')
    .select(['token_id', 'label', 'created_at', 'last_used_at'])
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', 'conn')
    .orderBy('created_at', 'desc')
    .orderBy('token_id')
    .execute();
  return rows.map((row) => ({
    id: row.token_id,
    label: row.label,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  }));
}
