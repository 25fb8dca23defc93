import { createPostgresBackend, type JobsOptions, Queue, type QueueOptions, Worker, type WorkerOptions } from 'bullmq';
import { type Cluster, type Redis } from 'ioredis';
import { z } from 'zod';
import { timeLimit } from '../../kernel/time-limit.js';
import { withTimeout } from '../../kernel/waiting.js';
import { type Config } from '../config.js';
import { appSessionOptions } from '../database/pool.js';
import { connectionTo } from '../database/primary-host.js';
import { mainShard } from '../database/shard-settings.js';
import { type Log, throttledWarning } from '../log.js';
import { metrics } from '../metrics.js';
import { connectRedis, type RedisServers, redisServers } from '../redis/redis-connection.js';
import { inJobSpan } from '../tracing.js';
import { DecayingLoad } from './decaying-load.js';
import { keyPrefix, queueName, queuePrefix } from './queue-name.js';

/** A declared job. Its payload holds ids and no rows, since the handler reads the state when it runs. */
export interface JobDeclaration<Payload> {
  readonly name: string;
  readonly payload: z.ZodType<Payload>;
  readonly attempts: number;
  /** Waiting jobs with equal keys are one job. A job that is added while one with its key runs is run after it. */
  key?(payload: Payload): string;
  /**
   * The tenant of the job and the size of its work: tenants with a larger recent load run after those with a smaller
   * one.
   */
  share?(payload: Payload): { readonly tenant: string; readonly units: number };
}

export interface JobHandler<Payload> {
  readonly declaration: JobDeclaration<Payload>;
  /** Jobs with a lower priority number run first; jobs without `share` have priority 0. */
  run(payload: Payload, priority: number): Promise<void>;
}

/** The server of the queue: Redis, or the service's own PostgreSQL. */
export type QueueBackend =
  | { readonly redis: RedisServers; readonly prefix?: string }
  | { readonly postgresUrl: string };

/** On PostgreSQL the queue uses LISTEN, which poolers in transaction mode do not support. */
export function chooseQueueBackend(config: Config, appUrl: string, shard: string = mainShard): QueueBackend {
  const redis = redisServers(config);
  return redis === null ? { postgresUrl: config.QUEUE_DATABASE_URL ?? appUrl } : { redis, prefix: queuePrefix(shard) };
}

function prefixOf(backend: QueueBackend): string {
  return 'redis' in backend ? (backend.prefix ?? keyPrefix) : keyPrefix;
}

const responseTimeoutMs = timeLimit(2000);
const skipMs = 5000;
const retryPauseMs = 1000;

/**
 * Wakes workers. A lost job loses no work, because the work is stored in PostgreSQL and the sweep finds it. Adding a
 * job is therefore attempted only once.
 */
export class JobQueue {
  private opened: Queue | null;
  private readonly connection: ReturnType<typeof connect>;
  private readonly warn: (error: Error) => void;
  private readonly load = new DecayingLoad();
  private skipUntil = 0;

  constructor(
    private readonly backend: QueueBackend,
    private readonly log: Log,
  ) {
    this.connection = connect(backend, 4, 1);
    this.warn = throttledWarning(log, 'the job queue is not reachable');
    this.opened = this.open();
  }

  /** BullMQ does not repeat the start of a queue that failed, so the next call opens another queue. */
  private get queue(): Queue {
    this.opened ??= this.open();
    return this.opened;
  }

  private open(): Queue {
    const { connection, factory } = this.connection;
    const queue = new Queue(queueName, { connection, prefix: prefixOf(this.backend) } as QueueOptions, factory);
    queue.on('error', this.warn);
    queue.waitUntilReady().catch(() => {
      if (this.opened === queue) this.opened = null;
      // The failed queue is left in the background; its close fails for the same reason as its start.
      queue.close().catch(() => undefined);
    });
    return queue;
  }

  /** Rejects when the queue cannot be reached, or does not respond in time. */
  async check(): Promise<void> {
    const { queue } = this;
    await this.respond(queue.waitUntilReady().then(() => queue.getWaitingCount()));
  }

