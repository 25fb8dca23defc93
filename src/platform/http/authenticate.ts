import { sql } from 'kysely';
import { type Caller, type Role, type Standing } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { type Database } from '../database/pool.js';
import { type AttemptLimits } from '../limits/attempt-limits.js';
import { type TokenKind, tokenHash } from '../secrets/token.js';

const bearerPattern = /^bearer ([!-~]{1,100})$/i;

interface TokenRow {
  readonly workspace_id: string;
  readonly token_id: string;
  readonly kind: TokenKind;
  readonly rep_id: string | null;
  readonly role: Role | null;
  readonly active: boolean | null;
}

/**
 * Who the bearer of the header is. A session has its rep's role as it is now, so a demotion or a deactivation takes
 * effect with the next request. Every refusal is the same answer: it must not tell a wrong token from an old one.
 */
export async function authenticate(database: Database, header: string | undefined, requestId: string): Promise<Caller> {
  const token = bearerPattern.exec(header ?? '')?.[1];
  const hash = token === undefined ? null : tokenHash(token);
  if (hash === null) throw refusal();
  const { rows } = await sql<TokenRow>`select * from find_token(${hash})`.execute(database);
  const row = rows[0];
  if (row === undefined || (row.kind === 'sess' && row.active !== true)) throw refusal();
  return {
    workspaceId: row.workspace_id,
    standing: standingOf(row),
    repId: row.rep_id,
    actor: actorOf(row),
    requestId,
    tokenId: row.token_id,
    tokenKind: row.kind,
  };
}

/** Like {@link authenticate}; a token that is refused counts against the address it came from. No token is no guess. */
export async function authenticateFrom(
  { database, attemptLimits }: { readonly database: Database; readonly attemptLimits: AttemptLimits },
  header: string | undefined,
  requestId: string,
  address: string,
): Promise<Caller> {
  try {
    return await authenticate(database, header, requestId);
  } catch (error) {
    if (header !== undefined && error instanceof Failure) await attemptLimits.countFailure(address);
    throw error;
  }
}

function refusal(): Failure {
  return new Failure('unauthorized', 'A valid token is needed: Authorization: Bearer <token>.');
}

function standingOf(row: TokenRow): Standing {
  if (row.kind === 'ws') return 'admin';
  return row.kind === 'conn' ? 'connection' : (row.role ?? 'rep');
}

function actorOf(row: TokenRow): string {
  if (row.kind === 'ws') return 'api-key';
  return row.kind === 'conn' ? 'connection' : `rep:${row.rep_id}`;
}
