import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { timeLimit } from '../../kernel/time-limit.js';
import { type Config } from '../../platform/config.js';
import { type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { clientMetadata, displayName, metadataDocument } from '../../platform/mcp/agent-client.js';
import {
  type AgentClient,
  AuthorizationFailure,
  type ClientMetadata,
} from '../../platform/mcp/authorization-server.js';
import { getGuarded, PostFailure } from '../../platform/outbound/guarded-post.js';

const documentTtlMs = 5 * 60_000;
const maxDocumentBytes = 16 * 1024;

/** Clients of agents: those of the configuration, those with a metadata document, and those that have registered. */
export class AgentClients {
  private readonly configured: ReadonlyMap<string, AgentClient>;
  private readonly documents = new LRUCache<string, AgentClient>({ max: 500, ttl: documentTtlMs });

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly config: Pick<Config, 'MCP_CLIENTS' | 'CRM_ALLOW_LOOPBACK'>,
  ) {
    this.configured = new Map(
      config.MCP_CLIENTS.map(({ client_id, client_name, redirect_uris, client_secret }) => [
        client_id,
        {
          clientId: client_id,
          name: client_name,
          redirectUris: redirect_uris,
          ...(client_secret === undefined ? {} : { secret: client_secret }),
        },
      ]),
    );
  }

  async find(clientId: string): Promise<AgentClient | null> {
    if (clientId.length > 2000) return null;
    const configured = this.configured.get(clientId);
    if (configured !== undefined) return configured;
    return isDocumentUrl(clientId) ? this.ofDocument(clientId) : this.registered(clientId);
  }

  async register(metadata: ClientMetadata, networkHash: Buffer): Promise<AgentClient> {
    const { name, redirectUris } = checked(metadata);
    const client = { clientId: randomUUID(), name: displayName(name, 'Agent'), redirectUris };
    const stored = JSON.stringify({ name: client.name, redirectUris });
    const { rows } = await this.unitOfWork.withoutWorkspace((tx) =>
      sql<{ result: 'registered' | 'network_limit' | 'limit' }>`
        select register_agent_client(${client.clientId}, ${stored}, ${networkHash}) as result`.execute(tx.db),
    );
    if (rows[0]?.result === 'registered') return client;
    const whose = rows[0]?.result === 'network_limit' ? 'Too many clients of your network' : 'Too many clients';
    throw new AuthorizationFailure('temporarily_unavailable', `${whose} have registered. Try again in an hour.`);
  }

  /** Only clients that have registered are deleted. */
  async noteUse(clientId: string): Promise<void> {
    if (this.configured.has(clientId) || isDocumentUrl(clientId)) return;
    await this.unitOfWork.withoutWorkspace((tx) => sql`select note_agent_client(${clientId})`.execute(tx.db));
  }

  private async registered(clientId: string): Promise<AgentClient | null> {
    const { rows } = await this.unitOfWork.withoutWorkspace((tx) =>
      sql<{ metadata: { name: string; redirectUris: string[] } }>`
        select metadata from find_agent_client(${clientId})`.execute(tx.db),
    );
    const found = rows[0]?.metadata;
    return found === undefined ? null : { clientId, ...found };
  }

  /** A client is identified by its ability to publish a document at the URL. */
  private async ofDocument(clientId: string): Promise<AgentClient> {
    const known = this.documents.get(clientId);
    if (known !== undefined) return known;
    const document = metadataDocument.safeParse(await this.fetchDocument(clientId));
    if (!document.success) {
      const [issue] = document.error.issues;
      throw rejected(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
    }
    const { client_id, client_name, redirect_uris: redirectUris } = document.data;
    if (client_id !== clientId) throw rejected('client_id is not the URL of the document');
    const client = { clientId, name: displayName(client_name, new URL(clientId).host), redirectUris };
    this.documents.set(clientId, client);
    return client;
  }

  private async fetchDocument(clientId: string): Promise<unknown> {
    try {
      const { status, body } = await getGuarded(
        new URL(clientId),
        { Accept: 'application/json' },
        {
          allowLoopback: this.config.CRM_ALLOW_LOOPBACK,
          timeoutMs: timeLimit(5000),
          maxResponseBytes: maxDocumentBytes,
        },
      );
      if (status !== 200) throw rejected(`the response has status ${status}`);
      return JSON.parse(body);
    } catch (error) {
      if (error instanceof PostFailure) throw rejected(error.message);
      if (error instanceof SyntaxError) throw rejected(`it is not JSON of at most ${maxDocumentBytes / 1024} KiB`);
      throw error;
    }
  }
}

/** An address with a path: an address without one could be anybody's start page. */
function isDocumentUrl(clientId: string): boolean {
  if (!/^https?:\/\//.test(clientId) || !URL.canParse(clientId)) return false;
  const url = new URL(clientId);
  return url.href === clientId && url.pathname !== '/' && url.hash === '' && url.username === '';
}

function rejected(reason: string): AuthorizationFailure {
  return new AuthorizationFailure('invalid_client', `The metadata document of the client cannot be used: ${reason}.`);
}

function checked(metadata: ClientMetadata): ClientMetadata {
  const parsed = clientMetadata.safeParse(metadata);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const isRedirect = issue?.path[0] === 'redirectUris';
  throw new AuthorizationFailure(
    isRedirect ? 'invalid_redirect_uri' : 'invalid_client_metadata',
    `${isRedirect ? 'redirect_uris' : 'client_name'}: ${issue?.message ?? ''}`,
  );
}
