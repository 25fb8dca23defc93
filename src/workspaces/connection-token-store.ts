import { newId } from '../kernel/ids.js';
import { recordAuditEntry } from '../ledger/audit-entry.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { newToken, tokenHash } from '../platform/secrets/token.js';

interface Who {
  readonly workspaceId: string;
  readonly actor: string;
}

export async function insertConnectionToken(
  trx: Work,
  who: Who,
  label: string | null,
): Promise<{ id: string; token: string; createdAt: Date }> {
  const id = newId();
  const token = newToken('conn');
  const { created_at: createdAt } = await trx
    .insertInto('tokens')
    .values({
      workspace_id: who.workspaceId,
      token_id: id,
      kind: 'conn',
      token_hash: tokenHash(token) as Buffer,
      rep_id: null,
      label,
      expires_at: null,
    })
    .returning('created_at')
    .executeTakeFirstOrThrow();
  await audit(trx, who, 'connection_token_created', id);
  return { id, token, createdAt };
}

/** Returns false if there is no such token. A deleted token stops working at once. */
export async function deleteConnectionToken(trx: Work, who: Who, id: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('tokens')
    .where('workspace_id', '=', who.workspaceId)
    .where('token_id', '=', id)
    .where('kind', '=', 'conn')
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await audit(trx, who, 'connection_token_deleted', id);
  return true;
}

async function audit(trx: Work, who: Who, trigger: string, tokenId: string): Promise<void> {
  await recordAuditEntry(trx, who, { trigger, scope: 'workspace', details: { tokenId } });
}
