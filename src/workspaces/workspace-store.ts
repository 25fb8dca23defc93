import { newId } from '../kernel/ids.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { newToken, tokenHash } from '../platform/secrets/token.js';

export interface RotatedKey {
  readonly apiKey: string;
  /** Until when keys from before still work; null when there were none or they ended at once. */
  readonly oldKeyExpiresAt: Date | null;
}

/** Gives the workspace a new API key and ends the others now or after the grace time; told in the audit log. */
export async function rotateWorkspaceKey(
  trx: Work,
  { workspaceId, actor }: { readonly workspaceId: string; readonly actor: string },
  graceMinutes: number,
  now: Date,
): Promise<RotatedKey> {
  const expiresAt = new Date(now.getTime() + graceMinutes * 60_000);
  const ended = await trx
    .updateTable('tokens')
    .set({ expires_at: expiresAt })
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', 'ws')
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', expiresAt)]))
    .executeTakeFirst();
  const apiKey = newToken('ws');
  await trx
    .insertInto('tokens')
    .values({
      workspace_id: workspaceId,
      token_id: newId(),
      kind: 'ws',
      token_hash: tokenHash(apiKey) as Buffer,
      rep_id: null,
      label: 'workspace key',
      expires_at: null,
    })
    .execute();
  await trx
    .insertInto('audit_runs')
    .values({
      workspace_id: workspaceId,
      run_id: newId(),
      actor,
      trigger: 'key_rotation',
      scope: 'workspace',
      deal_id: null,
      rep_id: null,
      period: null,
      outcome: 'written',
      blocked: null,
      details: JSON.stringify({ graceMinutes }),
      error: null,
    })
    .execute();
  return { apiKey, oldKeyExpiresAt: graceMinutes > 0 && ended.numUpdatedRows > 0n ? expiresAt : null };
}
