import { type RawBuilder, sql } from 'kysely';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { type AgentScope, type Caller } from '../../kernel/caller.js';
import { newId } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type IssuedTokens } from '../../platform/mcp/authorization-server.js';
import { hashToken, newToken } from '../../platform/secrets/token.js';
import { insertToken } from '../../platform/secrets/token-store.js';

const codeSeconds = 120;
const accessTokenSeconds = 3600;
/** A connection ends when its agent has not refreshed its tokens for so long. */
const refreshTokenDays = 30;

export interface NewConnection {
  readonly repId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly audience: string;
  readonly scopes: readonly AgentScope[];
  readonly redirectUri: string;
  readonly codeChallenge: string;
}

/** Stores what the person has permitted. Returns the code that the client exchanges for tokens. */
export async function insertConnection(tx: Transaction, caller: Caller, connection: NewConnection): Promise<string> {
  const { repId, clientId, clientName, audience, scopes, redirectUri, codeChallenge } = connection;
  const connectionId = newId();
  await tx.db
    .insertInto('agent_connections')
    .values({
      workspace_id: tx.workspaceId,
      connection_id: connectionId,
      rep_id: repId,
      client_id: clientId,
      client_name: clientName,
      audience,
      scopes: [...scopes],
    })
    .execute();
  const code = newToken('agc');
  const lifetime = sql`make_interval(secs => ${codeSeconds})`;
  const bound = { redirect_uri: redirectUri, code_challenge: codeChallenge };
  await insertGrant(tx, { connectionId, kind: 'code', token: code, lifetime, ...bound });
  await recordAuditEntry(tx, caller, {
    trigger: 'agent_connected',
    scope: 'rep',
    repId,
    details: { connectionId, clientId, clientName, scopes },
  });
  return code;
}

/** A connection whose code or refresh token was presented. */
export interface UsedGrant {
  readonly connectionId: string;
  readonly repId: string;
  readonly clientName: string;
  readonly audience: string;
  readonly scopes: AgentScope[];
  readonly redirectUri: string | null;
  readonly codeChallenge: string | null;
}

/** Marks the grant as used, once; null if it is unknown, used, expired, of another client or of an inactive person. */
export async function useGrant(
  tx: Transaction,
  hash: Buffer,
  kind: 'code' | 'refresh',
  clientId: string,
): Promise<UsedGrant | null> {
  const { rows } = await sql<UsedGrant>`
    update agent_grants g set used_at = now()
    from agent_connections c join reps r on r.workspace_id = c.workspace_id and r.rep_id = c.rep_id
    where g.workspace_id = ${tx.workspaceId} and g.grant_hash = ${hash} and g.kind = ${kind} and g.used_at is null
      and g.expires_at > now() and c.workspace_id = g.workspace_id and c.connection_id = g.connection_id
      and c.client_id = ${clientId} and r.active
    returning g.connection_id as "connectionId", c.rep_id as "repId", c.client_name as "clientName", c.audience,
      c.scopes, g.redirect_uri as "redirectUri", g.code_challenge as "codeChallenge"`.execute(tx.db);
  return rows[0] ?? null;
}

/**
 * Issues an access token and a refresh token. The latest access token stays valid until it expires, for requests that
 * are on their way, and earlier ones end.
 */
export async function issueTokens(
  tx: Transaction,
  { connectionId, repId, clientName, scopes }: UsedGrant,
): Promise<IssuedTokens> {
  await sql`
    delete from tokens where workspace_id = ${tx.workspaceId} and connection_id = ${connectionId} and token_id not in (
      select token_id from tokens where workspace_id = ${tx.workspaceId} and connection_id = ${connectionId}
      order by created_at desc, token_id desc limit 1)`.execute(tx.db);
  const { token: accessToken } = await insertToken(tx, 'agt', {
    workspace_id: tx.workspaceId,
    rep_id: repId,
    label: clientName,
    expires_at: sql<Date>`now() + make_interval(secs => ${accessTokenSeconds})`,
    connection_id: connectionId,
  });
  const refreshToken = newToken('agr');
  const lifetime = sql`make_interval(days => ${refreshTokenDays})`;
  await insertGrant(tx, { connectionId, kind: 'refresh', token: refreshToken, lifetime });
  return { accessToken, refreshToken, expiresInSeconds: accessTokenSeconds, scopes };
}

