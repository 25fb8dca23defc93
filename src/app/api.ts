import { type Express } from 'express';
import { IdentityProviders } from '../access/auth/oidc/identity-providers.js';
import { SignInPages } from '../access/auth/pages/sign-in-pages.js';
import { AgentAuthorization, agentIssuer } from '../agents/access/agent-authorization.js';
import { AgentWriteRules } from '../agents/change-requests/agent-write-rules.js';
import { guidance } from '../agents/guidance/guidance.js';
import { CrmConsents } from '../crm/connections/crm-consents.js';
import { ConnectPages } from '../crm/connections/pages/connect-pages.js';
import { operations } from '../operations.js';
import { ScimEndpoint } from '../people/scim/scim-endpoint.js';
import { createApp } from '../platform/http/app.js';
import { type Authenticate, TokenAuthenticator } from '../platform/http/authenticate.js';
import { BrowserSessions } from '../platform/http/browser-sessions.js';
import { DocsSite } from '../platform/http/docs-site.js';
import { IdempotencyStore } from '../platform/http/idempotency.js';
import { LargeBodies } from '../platform/http/large-bodies.js';
import { PostgresRateCounter } from '../platform/http/postgres-rate-counter.js';
import { RateLimit } from '../platform/http/rate-limit.js';
import { RedisRateCounter } from '../platform/http/redis-rate-counter.js';
import { ResponseCache } from '../platform/http/response-cache.js';
import { WebApp } from '../platform/http/web-app.js';
import { AddressLimit } from '../platform/limits/address-limit.js';
import { AttemptLimits } from '../platform/limits/attempt-limits.js';
import { allowedHosts } from '../platform/mcp/allowed-hosts.js';
import { type AuthorizationServer } from '../platform/mcp/authorization-server.js';
import { McpEndpoint, type McpParts } from '../platform/mcp/endpoint.js';
import { OAuthEndpoint } from '../platform/mcp/oauth-endpoint.js';
import { ToolRunner } from '../platform/mcp/tool-runner.js';
import { Documents } from '../platform/openapi/documents.js';
import { type AnyOperation } from '../platform/operations/operation.js';
import { redisServers } from '../platform/redis/redis-connection.js';
import { Secrets } from '../platform/secrets/secrets.js';
import { type Service } from './composition.js';
import { type OpenedParts } from './opened-parts.js';

/** The parts of the API that are the same for every database of the process. */
export interface ApiParts {
  /** Health and metrics. */
  readonly routes: readonly ((app: Express) => void)[];
  readonly addressLimit: AddressLimit;
  readonly largeBodies: LargeBodies;
  /** The authorization server of agents; null where people cannot connect them. */
  readonly authorization: AuthorizationServer | null;
}

/** The authorization server of the database; null where people cannot connect agents by signing in. */
export function agentAuthorization({ config, unitOfWork, parts }: Service): AuthorizationServer | null {
  const issuer = agentIssuer(config);
  return issuer === null ? null : new AgentAuthorization(issuer, unitOfWork, parts.resolve(Secrets), config);
}

/** The routes of the service for the workspaces of one database. */
export async function openApi(service: Service, opened: OpenedParts, parts: ApiParts): Promise<Express> {
  const { config, database, replica, dispatcher, log, clock } = service;
  const attemptLimits = service.parts.resolve(AttemptLimits);
  const { PUBLIC_URL: publicUrl } = config;
  const { addressLimit, largeBodies } = parts;
  const rateLimit = await opened.open(
    () => openRateLimit(service),
    (open) => open.close(),
  );
  const documents = new Documents(publicUrl);
  const docsSite = new DocsSite();
  const localRateLimit = config.REDIS_URL === undefined ? config.RATE_LIMIT_PER_MINUTE : null;
  const authenticator = new TokenAuthenticator(database, attemptLimits, localRateLimit);
  const { authenticateFrom: authenticate } = authenticator;
  const browser = new BrowserSessions({ publicUrl, secrets: service.parts.resolve(Secrets), authenticate, rateLimit });
  const loadProviders = () => service.parts.resolve(IdentityProviders).listButtons();
  const signIn = new SignInPages(browser, dispatcher, loadProviders, addressLimit);
  const webApp = WebApp.open({
    basePath: browser.basePath,
    operations,
    loadProviders,
  });
  const connect = new ConnectPages(browser, service.parts.resolve(CrmConsents));
  const agents = agentEndpoints(service, parts, { authenticate: authenticator.authenticateAgentFrom, rateLimit });
  const scim = scimEndpoint(service, authenticate, rateLimit);
  return createApp({
    operations,
    dispatcher,
    authenticate,
    browser,
    trustProxyHops: config.TRUST_PROXY_HOPS,
    rateLimit,
    slowClientMs: config.SLOW_CLIENT_SECONDS * 1000,
    addressLimit,
    largeBodies,
    responseCache: new ResponseCache(clock, replica),
    idempotency: new IdempotencyStore(service.unitOfWork, log),
    log,
    publicUrl,
    extra: [
      ...parts.routes,
      (express) => documents.routes(express),
      (express) => docsSite.routes(express),
      ...agents,
      (express) => scim.routes(express),
      (express) => signIn.routes(express),
      (express) => connect.routes(express),
      (express) => webApp.routes(express),
    ],
  });
}

function scimEndpoint(service: Service, authenticate: Authenticate, rateLimit: RateLimit): ScimEndpoint {
  const { dispatcher, unitOfWork, clock, log, config } = service;
  const upsertReps = operations.find(({ id }) => id === 'upsertReps') as AnyOperation;
  const publicUrl = config.PUBLIC_URL ?? '';
  return new ScimEndpoint({ authenticate, rateLimit, dispatcher, unitOfWork, clock, log, upsertReps, publicUrl });
}

/** The MCP endpoint, and the authorization server where people connect agents by signing in. */
function agentEndpoints(
  { config, unitOfWork, dispatcher, parts, clock, log }: Service,
  { authorization, addressLimit, largeBodies }: ApiParts,
  admission: Pick<McpParts, 'authenticate' | 'rateLimit'>,
): ((app: Express) => void)[] {
  const hosts = allowedHosts(config);
  const mcp = new McpEndpoint({
    ...admission,
    largeBodies,
    operations,
    guidance,
    dispatcher,
    hosts,
    authorization,
    writes: new AgentWriteRules(unitOfWork, parts.resolve(ToolRunner), clock, config.PUBLIC_URL),
    log,
  });
  if (authorization === null) return [(app) => mcp.routes(app)];
  const oauth = new OAuthEndpoint(authorization, addressLimit, log);
  return [(app) => mcp.routes(app), (app) => oauth.routes(app)];
}

/** Counts requests in a store that all API processes share: Redis when it is configured, otherwise PostgreSQL. */
async function openRateLimit({ config, database, log }: Service): Promise<RateLimit> {
  const redis = redisServers(config);
  const counter = redis === null ? new PostgresRateCounter(database) : await RedisRateCounter.open(redis, log);
  return new RateLimit(counter, config.RATE_LIMIT_PER_MINUTE, log);
}
