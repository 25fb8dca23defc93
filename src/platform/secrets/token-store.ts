import { type InsertObject } from 'kysely';
import { newId } from '../../kernel/ids.js';
import { type Tables } from '../database/tables.js';
import { type Transaction } from '../database/unit-of-work.js';
import { hashToken, newToken, type TokenKind } from './token.js';

type NewToken = Omit<InsertObject<Tables, 'tokens'>, 'token_id' | 'kind' | 'token_hash'>;

/** Creates a token. It is returned only here: the database has its hash. */
export async function insertToken(tx: Transaction, kind: TokenKind, values: NewToken) {
  const id = newId();
  const token = newToken(kind);
  const stored = await tx.db
    .insertInto('tokens')
    .values({ ...values, token_id: id, kind, token_hash: hashToken(token) as Buffer })
    .returning(['created_at as createdAt', 'expires_at as expiresAt'])
    .executeTakeFirstOrThrow();
  return { id, token, ...stored };
}

/** Deletes a token, which stops working at once; false if there is none. */
export async function deleteToken(tx: Transaction, kind: TokenKind, tokenId: string | null): Promise<boolean> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('tokens')
    .where('workspace_id', '=', tx.workspaceId)
    .where('token_id', '=', tokenId)
    .where('kind', '=', kind)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