  /** Number of jobs by state. */
  counts(): Promise<Readonly<Record<string, number>>> {
    return this.respond(this.queue.getJobCounts());
  }

  /** Number of jobs that wait for a worker. */
  async waiting(): Promise<number> {
    const { waiting = 0, prioritized = 0 } = await this.respond(this.queue.getJobCounts('waiting', 'prioritized'));
    return waiting + prioritized;
  }

  /** Whether a job with a lower priority number waits; long work then yields. */
  async isAnyBefore(priority: number): Promise<boolean> {
    const priorities = Array.from({ length: priority }, (_, index) => index);
    const counts = await this.respond(this.queue.getCountsPerPriority(priorities));
    return Object.values(counts).some((waiting) => waiting > 0);
  }

  async add<Payload>(declaration: JobDeclaration<Payload>, ...payloads: readonly Payload[]): Promise<void> {
    await this.tryAdd(declaration, ...payloads);
  }

  /** Returns whether the queue has taken the jobs. */
  async tryAdd<Payload>(declaration: JobDeclaration<Payload>, ...payloads: readonly Payload[]): Promise<boolean> {
    if (payloads.length === 0) return true;
    if (performance.now() < this.skipUntil) return false;
    const jobs = payloads.map((data) => ({ name: declaration.name, data, opts: this.jobOptions(declaration, data) }));
    try {
      await this.respond(this.queue.addBulk(jobs));
      return true;
    } catch (error) {
      this.log.warn({ err: error, job: declaration.name }, 'waking a worker failed; the sweep finds the work');
      return false;
    }
  }

  /** Limits the wait for the queue. After a timeout no jobs are added for a while. */
  private respond<T>(request: Promise<T>): Promise<T> {
    return withTimeout(responseTimeoutMs, request, () => {
      this.skipUntil = performance.now() + skipMs;
      throw new Error(`the job queue did not respond within ${responseTimeoutMs} ms`);
    });
  }

  private jobOptions<Payload>(declaration: JobDeclaration<Payload>, payload: Payload): JobsOptions {
    const key = declaration.key?.(payload);
    return {
      attempts: declaration.attempts,
      backoff: { type: 'exponential', delay: 500 },
      // Jobs are removed by age only: removal by count deadlocks on PostgreSQL at concurrency 10 and halves the throughput.
      removeOnComplete: { age: 60 },
      removeOnFail: { age: 3600 },
      ...(key === undefined ? {} : { deduplication: { id: key, keepLastIfActive: true } }),
      ...this.priority(declaration, payload),
    };
  }

  /**
   * Each doubling of a tenant's load lowers its priority by one. No tenant starves: the sweep finds a lane after
   * five seconds and takes the workspaces in rotation.
   */
  private priority<Payload>(declaration: JobDeclaration<Payload>, payload: Payload): Pick<JobsOptions, 'priority'> {
    const share = declaration.share?.(payload);
    if (share === undefined) return {};
    return { priority: 1 + Math.floor(Math.log2(1 + this.load.add(share.tenant, share.units))) };
  }

  /** Does not wait for an unreachable queue, and does not fail. */
  async close(): Promise<void> {
    if (this.opened !== null) await withTimeout<unknown>(responseTimeoutMs, this.opened.close(), () => undefined);
    this.connection.redis?.disconnect();
  }
}

/** Runs jobs. A handler may receive the same job twice, so it must be idempotent. */
export class JobWorker {
  private readonly worker: Worker;
  private readonly redis: Redis | Cluster | null;
  private readonly running = new Set<Promise<void>>();

