import { type RequestListener } from 'node:http';
import closeWithGrace from 'close-with-grace';
import express, { type Express } from 'express';
import { sql } from 'kysely';
import { migrations } from '#migrations/index.js';
import { startWorkers } from '#workers/registry.js';
import { mapInParallel } from '../kernel/waiting.js';
import { type Config } from '../platform/config.js';
import { listPendingMigrations } from '../platform/database/migrate.js';
import { type Database, withDatabase } from '../platform/database/pool.js';
import { type DatabaseServer, openDatabaseServer } from '../platform/database/server.js';
import { Health } from '../platform/http/health.js';
import { LargeBodies } from '../platform/http/large-bodies.js';
import { type Address, assertFree, type Listening, listen } from '../platform/http/listen.js';
import { metricsPage } from '../platform/http/metrics-page.js';
import { reportUnhandledRejections } from '../platform/http/request-context.js';
import { JobQueue } from '../platform/jobs/job-queue.js';
import { AddressLimit } from '../platform/limits/address-limit.js';
import { type Log } from '../platform/log.js';
import { metrics } from '../platform/metrics.js';
import { checkRedis } from '../platform/redis/redis-settings.js';
import { flushTraces } from '../platform/tracing.js';
import { type ApiParts, agentAuthorization, openApi } from './api.js';
import { compose, type Service } from './composition.js';
import { claimForOnlyWorkspace } from './installation-operator.js';
import { OpenedParts } from './opened-parts.js';
import { assertUsable, migrate } from './opening.js';
import { type Shard } from './shards/shard.js';
import { openShardApi } from './shards/shard-api.js';
import { type Shards } from './shards/shards.js';
import { closeShards, startShards } from './shards/start-shards.js';
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
    return config.DATABASE_SHARDS.length > 0
      ? await startWithShards(config, parts, log, opened)
      : await startWithDatabase(config, parts, log, firstStart, opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function startWithDatabase(
  config: Config,
  parts: ProcessParts,
  log: Log,
  firstStart: FirstStart | null,
  opened: OpenedParts,
): Promise<RunningProcess> {
  const server = await opened.open(
    () => openDatabaseServer(config, log),
    ({ stop }) => stop(),
  );
  // An embedded database belongs to the process, so a worker without an API migrates it too.
  const migrates = (parts.api || server.embedded) && config.MIGRATE_AT_START;
  if (migrates) await migrate(server.ownerUrl, log);
  const service = await opened.open(
    async () => compose(config, server.appUrl, log),
    ({ close }) => close(),
  );
  await assertUsable(service);
  await checkRedis(config, log);
  const health = createHealth(service, parts);
  const metricsAt = await startMetrics(() => [service], health, opened);
  if (parts.worker)
    await opened.open(
      () => startWorkers(service),
      (workers) => workers.stop(),
    );
  const isFirst = server.embedded && parts.api && parts.worker && !(await hasWorkspaces(server.ownerUrl));
  const welcome = isFirst && firstStart !== null ? await firstStart(service) : null;
  const serve = async () => {
    const authorization = agentAuthorization(service);
    return openApi(service, opened, { ...apiParts(config, () => [service], health), authorization });
  };
  const url = parts.api ? (await listenWith(await serve(), config, health, opened)).url : null;
  const links = parts.restarts ? [] : await linksToSignIn(server, service, url);
  return { url, metricsUrl: metricsAt?.url ?? null, service, welcome, links, stop: () => opened.close() };
}

/** The same for several databases: each has its own parts, and a request reaches those of its workspace. */
async function startWithShards(
  config: Config,
  parts: ProcessParts,
  log: Log,
  opened: OpenedParts,
): Promise<RunningProcess> {
  await checkRedis(config, log);
  const shards = await opened.open(() => startShards(config, parts, log), closeShards);
  const services = () => shards.serving().map(({ service }) => service);
  const health = createShardHealth(shards, parts);
  const metricsAt = await startMetrics(services, health, opened);
  const serve = () => openShardApi(shards, opened, apiParts(config, services, health));
  const url = parts.api ? (await listenWith(await serve(), config, health, opened)).url : null;
  const [main] = shards.all;
  const metricsUrl = metricsAt?.url ?? null;
  return { url, metricsUrl, service: main.service, welcome: null, links: [], stop: () => opened.close() };
}

/** Links for the terminal. A service on a database server of its own prints none: others read its log. */
async function linksToSignIn(server: DatabaseServer, service: Service, url: string | null) {
  if (url === null || !server.embedded) return [];
  return withDatabase({ url: server.ownerUrl, asOwner: true }, async (owner) => {
    await claimForOnlyWorkspace(owner);
    return loadStartPageLinks(service, owner);
  });
}

async function hasWorkspaces(ownerUrl: string): Promise<boolean> {
  const read = (owner: Database) => sql`select 1 from workspaces limit 1`.execute(owner);
  return (await withDatabase({ url: ownerUrl, asOwner: true }, read)).rows.length > 0;
}

function createHealth({ database, parts }: Service, { restarts = 0 }: ProcessParts): Health {
  metrics.processRestarts.inc(restarts);
  const checks = { database: () => probe(database), migrations: () => assertNonePending(database) };
  return new Health(checks, () => parts.resolve(JobQueue).check(), restarts);
}

/** A process is ready while one database serves its workspaces; the others are named. */
function createShardHealth(shards: Shards, { restarts = 0 }: ProcessParts): Health {
  metrics.processRestarts.inc(restarts);
  const check = async (shard: Shard) => {
    if (!shard.isServing) throw new Error(`the database ${shard.name} does not respond`);
    await assertNonePending(shard.service.database);
  };
  const checks = {
    database: async () => {
      if (shards.serving().length === 0) throw new Error('no database responds');
    },
  };
  const queues = async () =>
    void (await mapInParallel(shards.serving(), ({ service }) => service.parts.resolve(JobQueue).check()));
  const databases = Object.fromEntries(shards.all.map((shard) => [shard.name, () => check(shard)]));
  return new Health(checks, queues, restarts, { databases });
}

async function probe(database: Database): Promise<void> {
  await sql`select 1`.execute(database);
}

async function assertNonePending(database: Database): Promise<void> {
  if ((await listPendingMigrations(database, migrations, 'service')).length > 0)
    throw new Error('migrations are pending');
}

/** On a separate port, metrics and health need no token: operators do not expose that port. */
async function startMetrics(
  services: () => readonly Service[],
  health: Health,
  opened: OpenedParts,
): Promise<Listening | null> {
  const { config, log } = services()[0] as Service;
  if (config.METRICS_PORT === undefined) return null;
  const app = express();
  app.disable('x-powered-by');
  health.routes(app);
  metricsPage(() => services().map(toMeasured), null)(app);
  const address = { host: config.HOST, port: config.METRICS_PORT, setting: 'METRICS_PORT' };
  const listening = await opened.open(
    () => listen(app, address),
    (open) => open.close(),
  );
  log.info({ url: listening.url }, 'metrics listening');
  return listening;
}

const apiAddress = ({ HOST, PORT }: Config): Address => ({ host: HOST, port: PORT, setting: 'PORT' });

function toMeasured({ database, log, parts }: Service) {
  return { database, log, queue: parts.resolve(JobQueue) };
}

/** What the routes of all databases of a process share. */
function apiParts(config: Config, services: () => readonly Service[], health: Health): Omit<ApiParts, 'authorization'> {
  const { METRICS_TOKEN: metricsToken } = config;
  const healthRoutes = (app: Express) => health.routes(app);
  return {
    routes:
      metricsToken === undefined
        ? [healthRoutes]
        : [healthRoutes, metricsPage(() => services().map(toMeasured), metricsToken)],
    addressLimit: new AddressLimit(config.PUBLIC_REQUESTS_PER_MINUTE),
    largeBodies: new LargeBodies(),
  };
}

function listenWith(handler: RequestListener, config: Config, health: Health, opened: OpenedParts): Promise<Listening> {
  return opened.open(
    () => listen(handler, apiAddress(config)),
    async (listening) => {
      health.beginShutdown();
      await new Promise((resolve) => setTimeout(resolve, config.DRAIN_MS));
      await listening.close();
    },
  );
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
