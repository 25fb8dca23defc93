import { z } from 'zod';
import { type Caller, type Role, roles } from '../../kernel/caller.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type TokenKind, tokenKinds } from '../../platform/secrets/token.js';

/** Fields of responses that describe the caller's token. */
export const tokenFields = {
  kind: z
    .enum(tokenKinds)
    .describe(
      'ws: API key; sess: session of a person; conn: connection token; int: integration key; agt: connected agent',
    ),
  role: z.enum(roles).nullable().describe('The role that the token acts with; null for a connection token'),
  repId: z.string().nullable().describe('The rep of a session (UUID); null for tokens without a person'),
};

export function toTokenFields(caller: Caller): { kind: TokenKind; role: Role | null; repId: string | null } {
  return { kind: caller.tokenKind ?? 'ws', role: findRole(caller), repId: caller.repId };
}

interface Identity {
  readonly email: string | null;
  /** Name of the person, otherwise of the token. */
  readonly name: string;
  readonly role: Role | null;
}

/** The person of a session, otherwise the token under its name. */
export async function findIdentity(tx: Transaction, caller: Caller): Promise<Identity> {
  const { repId } = caller;
  if (repId === null) return { email: null, name: await tokenName(tx, caller), role: findRole(caller) };
  return tx.db
    .selectFrom('reps')
    .select(['email', 'name', 'role'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .executeTakeFirstOrThrow();
}

async function tokenName(tx: Transaction, { tokenId, tokenKind }: Caller): Promise<string> {
  const token = await tx.db
    .selectFrom('tokens')
    .select('label')
    .where('workspace_id', '=', tx.workspaceId)
    .where('token_id', '=', tokenId ?? null)
    .executeTakeFirst();
  return token?.label ?? (tokenKind === 'conn' ? 'connection token' : 'workspace key');
}

/** The role that the token acts with; a connection token has none. */
function findRole({ accessLevel }: Caller): Role | null {
  return accessLevel === 'connection' || accessLevel === 'public' ? null : accessLevel;
}
