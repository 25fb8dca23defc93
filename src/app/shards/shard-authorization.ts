import { mapInParallel } from '../../kernel/waiting.js';
import {
  type AgentClient,
  type AuthorizationRequest,
  type AuthorizationServer,
  type ClientMetadata,
  type CodeExchange,
  type IssuedTokens,
  type RefreshExchange,
} from '../../platform/mcp/authorization-server.js';
import { hashToken } from '../../platform/secrets/token.js';
import { tokenKey } from './key.js';
import { type Shard } from './shard.js';
import { databaseUnavailable, type Shards } from './shards.js';

/** The authorization server of one database, which takes the grants of the others to their databases. */
export class ShardAuthorization implements AuthorizationServer {
  readonly issuer: string;
  readonly resource: string;

  constructor(
    private readonly own: AuthorizationServer,
    private readonly shards: Shards,
    /** The authorization server of each database. */
    private readonly servers: ReadonlyMap<Shard, AuthorizationServer>,
  ) {
    this.issuer = own.issuer;
    this.resource = own.resource;
  }

  /** A client registers in the database that serves what belongs to no workspace, which may be another one later. */
  async findClient(clientId: string): Promise<AgentClient | null> {
    const found = await this.own.findClient(clientId);
    if (found !== null) return found;
    const others = [...this.servers].filter(([shard, server]) => shard.isServing && server !== this.own);
    const elsewhere = await mapInParallel(others, ([, server]) => server.findClient(clientId));
    return elsewhere.find((client) => client !== null) ?? null;
  }

  registerClient(metadata: ClientMetadata, address: string): Promise<AgentClient> {
    return this.own.registerClient(metadata, address);
  }

  consentUrl(client: AgentClient, request: AuthorizationRequest): string {
    return this.own.consentUrl(client, request);
  }

  async exchangeCode(client: AgentClient, exchange: CodeExchange): Promise<IssuedTokens> {
    return this.listed((await this.serverOf(exchange.code)).exchangeCode(client, exchange));
  }

  async refresh(client: AgentClient, exchange: RefreshExchange): Promise<IssuedTokens> {
    return this.listed((await this.serverOf(exchange.refreshToken)).refresh(client, exchange));
  }

  /** Any database may have the client. */
  async noteUse(clientId: string): Promise<void> {
    const serving = [...this.servers].filter(([shard]) => shard.isServing);
    await mapInParallel(serving, ([, server]) => server.noteUse(clientId));
  }

  async revoke(client: AgentClient, token: string): Promise<void> {
    await (await this.serverOf(token)).revoke(client, token);
  }

  private async serverOf(presented: string): Promise<AuthorizationServer> {
    const hash = hashToken(presented);
    if (hash === null) return this.own;
    const { places, isComplete } = await this.shards.locateToken(tokenKey(hash));
    const [place] = places;
    if (place === undefined && isComplete) return this.own;
    const shard = place === undefined || place.isMoving ? null : this.shards.named(place.shard);
    if (shard?.isServing !== true) throw databaseUnavailable();
    return this.servers.get(shard) ?? this.own;
  }

  private async listed(issuing: Promise<IssuedTokens>): Promise<IssuedTokens> {
    const issued = await issuing;
    const hashes = [issued.accessToken, issued.refreshToken].map(hashToken).filter((hash) => hash !== null);
    await mapInParallel(hashes, (hash) => this.shards.locateToken(tokenKey(hash))).catch(() => undefined);
    return issued;
  }
}
