import { createHash, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { type Config } from '../../platform/config.js';
import { type TransactionWithoutWorkspace, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { toNetwork } from '../../platform/limits/attempt-limits.js';
import {
  type AgentClient,
  AuthorizationFailure,
  type AuthorizationRequest,
  type AuthorizationServer,
  type ClientMetadata,
  type CodeExchange,
  type IssuedTokens,
  type RefreshExchange,
} from '../../platform/mcp/authorization-server.js';
import { type Secrets } from '../../platform/secrets/secrets.js';
import { hashToken } from '../../platform/secrets/token.js';
import { AgentClients } from './agent-clients.js';
import {
  endReusedConnection,
  issueTokens,
  revokeAccessToken,
  revokeGrant,
  type UsedGrant,
  useGrant,
} from './agent-connection-store.js';
import { assertResource, checkRequest, grantedScopes, sealRequest } from './authorization-requests.js';

/** The public address of the service if people may connect agents; otherwise null. */
export function agentIssuer({ PUBLIC_URL, MCP_OAUTH }: Pick<Config, 'PUBLIC_URL' | 'MCP_OAUTH'>): string | null {
  return PUBLIC_URL !== undefined && (MCP_OAUTH ?? PUBLIC_URL.startsWith('https://')) ? PUBLIC_URL : null;
}

/** The authorization server of the MCP endpoint: its tokens act for the person who has agreed. */
export class AgentAuthorization implements AuthorizationServer {
  readonly resource: string;
  private readonly clients: AgentClients;

  constructor(
    readonly issuer: string,
    private readonly unitOfWork: UnitOfWork,
    private readonly secrets: Secrets,
    config: Pick<Config, 'MCP_CLIENTS' | 'CRM_ALLOW_LOOPBACK'>,
  ) {
    this.resource = `${issuer}/v1/mcp`;
    this.clients = new AgentClients(unitOfWork, config);
  }

  findClient(clientId: string): Promise<AgentClient | null> {
    return this.clients.find(clientId);
  }

  registerClient(metadata: ClientMetadata, address: string): Promise<AgentClient> {
    return this.clients.register(metadata, this.secrets.mac('agent-registration', toNetwork(address)));
  }

  consentUrl(client: AgentClient, request: AuthorizationRequest): string {
    const pending = checkRequest(client, request, this.resource);
    return `${this.issuer}/connect-agent?request=${sealRequest(this.secrets, pending)}`;
  }

  exchangeCode(
    { clientId }: AgentClient,
    { code, codeVerifier, redirectUri, resource }: CodeExchange,
  ): Promise<IssuedTokens> {
    assertResource(resource, this.resource);
    return this.exchange(code, 'code', clientId, (grant) => {
      const isProven = equal(createHash('sha256').update(codeVerifier).digest('base64url'), grant.codeChallenge ?? '');
      if (!isProven) return 'code_verifier does not belong to the code.';
      // OAuth 2.1 lets a client leave it out.
      return redirectUri === undefined || redirectUri === grant.redirectUri
        ? null
        : 'redirect_uri is not the one of the authorization request.';
    });
  }

  refresh({ clientId }: AgentClient, { refreshToken, scopes, resource }: RefreshExchange): Promise<IssuedTokens> {
    assertResource(resource, this.resource);
    const requested = scopes === undefined ? [] : grantedScopes(scopes);
    return this.exchange(refreshToken, 'refresh', clientId, (grant) =>
      requested.every((scope) => grant.scopes.includes(scope)) ? null : 'The person has not agreed to these scopes.',
    );
  }

  noteUse(clientId: string): Promise<void> {
    return this.clients.noteUse(clientId);
  }

  async revoke({ clientId }: AgentClient, token: string): Promise<void> {
    const hash = hashToken(token);
    if (hash === null) return;
    const workspaceId = await this.unitOfWork.withoutWorkspace(
      async (tx) => (await findWorkspaceByGrant(tx, hash)) ?? (await findWorkspaceByToken(tx, hash)),
    );
    if (workspaceId === null) return;
    await this.unitOfWork.write({ workspaceId }, async (tx) => {
      await revokeGrant(tx, hash, clientId);
      await revokeAccessToken(tx, hash, clientId);
    });
  }

  /**
   * Consumes the grant, also if the check fails, and issues tokens. The transaction commits in every case: the end of a
   * connection whose grant was used twice must be stored.
   */
  private async exchange(
    presented: string,
    kind: 'code' | 'refresh',
    clientId: string,
    findProblem: (grant: UsedGrant) => string | null,
  ): Promise<IssuedTokens> {
    const hash = hashToken(presented);
    const workspaceId =
      hash === null ? null : await this.unitOfWork.withoutWorkspace((tx) => findWorkspaceByGrant(tx, hash));
    if (hash === null || workspaceId === null) throw invalidGrant(kind);
    const result = await this.unitOfWork.write(
      { workspaceId },
      async (tx): Promise<IssuedTokens | AuthorizationFailure> => {
        const grant = await useGrant(tx, hash, kind, clientId);
        if (grant === null) {
          await endReusedConnection(tx, hash, clientId);
          return invalidGrant(kind);
        }
        const problem =
          grant.audience === this.resource ? findProblem(grant) : 'The address of the service has changed.';
        if (problem !== null) return new AuthorizationFailure('invalid_grant', problem);
        return issueTokens(tx, grant);
      },
    );
    if (result instanceof AuthorizationFailure) throw result;
    return result;
  }
}

function invalidGrant(kind: 'code' | 'refresh'): AuthorizationFailure {
  const name = kind === 'code' ? 'code' : 'refresh token';
  return new AuthorizationFailure('invalid_grant', `The ${name} is unknown, expired or was used before.`);
}

function equal(actual: string, expected: string): boolean {
  const [first, other] = [Buffer.from(actual), Buffer.from(expected)];
  return first.length === other.length && timingSafeEqual(first, other);
}

async function findWorkspaceByGrant(tx: TransactionWithoutWorkspace, hash: Buffer): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`select workspace_id as id from find_agent_grant(${hash})`.execute(tx.db);
  return rows[0]?.id ?? null;
}

async function findWorkspaceByToken(tx: TransactionWithoutWorkspace, hash: Buffer): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select workspace_id as id from find_tokens(array[${hash}::bytea]) where kind = 'agt'`.execute(tx.db);
  return rows[0]?.id ?? null;
}
