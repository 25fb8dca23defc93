import { sql } from 'kysely';
import { type Caller, type Role, type Standing } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { type Database } from '../database/pool.js';
import { type AttemptLimits } from '../limits/attempt-limits.js';
import { type TokenKind, tokenHash } from '../secrets/token.js';
import { Together } from '../together.js';

const bearerPattern = /^bearer ([!-~]{1,100})$/i;

interface TokenRow {
  readonly hash: Buffer;
  readonly workspace_id: string;
  readonly token_id: string;
  readonly kind: TokenKind;
  readonly rep_id: string | null;
  readonly role: Role | null;
  readonly active: boolean | null;
}

const mostAtOnce = 200;

/**
 * Tells who the bearer of a token is. A session has its rep's role as it is now, so a demotion or a deactivation takes
 * effect with the next request, and so does the end of a token: nothing is remembered, but requests that come while the
 * database is asked are asked for together. Every refusal is the same answer: it must not tell a wrong token from an
 * old one.
 */
export class Bearers {
  private readonly lookups = new Together<Buffer, TokenRow | undefined>(mostAtOnce, (hashes) => this.find(hashes));

  constructor(
    private readonly database: Database,
    private readonly attemptLimits: AttemptLimits,
  ) {}

  async authenticate(header: string | undefined, requestId: string): Promise<Caller> {
    const token = bearerPattern.exec(header ?? '')?.[1];
    const hash = token === undefined ? null : tokenHash(token);
    if (hash === null) throw refusal();
    const row = await this.lookups.ask(hash);
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

  /** The same; a token that is refused counts against the address it came from. No token is no guess. */
  async authenticateFrom(header: string | undefined, requestId: string, address: string): Promise<Caller> {
    try {
      return await this.authenticate(header, requestId);
    } catch (error) {
      if (header !== undefined && error instanceof Failure) await this.attemptLimits.countFailure(address);
      throw error;
    }
  }

  private async find(hashes: readonly Buffer[]): Promise<(TokenRow | undefined)[]> {
    const named = hashes.map((hash) => hash.toString('hex'));
    const distinct = [...new Set(named)].map((hash) => Buffer.from(hash, 'hex'));
    const { rows } = await sql<TokenRow>`select * from find_tokens(${distinct})`.execute(this.database);
    const found = new Map(rows.map((row) => [row.hash.toString('hex'), row]));
    return named.map((hash) => found.get(hash));
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
