import { type Caller, type KeyScope } from '../../kernel/caller.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { withPresentRights } from '../../reps/present-rights.js';

/** Who confirmed the approval. The parts of the job are recorded as parts of their request. */
export interface StoredApprover
  extends Pick<Caller, 'accessLevel' | 'repId' | 'keyCreatorId' | 'actor' | 'requestId' | 'tokenId' | 'tokenKind'> {
  readonly scopes?: readonly KeyScope[];
}

export function toStoredApprover(caller: Caller): StoredApprover {
  const { accessLevel, repId, keyCreatorId, scopes, actor, requestId, tokenId, tokenKind } = caller;
  return {
    accessLevel,
    repId,
    actor,
    requestId,
    ...(keyCreatorId === undefined ? {} : { keyCreatorId }),
    ...(tokenId === undefined ? {} : { tokenId }),
    ...(tokenKind === undefined ? {} : { tokenKind }),
    ...(scopes === undefined ? {} : { scopes: [...scopes] }),
  };
}

/** The caller as whom the job approves; null if the person has another role now or is not active, or the key is revoked. */
export async function findApprover(tx: Transaction, { scopes, ...stored }: StoredApprover): Promise<Caller | null> {
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
