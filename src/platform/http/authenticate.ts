import { sql } from 'kysely';
import { type AccessLevel, type Caller, type ConnectedAgent, type KeyScope, type Role } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { Batcher } from '../batcher.js';
import { type Database } from '../database/pool.js';
import { type AttemptLimits } from '../limits/attempt-limits.js';
import { hashToken, type TokenKind } from '../secrets/token.js';
import { type Counted, type CountRow, toCounted } from './rate-limit.js';

const bearerPattern = /^bearer ([!-~]{1,100})$/i;

/** The caller of a token, and the data that the same statement reads. */
export interface Bearer {
  readonly caller: Caller;
  /** The result of counting the request; null where requests are counted elsewhere. */
  readonly counted: Counted | null;
  /** The cache versions of the caller's workspace, where they were requested; see `selectCacheVersion`. */
  readonly cacheVersions: string | null;
}

export type Authenticate = (
  authorization: string | undefined,
  requestId: string,
  address: string,
  withCacheVersions: boolean,
) => Promise<Bearer>;

interface TokenRow extends CountRow {
  readonly hash: Buffer;
  readonly workspace_id: string;
  readonly token_id: string;
  readonly kind: TokenKind;
  readonly rep_id: string | null;
  readonly role: Role | null;
  readonly active: boolean | null;
  readonly created_by: string | null;
  readonly scopes: readonly KeyScope[] | null;
  readonly agent: ConnectedAgent | null;
  readonly cache_versions: string | null;
  /** The reps that a manager is restricted to; null where nothing restricts the caller. */
  readonly team: readonly string[] | null;
  readonly is_agent: boolean;
}

interface Lookup {
  readonly hash: Buffer;
  readonly withCacheVersions: boolean;
}

type Found = Omit<Bearer, 'caller'> & { readonly token: TokenRow };

const maxBatchSize = 200;

/**
 * Authenticates tokens. A session has the current role of its rep, so a demotion, a deactivation or the expiry of a
 * token takes effect with the next request: nothing is cached, but requests that arrive during a lookup share the
 * next one. Every rejection has the same response, so that it does not reveal whether a token ever existed.
 */
export class TokenAuthenticator {
  private readonly lookups = new Batcher<Lookup, Found | null>(maxBatchSize, (lookups) => this.find(lookups));

  constructor(
    private readonly database: Database,
    private readonly attemptLimits: AttemptLimits,
    /** Max number of requests a minute, counted by the same statement; null where requests are counted elsewhere. */
    private readonly perMinute: number | null = null,
  ) {}

  async authenticate(header: string | undefined, requestId: string, withCacheVersions = false): Promise<Bearer> {
    const token = bearerPattern.exec(header ?? '')?.[1];
    const hash = token === undefined ? null : hashToken(token);
    if (hash === null) throw unauthorized();
    const found = await this.lookups.add({ hash, withCacheVersions });
    if (found === null || (isOfPerson(found.token) && found.token.active !== true)) throw unauthorized();
    const { token: row, counted, cacheVersions } = found;
    return {
      caller: {
        workspaceId: row.workspace_id,
        accessLevel: toAccessLevel(row),
        repId: row.rep_id,
        actor: toActor(row),
        requestId,
        ...(row.team == null ? {} : { team: new Set(row.team) }),
        ...(row.created_by === null ? {} : { keyCreatorId: row.created_by }),
        ...(row.scopes === null ? {} : { scopes: new Set(row.scopes) }),
        ...(row.agent === null ? {} : { agent: row.agent }),
        ...(row.is_agent ? { isAgentKey: true as const } : {}),
        tokenId: row.token_id,
        tokenKind: row.kind,
      },
      counted,
      cacheVersions,
    };
  }

  /**
   * Authenticates; a rejected token counts against the address it came from. A request without a token does not. The
   * tokens of agents are valid for the MCP endpoint only.
   */
  readonly authenticateFrom: Authenticate = async (header, requestId, address, withCacheVersions) => {
    const bearer = await this.authenticateAgentFrom(header, requestId, address, withCacheVersions);
    if (bearer.caller.agent !== undefined)
      throw new Failure('unauthorized', 'The token of an agent works at /v1/mcp only.');
    return bearer;
  };

  /** The same, also for tokens of agents. */
  readonly authenticateAgentFrom: Authenticate = async (header, requestId, address, withCacheVersions) => {
    try {
      const bearer = await this.authenticate(header, requestId, withCacheVersions);
      return { ...bearer, caller: { ...bearer.caller, address } };
    } catch (error) {
      if (header !== undefined && error instanceof Failure) await this.attemptLimits.countFailure(address, 'token');
      throw error;
    }
  };

  private async find(lookups: readonly Lookup[]): Promise<(Found | null)[]> {
    const byHash = groupBy(lookups, ({ hash }) => hash.toString('hex'));
    const groups = [...byHash.values()];
    const { rows } = await sql<TokenRow>`
      select * from admit_callers(${groups.map(([first]) => first?.hash)}, ${groups.map((all) => all.length)},
        ${groups.map((all) => all.some((lookup) => lookup.withCacheVersions))}, ${this.perMinute})`.execute(
      this.database,
    );
    const found = new Map<Lookup, Found>();
    for (const token of rows)
      for (const [index, lookup] of (byHash.get(token.hash.toString('hex')) ?? []).entries())
        found.set(lookup, {
          token,
          counted: this.perMinute === null ? null : toCounted(index, token),
          cacheVersions: lookup.withCacheVersions ? token.cache_versions : null,
        });
    return lookups.map((lookup) => found.get(lookup) ?? null);
  }
}

function unauthorized(): Failure {
  return new Failure('unauthorized', 'Send a valid token in the header Authorization: Bearer <token>.');
}

function isOfPerson({ kind }: TokenRow): boolean {
  return kind === 'sess' || kind === 'agt';
}

function toAccessLevel(row: TokenRow): AccessLevel {
  if (row.kind === 'ws' || row.kind === 'int') return 'admin';
  return row.kind === 'conn' ? 'connection' : (row.role ?? 'rep');
}

function toActor(row: TokenRow): string {
  if (row.kind === 'ws') return 'api-key';
  if (row.kind === 'int') return `key:${row.token_id}`;
  if (row.kind === 'conn') return 'connection';
  return `rep:${row.rep_id}${row.agent === null ? '' : ` via ${row.agent.clientName}`}`;
}
