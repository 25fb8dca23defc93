import closeWithGrace from 'close-with-grace';
import express, { type Express } from 'express';
import { sql } from 'kysely';
import { migrations } from '#migrations/index.js';
import { startWorkers } from '#workers/registry.js';
import { AgentAuthorization, agentIssuer } from '../agents/access/agent-authorization.js';
import { AgentWriteRules } from '../agents/change-requests/agent-write-rules.js';
import { guidance } from '../agents/guidance/guidance.js';
import { SignInPages } from '../auth/pages/sign-in-pages.js';
import { CrmConsents } from '../crm/connections/crm-consents.js';
import { ConnectPages } from '../crm/connections/pages/connect-pages.js';
import { operations } from '../operations.js';
import { type Config } from '../platform/config.js';
import { assertMigrated, listPendingMigrations, migrateToLatest } from '../platform/database/migrate.js';
import { assertHarmlessRole, type Database, withDatabase } from '../platform/database/pool.js';
import { type DatabaseServer, openDatabaseServer } from '../platform/database/server.js';
import { createApp } from '../platform/http/app.js';
import { type Authenticate, TokenAuthenticator } from '../platform/http/authenticate.js';
import { BrowserSessions } from '../platform/http/browser-sessions.js';
import { Health } from '../platform/http/health.js';
import { IdempotencyStore } from '../platform/http/idempotency.js';
import { LargeBodies } from '../platform/http/large-bodies.js';
import { type Address, assertFree, type Listening, listen } from '../platform/http/listen.js';
import { metricsPage } from '../platform/http/metrics-page.js';
import { PostgresRateCounter } from '../platform/http/postgres-rate-counter.js';
import { RateLimit } from '../platform/http/rate-limit.js';
import { RedisRateCounter } from '../platform/http/redis-rate-counter.js';
import { reportUnhandledRejections } from '../platform/http/request-context.js';
import { ResponseCache } from '../platform/http/response-cache.js';
import { WebApp } from '../platform/http/web-app.js';
import { AddressLimit } from '../platform/limits/address-limit.js';
import { type Log } from '../platform/log.js';
import { allowedHosts } from '../platform/mcp/allowed-hosts.js';
import { McpEndpoint, type McpParts } from '../platform/mcp/endpoint.js';
import { OAuthEndpoint } from '../platform/mcp/oauth-endpoint.js';
import { ToolRunner } from '../platform/mcp/tool-runner.js';
import { metrics } from '../platform/metrics.js';
import { Documents } from '../platform/openapi/documents.js';
import { type AnyOperation } from '../platform/operations/operation.js';
import { redisServers } from '../platform/redis/redis-connection.js';
import { checkRedis } from '../platform/redis/redis-settings.js';
import { flushTraces } from '../platform/tracing.js';
import { ScimEndpoint } from '../scim/scim-endpoint.js';
import { compose, type Service } from './composition.js';
import { describeService } from './describe-service.js';
import { claimForOnlyWorkspace } from './installation-operator.js';
import { OpenedParts } from './opened-parts.js';
import { loadStartPageLinks, type StartPageLink } from './start-page-links.js';
import { type SupervisorChannel, sameStopMs, stopSignals } from './supervised.js';

/** The role of a process: serve requests, run jobs, or both. */
export interface ProcessParts {
  readonly api: boolean;
  readonly worker: boolean;
  /** How often a supervisor has restarted it. */
  readonly restarts?: number;
}

export interface RunningProcess {
  readonly url: string | null;
  /** URL of the metrics if they have a separate port. */
  readonly metricsUrl: string | null;
  readonly service: Service;
  /** What the hook for the first start returned; null on every later start. */
  readonly welcome: Welcome | null;
  /** Links to the web app that sign in or set up; only for an embedded database. */
  readonly links: readonly StartPageLink[];
  stop(): Promise<void>;
}

/** The lines that the command `serve` prints after the first start of a service at this address. */
export type Welcome = (url: string) => readonly string[];

/** Fills the database of a service that has no workspace yet. The workers run; the API does not listen yet. */
type FirstStart = (service: Service) => Promise<Welcome>;

/**
 * Starts a process: the database first, the API last. A port that is in use ends the start before the demo is created,
 * whose key is printed only once. A stop runs in the reverse order: readiness ends, requests and
 * jobs finish, then the queue, the connections and the embedded database are closed. `firstStart` runs only if the
 * database is embedded and the process has all parts. Closing `opened` stops the start as well.
 */