  constructor(backend: QueueBackend, handlers: readonly JobHandler<never>[], concurrency: number, log: Log) {
    const { connection, factory, redis } = connect(backend, concurrency + 2, null);
    this.redis = redis;
    const byName = new Map(handlers.map((handler) => [handler.declaration.name, handler as JobHandler<unknown>]));
    const options = {
      connection,
      prefix: prefixOf(backend),
      concurrency,
      autorun: false,
      lockDuration: 60_000,
      stalledInterval: 15_000,
      // With an empty queue, a worker waits for a notification and looks again after as many seconds.
      drainDelay: 10,
      // Repeated crashes of workers must not turn a job into a failed one.
      maxStalledCount: 1000,
    };
    this.worker = new Worker(
      queueName,
      async (job) => {
        const handler = byName.get(job.name);
        if (handler === undefined) throw new Error(`no handler for job ${job.name}`);
        // Clock differences between machines could make the wait negative.
        metrics.queueWait.observe({ job: job.name }, Math.max(0, Date.now() - job.timestamp - job.delay) / 1000);
        await this.track(
          inJobSpan(job.name, () => handler.run(handler.declaration.payload.parse(job.data), job.priority)),
        );
      },
      options as WorkerOptions,
      factory,
    );
    this.worker.on('error', throttledWarning(log, 'the worker cannot reach the job queue'));
    this.worker.on('completed', (job) => metrics.jobs.inc({ job: job.name, outcome: 'completed' }));
    this.worker.on('failed', (job, error) => {
      metrics.jobs.inc({ job: job?.name ?? 'unknown', outcome: 'failed' });
      log.error({ err: error, job: job?.name, payload: job?.data, attempt: job?.attemptsMade }, 'job failed');
    });
  }

  async start(): Promise<void> {
    await this.worker.waitUntilReady();
    void this.worker.run();
  }

  /**
   * Takes no new jobs and waits for the running ones, but not for an unreachable queue: their locks expire, and a
   * second run of a completed job is harmless.
   */
  async close(): Promise<void> {
    const closed = this.worker.close().then(() => true);
    do await Promise.allSettled(this.running);
    while (!(await withTimeout(responseTimeoutMs, closed, () => false)) && this.running.size > 0);
    this.redis?.disconnect();
  }

  private async track(work: Promise<void>): Promise<void> {
    this.running.add(work);
    try {
      await work;
    } finally {
      this.running.delete(work);
    }
  }
}

/** Runs the work of a job directly and counts it in the metrics as a job without waiting time. */
export async function runUnqueued(job: string, work: () => Promise<void>): Promise<void> {
  metrics.queueWait.observe({ job }, 0);
  try {
    await inJobSpan(job, work);
    metrics.jobs.inc({ job, outcome: 'completed' });
  } catch (error) {
    metrics.jobs.inc({ job, outcome: 'failed' });
    throw error;
  }
}

/** A producer retries once, so that a request never waits for Redis; a worker retries without limit. */
function connect(backend: QueueBackend, poolSize: number, maxRetriesPerRequest: number | null) {
  if ('redis' in backend) {
    const redis = connectRedis(backend.redis, { maxRetriesPerRequest });
    // BullMQ reports the lost connection itself; without a listener the error would end the process.
    redis.on('error', () => {});
    return { connection: redis, factory: undefined, redis };
  }
  return {
    connection: {
      ...connectionTo(backend.postgresUrl),
      options: appSessionOptions,
      max: poolSize,
      application_name: 'commissions-queue',
      // Detects a dead connection, and opens a new one.
      connectionTimeoutMillis: timeLimit(5000),
      query_timeout: timeLimit(10_000),
    },
    // BullMQ types a queue by its backend; the code above works with both.
    factory: pausingPostgresBackend as unknown as undefined,
    redis: null,
  };
}

/** BullMQ retries without a pause, which occupies a processor core while PostgreSQL is unreachable. */
const pausingPostgresBackend: typeof createPostgresBackend = (...options) => {
  const backend = createPostgresBackend(...options);
  const [take, wait] = [backend.moveToActive.bind(backend), backend.waitForJob.bind(backend)];
  backend.moveToActive = (...args) => take(...args).catch(afterPause);
  backend.waitForJob = (...args) => wait(...args).catch(afterPause);
  return backend;
};

async function afterPause(error: unknown): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, retryPauseMs));
  throw error;
}