interface NewGrant {
  readonly connectionId: string;
  readonly kind: 'code' | 'refresh';
  readonly token: string;
  readonly lifetime: RawBuilder<unknown>;
  readonly redirect_uri?: string;
  readonly code_challenge?: string;
}

async function insertGrant(tx: Transaction, { connectionId, kind, token, lifetime, ...bound }: NewGrant) {
  await tx.db
    .insertInto('agent_grants')
    .values({
      workspace_id: tx.workspaceId,
      grant_hash: hashToken(token) as Buffer,
      kind,
      connection_id: connectionId,
      ...bound,
      expires_at: sql<Date>`now() + ${lifetime}`,
    })
    .execute();
}

/** Ends the connection of a refresh token of the client. */
export function revokeGrant(tx: Transaction, hash: Buffer, clientId: string): Promise<void> {
  return endConnection(tx, clientId, sql`g.grant_hash = ${hash}`, 'revoked_by_client');
}

/** Ends the connection of a grant that was used before: one of the two who presented it has stolen it. */
export function endReusedConnection(tx: Transaction, hash: Buffer, clientId: string): Promise<void> {
  const isUsed = sql`g.grant_hash = ${hash} and g.used_at is not null`;
  return endConnection(tx, clientId, isUsed, 'grant_used_twice');
}

async function endConnection(
  tx: Transaction,
  clientId: string,
  isGrant: RawBuilder<unknown>,
  reason: string,
): Promise<void> {
  const { rows } = await sql<EndedConnection>`
    delete from agent_connections c using agent_grants g
    where g.workspace_id = ${tx.workspaceId} and ${isGrant}
      and c.workspace_id = g.workspace_id and c.connection_id = g.connection_id and c.client_id = ${clientId}
    returning ${ended}`.execute(tx.db);
  await recordEnd(tx, { actor: 'anonymous' }, rows, reason);
}

/** Makes one access token of the client invalid. */
export async function revokeAccessToken(tx: Transaction, hash: Buffer, clientId: string): Promise<void> {
  await sql`
    delete from tokens t using agent_connections c
    where t.workspace_id = ${tx.workspaceId} and t.token_hash = ${hash} and t.kind = 'agt'
      and c.workspace_id = t.workspace_id and c.connection_id = t.connection_id
        and c.client_id = ${clientId}`.execute(tx.db);
}

/** Ends a connection, of one person unless `repId` is null; false if there is none. Its tokens stop working at once. */
export async function deleteConnection(
  tx: Transaction,
  caller: Caller,
  connectionId: string,
  repId: string | null,
): Promise<boolean> {
  const { rows } = await sql<EndedConnection>`
    delete from agent_connections c
    where c.workspace_id = ${tx.workspaceId} and c.connection_id = ${connectionId}
      and (${repId}::uuid is null or c.rep_id = ${repId})
    returning ${ended}`.execute(tx.db);
  await recordEnd(tx, caller, rows, 'disconnected');
  return rows.length > 0;
}

interface EndedConnection {
  readonly connectionId: string;
  readonly repId: string;
  readonly clientName: string;
}

const ended = sql.raw('c.connection_id as "connectionId", c.rep_id as "repId", c.client_name as "clientName"');

async function recordEnd(
  tx: Transaction,
  who: { readonly actor: string },
  connections: readonly EndedConnection[],
  reason: string,
): Promise<void> {
  for (const { connectionId, repId, clientName } of connections)
    await recordAuditEntry(tx, who, {
      trigger: 'agent_disconnected',
      scope: 'rep',
      repId,
      details: { connectionId, clientName, reason },
    });
}