export async function start(
  config: Config,
  parts: ProcessParts,
  log: Log,
  firstStart: FirstStart | null = null,
  opened = new OpenedParts(log),
): Promise<RunningProcess> {
  try {
    await opened.open(async () => undefined, flushTraces);
    if (parts.api) await assertFree(apiAddress(config));
    const server = await opened.open(
      () => openDatabaseServer(config, log),
      ({ stop }) => stop(),
    );
    // An embedded database belongs to the process, so a worker without an API migrates it too.
    const migrates = (parts.api || server.embedded) && config.MIGRATE_AT_START;
    if (migrates) await migrate(server, log);
    const service = await opened.open(
      async () => compose(config, server.appUrl, log),
      ({ close }) => close(),
    );
    await assertHarmlessRoles(service);
    await assertMigrated(service.database, migrations);
    await checkRedis(config, log);
    const health = createHealth(service, parts);
    const metricsAt = await startMetrics(service, health, opened);
    if (parts.worker)
      await opened.open(
        () => startWorkers(service),
        (workers) => workers.stop(),
      );
    const isFirst = server.embedded && parts.api && parts.worker && !(await hasWorkspaces(server.ownerUrl));
    const welcome = isFirst && firstStart !== null ? await firstStart(service) : null;
    const url = parts.api ? (await startApi(service, health, opened)).url : null;
    const links = parts.restarts ? [] : await linksToSignIn(server, service, url);
    return { url, metricsUrl: metricsAt?.url ?? null, service, welcome, links, stop: () => opened.close() };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Links for the terminal. A service on a database server of its own prints none: others read its log. */
async function linksToSignIn(server: DatabaseServer, service: Service, url: string | null) {
  if (url === null || !server.embedded) return [];
  return withDatabase({ url: server.ownerUrl, asOwner: true }, async (owner) => {
    await claimForOnlyWorkspace(owner);
    return loadStartPageLinks(service, owner);
  });
}

/** Workers without an API, and processes with MIGRATE_AT_START=0, do not migrate. */
async function migrate(server: DatabaseServer, log: Log): Promise<void> {
  const done = await migrateToLatest(server.ownerUrl, migrations);
  if (done.length > 0) log.info({ migrations: done }, 'database migrated');
}

/** Checks the role of every connection that the service keeps, and begins to use the replica. */
async function assertHarmlessRoles({ config, database, replica }: Service): Promise<void> {
  await assertHarmlessRole(database);
  await replica?.start();
  if (config.QUEUE_DATABASE_URL === undefined || config.REDIS_URL !== undefined) return;
  await withDatabase({ url: config.QUEUE_DATABASE_URL }, assertHarmlessRole);
}

async function hasWorkspaces(ownerUrl: string): Promise<boolean> {
  const read = (owner: Database) => sql`select 1 from workspaces limit 1`.execute(owner);
  return (await withDatabase({ url: ownerUrl, asOwner: true }, read)).rows.length > 0;
}

function createHealth({ database, queue }: Service, { restarts = 0 }: ProcessParts): Health {
  metrics.processRestarts.inc(restarts);
  return new Health(
    {
      database: async () => {
        await sql`select 1`.execute(database);
      },
      migrations: async () => {
        if ((await listPendingMigrations(database, migrations, 'service')).length > 0)
          throw new Error('migrations are pending');
      },
    },
    () => queue.check(),
    restarts,
  );
}

/** On a separate port, metrics and health need no token: operators do not expose that port. */
async function startMetrics(service: Service, health: Health, opened: OpenedParts): Promise<Listening | null> {
  const { config, log } = service;
  if (config.METRICS_PORT === undefined) return null;
  const app = express();
  app.disable('x-powered-by');
  health.routes(app);
  metricsPage(service, null)(app);
  const address = { host: config.HOST, port: config.METRICS_PORT, setting: 'METRICS_PORT' };
  const listening = await opened.open(
    () => listen(app, address),
    (open) => open.close(),
  );
  log.info({ url: listening.url }, 'metrics listening');
  return listening;
}

const apiAddress = ({ HOST, PORT }: Config): Address => ({ host: HOST, port: PORT, setting: 'PORT' });

async function startApi(service: Service, health: Health, opened: OpenedParts): Promise<Listening> {
  const { config, database, replica, dispatcher, log, attemptLimits, clock } = service;
  const { METRICS_TOKEN: metricsToken, PUBLIC_URL: publicUrl } = config;
  const rateLimit = await opened.open(
    () => openRateLimit(service),
    (open) => open.close(),
  );
  const documents = new Documents(describeService);
  const localRateLimit = config.REDIS_URL === undefined ? config.RATE_LIMIT_PER_MINUTE : null;
  const authenticator = new TokenAuthenticator(database, attemptLimits, localRateLimit);
  const { authenticateFrom: authenticate } = authenticator;
  const browser = new BrowserSessions({ publicUrl, secrets: service.secrets, authenticate, rateLimit });
  const addressLimit = new AddressLimit(config.PUBLIC_REQUESTS_PER_MINUTE);
  const loadProviders = () => service.identityProviders.listButtons();
  const signIn = new SignInPages(browser, dispatcher, loadProviders, addressLimit);
  const webApp = WebApp.open({
    basePath: browser.basePath,
    operations,
    loadProviders,
  });
  const connect = new ConnectPages(browser, service.registry.resolve(CrmConsents));
  const largeBodies = new LargeBodies();
  const agents = agentEndpoints(service, {
    authenticate: authenticator.authenticateAgentFrom,
    rateLimit,
    addressLimit,
    largeBodies,
  });
  const scim = scimEndpoint(service, authenticate, rateLimit);
  const app = createApp({
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
    extra: [
      (express) => health.routes(express),
      (express) => documents.routes(express),
      ...agents,
      (express) => scim.routes(express),
      (express) => signIn.routes(express),
      (express) => connect.routes(express),
      (express) => webApp.routes(express),
      ...(metricsToken === undefined ? [] : [metricsPage(service, metricsToken)]),
    ],
  });
  return opened.open(
    () => listen(app, apiAddress(config)),
    async (listening) => {
      health.beginShutdown();
      await new Promise((resolve) => setTimeout(resolve, config.DRAIN_MS));
      await listening.close();
    },
  );
}

function scimEndpoint(service: Service, authenticate: Authenticate, rateLimit: RateLimit): ScimEndpoint {
  const { dispatcher, unitOfWork, clock, log, config } = service;
  const upsertReps = operations.find(({ id }) => id === 'upsertReps') as AnyOperation;
  const publicUrl = config.PUBLIC_URL?.replace(/\/$/, '') ?? '';
  return new ScimEndpoint({ authenticate, rateLimit, dispatcher, unitOfWork, clock, log, upsertReps, publicUrl });
}

/** The MCP endpoint, and the authorization server where people connect agents by signing in. */
function agentEndpoints(
  { config, unitOfWork, secrets, dispatcher, registry, clock, log }: Service,
  {
    addressLimit,
    ...shared
  }: Pick<McpParts, 'authenticate' | 'rateLimit' | 'largeBodies'> & {
    readonly addressLimit: AddressLimit;
  },
): ((app: Express) => void)[] {
  const issuer = agentIssuer(config);
  const authorization = issuer === null ? null : new AgentAuthorization(issuer, unitOfWork, secrets, config);
  const hosts = allowedHosts(config);
  const mcp = new McpEndpoint({
    ...shared,
    operations,
    guidance,
    dispatcher,
    hosts,
    authorization,
    writes: new AgentWriteRules(unitOfWork, registry.resolve(ToolRunner), clock, config.PUBLIC_URL),
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

/**
 * Runs until a signal arrives or the supervisor stops the process or is gone, then stops in order, also during the
 * start: a database that it has started would stay without the process. A later second signal, or half a minute, ends
 * the process at once. Null if the process stops before it runs.
 */
export async function runUntilSignal(
  config: Config,
  parts: ProcessParts,
  log: Log,
  firstStart: FirstStart | null,
  supervisor: SupervisorChannel,
): Promise<RunningProcess | null> {
  const opened = new OpenedParts(log);
  const starting = start(config, parts, log, firstStart, opened);
  let isEnding = false;
  let isFailing = false;
  const { close } = closeWithGrace(
    { delay: 30_000, logger: false, skip: [...stopSignals, 'unhandledRejection', 'beforeExit'] },
    async ({ err }) => {
      isEnding = true;
      isFailing = err !== undefined;
      if (isFailing) log.error({ err }, 'uncaught exception; the process ends');
      await opened.close();
    },
  );
  let stoppingSince: number | null = null;
  const stop = () => {
    if (isFailing) process.exit(1);
    if (stoppingSince === null) {
      stoppingSince = performance.now();
      supervisor.send('stopping');
      void close();
    } else if (performance.now() - stoppingSince > sameStopMs) process.exit(1);
  };
  for (const signal of stopSignals) process.on(signal, stop);
  supervisor.onStop(() => {
    if (stoppingSince === null) stop();
  });
  const running = await starting.catch((error: unknown) => {
    if (isEnding) return null;
    throw error;
  });
  if (running === null) return null;
  reportUnhandledRejections(log);
  supervisor.send('ready');
  return running;
}
