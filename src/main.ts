import 'reflect-metadata';
import closeWithGrace from 'close-with-grace';
import { sql } from 'kysely';
import { migrations } from '#migrations/index.js';
import { startWorkers, type Workers } from '#workers/registry.js';
import { compose, type Service } from './composition.js';
import { createDemoWorkspace, type DemoWorkspace } from './demo/demo-workspace.js';
import { operations } from './operations.js';
import { type Config } from './platform/config.js';
import { migrateToLatest } from './platform/database/migrate.js';
import { assertHarmlessRole } from './platform/database/pool.js';
import { type DatabaseServer, openDatabaseServer } from './platform/database/server.js';
import { createApp } from './platform/http/app.js';
import { authenticateFrom } from './platform/http/authenticate.js';
import { Health } from './platform/http/health.js';
import { IdempotentAnswers } from './platform/http/idempotency.js';
import { type Listening, listen } from './platform/http/listen.js';
import { PostgresRateCounter } from './platform/http/postgres-rate-counter.js';
import { RateLimit } from './platform/http/rate-limit.js';
import { RedisRateCounter } from './platform/http/redis-rate-counter.js';
import { type Log } from './platform/log.js';
import { describeApi } from './platform/openapi/document.js';
import { Documents } from './platform/openapi/documents.js';
import { serviceVersion } from './platform/version.js';
import { records } from './records.js';

/** What a process does: answer requests, work jobs, or both. */
export interface ProcessParts {
  readonly api: boolean;
  readonly worker: boolean;
}

export interface RunningProcess {
  readonly url: string | null;
  readonly service: Service;
  /** Set on the first start of an embedded service. */
  readonly demo: DemoWorkspace | null;
  stop(): Promise<void>;
}

/**
 * Starts a process, database first, answers last. On a stop it goes backwards: readiness ends, requests and jobs
 * finish, then the queue, the connections and, when it is ours, the database.
 */
export async function start(config: Config, parts: ProcessParts, log: Log): Promise<RunningProcess> {
  const opened: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of opened.reverse().splice(0)) await close();
  };
  try {
    const server = await openDatabaseServer(config, log);
    opened.push(() => server.stop());
    await prepareDatabase(server, parts, log);
    const service = compose(config, server.appUrl, log);
    opened.push(() => service.close());
    await assertHarmlessRole(service.database);
    if (parts.worker) opened.push(closing(await startWorkers(service)));
    const demo =
      server.embedded && parts.api && parts.worker && !config.NO_DEMO
        ? await createDemoWorkspace(service, server.ownerUrl)
        : null;
    const listening = parts.api ? await startApi(service, opened) : null;
    return { url: listening?.url ?? null, service, demo, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A process that only works leaves migrations to others: it waits for nothing that it must not change. */
async function prepareDatabase(server: DatabaseServer, parts: ProcessParts, log: Log): Promise<void> {
  if (!parts.api) return;
  const done = await migrateToLatest(server.ownerUrl, migrations);
  if (done.length > 0) log.info({ migrations: done }, 'the database was migrated');
}

function closing(workers: Workers): () => Promise<void> {
  return () => workers.stop();
}

async function startApi(service: Service, opened: (() => Promise<void>)[]): Promise<Listening> {
  const { config, database, doorway, queue, log } = service;
  const health = new Health({
    database: async () => {
      await sql`select 1`.execute(database);
    },
    queue: () => queue.check(),
  });
  const rateLimit = await openRateLimit(service);
  opened.push(() => rateLimit.close());
  const documents = new Documents(() => describeApi(operations, serviceVersion, records));
  const app = createApp({
    operations,
    doorway,
    authenticate: (authorization, requestId, address) => authenticateFrom(service, authorization, requestId, address),
    trustProxyHops: config.TRUST_PROXY_HOPS,
    rateLimit,
    idempotentAnswers: new IdempotentAnswers(service.unitOfWork, log),
    log,
    extra: [(express) => health.routes(express), (express) => documents.routes(express)],
  });
  const listening = await listen(app, config.HOST, config.PORT);
  opened.push(async () => {
    health.beginShutdown();
    await new Promise((resolve) => setTimeout(resolve, config.DRAIN_MS));
    await listening.close();
  });
  return listening;
}

/** Counts where all API processes see it: on Redis when there is one, else on PostgreSQL. */
async function openRateLimit({ config, database, log }: Service): Promise<RateLimit> {
  const counter =
    config.REDIS_URL === undefined
      ? new PostgresRateCounter(database)
      : await RedisRateCounter.open(config.REDIS_URL, log);
  return new RateLimit(counter, config.RATE_LIMIT_PER_MINUTE, log);
}

/** Runs until a signal comes, then stops in order; a second signal, or half a minute, ends it at once. */
export async function runUntilSignal(config: Config, parts: ProcessParts, log: Log): Promise<RunningProcess> {
  const running = await start(config, parts, log);
  closeWithGrace({ delay: 30_000, logger: false }, async ({ err }) => {
    if (err !== undefined) log.error({ err }, 'the process ends because of an error that nobody caught');
    await running.stop();
  });
  return running;
}
