import { type Caller, type Role } from '../kernel/caller.js';
import { type Work } from '../platform/database/unit-of-work.js';

export interface Identity {
  readonly email: string | null;
  /** Name of the person, otherwise of the token. */
  readonly name: string;
  readonly role: Role | null;
}

/** The person of a session, otherwise the token under its name. */
export async function findIdentity(trx: Work, caller: Caller): Promise<Identity> {
  const { workspaceId, repId } = caller;
  if (repId === null) return { email: null, name: await tokenName(trx, caller), role: roleOf(caller) };
  return trx
    .selectFrom('reps')
    .select(['email', 'name', 'role'])
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .executeTakeFirstOrThrow();
}

async function tokenName(trx: Work, { workspaceId, tokenId, tokenKind }: Caller): Promise<string> {
  const token = await trx
    .selectFrom('tokens')
    .select('label')
    .where('workspace_id', '=', workspaceId)
    .where('token_id', '=', tokenId ?? null)
    .executeTakeFirst();
  return token?.label ?? (tokenKind === 'conn' ? 'connection token' : 'workspace key');
}

/** The role that the token acts with; a connection token has none. */
export function roleOf({ accessLevel }: Caller): Role | null {
  return accessLevel === 'connection' || accessLevel === 'public' ? null : accessLevel;
}
