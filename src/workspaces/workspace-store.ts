import { sql } from 'kysely';
import { newId } from '../kernel/ids.js';
import { recordAuditEntry } from '../ledger/audit-entry.js';
import { type Paper } from '../platform/database/tables.js';
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
  who: { readonly workspaceId: string; readonly actor: string },
  graceMinutes: number,
  now: Date,
): Promise<RotatedKey> {
  const { workspaceId } = who;
  const expiresAt = new Date(now.getTime() + graceMinutes * 60_000);
  const ended = await trx
    .updateTable('tokens')
    // The server decides whether a token still works, so a clock of ours that runs ahead must not lengthen its life.
    .set({ expires_at: sql<Date>`least(${expiresAt}::timestamptz, now() + make_interval(mins => ${graceMinutes}))` })
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', 'ws')
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', expiresAt)]))
    .executeTakeFirst();
  const apiKey = await insertWorkspaceKey(trx, workspaceId);
  await recordAuditEntry(trx, who, { trigger: 'key_rotation', scope: 'workspace', details: { graceMinutes } });
  return { apiKey, oldKeyExpiresAt: graceMinutes > 0 && ended.numUpdatedRows > 0n ? expiresAt : null };
}

/** A new API key, given here and nowhere else: only its hash is stored. */
export async function insertWorkspaceKey(trx: Work, workspaceId: string): Promise<string> {
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
  return apiKey;
}

/** Changes what is given and leaves the rest. */
export async function updateWorkspaceRow(
  trx: Work,
  workspaceId: string,
  change: {
    readonly name?: string | undefined;
    readonly currency?: string | undefined;
    readonly timezone?: string | undefined;
    readonly paper?: Paper | null | undefined;
    readonly payroll?: object | undefined;
    readonly managerScope?: 'workspace' | 'reports' | undefined;
  },
): Promise<void> {
  await trx
    .updateTable('workspaces')
    .set({
      ...(change.name === undefined ? {} : { name: change.name }),
      ...(change.currency === undefined ? {} : { currency: change.currency }),
      ...(change.timezone === undefined ? {} : { timezone: change.timezone }),
      ...(change.paper === undefined ? {} : { paper: change.paper }),
      ...(change.managerScope === undefined ? {} : { manager_scope: change.managerScope }),
      ...(change.payroll === undefined ? {} : { payroll: JSON.stringify(change.payroll) }),
    })
    .where('workspace_id', '=', workspaceId)
    .execute();
}
