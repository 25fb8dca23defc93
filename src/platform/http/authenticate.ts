import { sql } from 'kysely';
import { type AccessLevel, type Caller, type Role } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { Batcher } from '../batcher.js';
import { type Database } from '../database/pool.js';
import { type AttemptLimits } from '../limits/attempt-limits.js';
import { type TokenKind, tokenHash } from '../secrets/token.js';
import { type Counted, type CountRow, countedAt } from './rate-limit.js';

const bearerPattern = /^bearer ([!-~]{1,100})$/i;

/** Who bears a token, and what was asked of the database along with that. */
export interface Bearer {
  readonly caller: Caller;
  /** What counting the request came to; null where requests are counted elsewhere. */
  readonly counted: Counted | null;
  /** Those of all parts of the caller's workspace, where they were asked for; see `revisionOf`. */
  readonly revisions: string | null;
}

export type Authenticate = (
  authorization: string | undefined,
  requestId: string,
  address: string,
  withRevisions: boolean,
) => Promise<Bearer>;

interface TokenRow extends CountRow {
  readonly hash: Buffer;
  readonly workspace_id: string;
  readonly token_id: string;
  readonly kind: TokenKind;
  readonly rep_id: string | null;
  readonly role: Role | null;
  readonly active: boolean | null;
  readonly revisions: string | null;
  /** Whom a manager is restricted to; null where nothing restricts the caller. */
  readonly team: readonly string[] | null;
}

interface Asked {
  readonly hash: Buffer;
  readonly withRevisions: boolean;
}

type Found = Omit<Bearer, 'caller'> & { readonly token: TokenRow };

const mostAtOnce = 200;

/**
 * Tells who the bearer of a token is. A session has its rep's role as it is now, so a demotion or a deactivation takes
 * effect with the next request, and so does the end of a token: nothing is remembered, but requests that come while the
 * database is asked are asked for together. Every refusal is the same answer: it must not tell a wrong token from an
 * old one.
 */
export class TokenAuthenticator {
  private readonly lookups = new Batcher<Asked, Found | null>(mostAtOnce, (asked) => this.find(asked));

  constructor(
    private readonly database: Database,
    private readonly attemptLimits: AttemptLimits,
    /** Counts the request too, against so many a minute; null where they are counted elsewhere. */
    private readonly perMinute: number | null = null,
  ) {}

  async authenticate(header: string | undefined, requestId: string, withRevisions = false): Promise<Bearer> {
    const token = bearerPattern.exec(header ?? '')?.[1];
    const hash = token === undefined ? null : tokenHash(token);
    if (hash === null) throw refusal();
    const found = await this.lookups.add({ hash, withRevisions });
    if (found === null || (found.token.kind === 'sess' && found.token.active !== true)) throw refusal();
    const { token: row, counted, revisions } = found;
    return {
      caller: {
        workspaceId: row.workspace_id,
        accessLevel: standingOf(row),
        repId: row.rep_id,
        actor: actorOf(row),
        requestId,
        ...(row.team == null ? {} : { team: new Set(row.team) }),
        tokenId: row.token_id,
        tokenKind: row.kind,
      },
      counted,
      revisions,
    };
  }

  /** The same; a token that is refused counts against the address it came from. No token is no guess. */
  readonly authenticateFrom: Authenticate = async (header, requestId, address, withRevisions) => {
    try {
      return await this.authenticate(header, requestId, withRevisions);
    } catch (error) {
      if (header !== undefined && error instanceof Failure) await this.attemptLimits.countFailure(address);
      throw error;
    }
  };

  private async find(asked: readonly Asked[]): Promise<(Found | null)[]> {
    const byHash = groupBy(asked, ({ hash }) => hash.toString('hex'));
    const groups = [...byHash.values()];
    const { rows } = await sql<TokenRow>`
      select * from admit_requests(${groups.map(([first]) => first?.hash)}, ${groups.map((all) => all.length)},
        ${groups.map((all) => all.some((one) => one.withRevisions))}, ${this.perMinute})`.execute(this.database);
    const found = new Map<Asked, Found>();
    for (const token of rows)
      for (const [place, one] of (byHash.get(token.hash.toString('hex')) ?? []).entries())
        found.set(one, {
          token,
          counted: this.perMinute === null ? null : countedAt(place, token),
          revisions: one.withRevisions ? token.revisions : null,
        });
    return asked.map((one) => found.get(one) ?? null);
  }
}

function refusal(): Failure {
  return new Failure('unauthorized', 'A valid token is needed: Authorization: Bearer <token>.');
}

function standingOf(row: TokenRow): AccessLevel {
  if (row.kind === 'ws') return 'admin';
  return row.kind === 'conn' ? 'connection' : (row.role ?? 'rep');
}

function actorOf(row: TokenRow): string {
  if (row.kind === 'ws') return 'api-key';
  return row.kind === 'conn' ? 'connection' : `rep:${row.rep_id}`;
}
