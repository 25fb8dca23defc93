import { type Caller } from '../../kernel/caller.js';
import { type StoredCaller } from '../../kernel/stored-caller.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { withPresentRights } from './present-rights.js';

/** The caller as whom the job works; null if the person has another role now or is not active, or the key is revoked. */
export async function findStoredCaller(tx: Transaction, { scopes, ...stored }: StoredCaller): Promise<Caller | null> {
  const caller = {
    ...stored,
    workspaceId: tx.workspaceId,
    ...(scopes === undefined ? {} : { scopes: new Set(scopes) }),
  };
  if (caller.repId === null && !(await isKeyValid(tx, caller.tokenId))) return null;
  return withPresentRights(tx, caller);
}

/** The service itself, which has no key, stays what it is. */
async function isKeyValid(tx: Transaction, tokenId: string | undefined): Promise<boolean> {
  if (tokenId === undefined) return true;
  const token = await tx.db
    .selectFrom('tokens')
    .select('expires_at')
    .where('workspace_id', '=', tx.workspaceId)
    .where('token_id', '=', tokenId)
    .executeTakeFirst();
  return token !== undefined && (token.expires_at === null || token.expires_at > new Date());
}
