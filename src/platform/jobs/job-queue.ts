import { createPostgresBackend, type JobsOptions, Queue, type QueueOptions, Worker, type WorkerOptions } from 'bullmq';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { withTimeout } from '../../kernel/waiting.js';
import { appSessionOptions } from '../database/pool.js';
import { type Log } from '../log.js';
import { metrics } from '../metrics.js';
import { inJobSpan } from '../tracing.js';
import { DecayingLoad } from './decaying-load.js';
import { keyPrefix, queueName } from './queue-name.js';

/** A job, declared like an operation: ids in its payload, never rows, since state is read when it runs. */
export interface JobDeclaration<Payload> {
  readonly name: string;
  readonly payload: z.ZodType<Payload>;
  readonly attempts: number;
  /** Jobs of equal key that wait are one; one that arrives while its twin runs is kept and run after it. */
  key?(payload: Payload): string;
  /** Whose job it is and how much of it: a tenant that asked for more of late waits behind one that asked for less. */
  share?(payload: Payload): { readonly tenant: string; readonly units: number };
}

export interface JobHandler<Payload> {
  readonly declaration: JobDeclaration<Payload>;
  /** The lower the priority, the earlier the turn; 0 is that of jobs that nobody has a share in. */
  run(payload: Payload, priority: number): Promise<void>;
}

/** Where the queue lives: on Redis, or on the service's own PostgreSQL. */
export type QueueBackend = { readonly redisUrl: string } | { readonly postgresUrl: string };

const responseTimeoutMs = 2000;
const skipMs = 5000;
const retryPauseMs = 1000;
const warnEveryMs = 10_000;

/**
 * Wakes workers. A lost job loses no work, because what is to be done stands in PostgreSQL; so adding is tried
 * once, and a failure is left to the sweep.
 */
export class JobQueue {
  private readonly queue: Queue;
  private readonly redis: Redis | null;
  private readonly load = new DecayingLoad();
  private skipUntil = 0;

  constructor(
    backend: QueueBackend,
    private readonly log: Log,
  ) {
    const { connection, factory, redis } = connect(backend, 4, 1);
    this.redis = redis;
    this.queue = new Queue(queueName, { connection, prefix: keyPrefix } as QueueOptions, factory);
    this.queue.on('error', warningNowAndThen(log, 'the job queue is not reachable'));
  }

  /** Rejects when the queue cannot be reached. */
  async check(): Promise<void> {
    await this.queue.waitUntilReady();
    await this.queue.getWaitingCount();
  }

  /** For the operator's board, which shows and, where it may, mends what is in the queue. */
  forBoard(): Queue {
    return this.queue;
  }

  /** How many jobs there are, by state. */
  counts(): Promise<Readonly<Record<string, number>>> {
    return this.respond(this.queue.getJobCounts());
  }

  /** How many jobs wait for a worker. */
  async waiting(): Promise<number> {
    const { waiting = 0, prioritized = 0 } = await this.respond(this.queue.getJobCounts('waiting', 'prioritized'));
    return waiting + prioritized;
  }

  /** Whether a job waits whose turn is before that of the priority: whoever works at length then gives way. */
  async isAnyBefore(priority: number): Promise<boolean> {
    const earlier = Array.from({ length: priority }, (_, index) => index);
    const counts = await this.respond(this.queue.getCountsPerPriority(earlier));
    return Object.values(counts).some((waiting) => waiting > 0);
  }

  async add<Payload>(declaration: JobDeclaration<Payload>, ...payloads: readonly Payload[]): Promise<void> {
    if (payloads.length === 0 || performance.now() < this.skipUntil) return;
    const jobs = payloads.map((data) => ({ name: declaration.name, data, opts: this.jobOptions(declaration, data) }));
    try {
      await this.respond(this.queue.addBulk(jobs));
    } catch (error) {
      this.log.warn({ err: error, job: declaration.name }, 'a worker could not be woken; the sweep will find the work');
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
      // By age alone: removal by count deadlocks on PostgreSQL at concurrency 10 and halves its rate.
      removeOnComplete: { age: 60 },
      removeOnFail: { age: 3600 },
      ...(key === undefined ? {} : { deduplication: { id: key, keepLastIfActive: true } }),
      ...this.turn(declaration, payload),
    };
  }

  /**
   * A later turn for whoever doubles what they ask for. No tenant starves: a lane that has waited for five seconds is
   * found by the sweep, which takes the workspaces in turns.
   */
  private turn<Payload>(declaration: JobDeclaration<Payload>, payload: Payload): Pick<JobsOptions, 'priority'> {
    const share = declaration.share?.(payload);
    if (share === undefined) return {};
    return { priority: 1 + Math.floor(Math.log2(1 + this.load.add(share.tenant, share.units))) };
  }

  /** A queue that is away is left without a word. */
  async close(): Promise<void> {
    await withTimeout<unknown>(responseTimeoutMs, this.queue.close(), () => undefined);
    this.redis?.disconnect();
  }
}

/** Works jobs off. A handler may be given the same job twice, and must not mind. */
export class JobWorker {
  private readonly worker: Worker;
  private readonly redis: Redis | null;
  private readonly running = new Set<Promise<void>>();

  constructor(backend: QueueBackend, handlers: readonly JobHandler<never>[], concurrency: number, log: Log) {
    const { connection, factory, redis } = connect(backend, concurrency + 2, null);
    this.redis = redis;
    const byName = new Map(handlers.map((handler) => [handler.declaration.name, handler as JobHandler<unknown>]));
    const options = {
      connection,
      prefix: keyPrefix,
      concurrency,
      autorun: false,
      lockDuration: 60_000,
      stalledInterval: 15_000,
      // A worker that is killed again and again must not turn a job into a failed one.
      maxStalledCount: 1000,
    };
    this.worker = new Worker(
      queueName,
      async (job) => {
        const handler = byName.get(job.name);
        if (handler === undefined) throw new Error(`no handler for job ${job.name}`);
        // Clocks of two machines differ a little, and no job starts before it was added.
        metrics.queueWait.observe({ job: job.name }, Math.max(0, Date.now() - job.timestamp - job.delay) / 1000);
        await this.noted(
          inJobSpan(job.name, () => handler.run(handler.declaration.payload.parse(job.data), job.priority)),
        );
      },
      options as WorkerOptions,
      factory,
    );
    this.worker.on('error', warningNowAndThen(log, 'the worker lost the job queue'));
    this.worker.on('completed', (job) => metrics.jobs.inc({ job: job.name, outcome: 'completed' }));
    this.worker.on('failed', (job, error) => {
      metrics.jobs.inc({ job: job?.name ?? 'unknown', outcome: 'failed' });
      log.error({ err: error, job: job?.name }, 'a job failed');
    });
  }

  async start(): Promise<void> {
    await this.worker.waitUntilReady();
    void this.worker.run();
  }

  /**
   * Finishes the jobs that run and takes no new ones. A queue that is away is not waited for: what it holds for running
   * is given to others when its lock runs out, and by then done.
   */
  async close(): Promise<void> {
    const closed = this.worker.close().then(() => true);
    do await Promise.allSettled(this.running);
    while (!(await withTimeout(responseTimeoutMs, closed, () => false)) && this.running.size > 0);
    this.redis?.disconnect();
  }

  private async noted(work: Promise<void>): Promise<void> {
    this.running.add(work);
    try {
      await work;
    } finally {
      this.running.delete(work);
    }
  }
}

/** During an outage every try fails: it is told at once, and then every few seconds with how often it happened. */
function warningNowAndThen(log: Log, message: string): (error: Error) => void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  let untold = 0;
  return (error) => {
    untold += 1;
    if (performance.now() < quietUntil) return;
    log.warn({ err: error, times: untold }, message);
    quietUntil = performance.now() + warnEveryMs;
    untold = 0;
  };
}

/** Does at once what a job of that name would do, and tells it as one that has not waited. */
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

/** A producer gives up after one retry, so that a request never waits for Redis; a worker waits for ever. */
function connect(backend: QueueBackend, poolSize: number, maxRetriesPerRequest: number | null) {
  if ('redisUrl' in backend) {
    const redis = new Redis(backend.redisUrl, { maxRetriesPerRequest });
    // BullMQ reports the loss of its connection itself; an unheard error would end the process.
    redis.on('error', () => {});
    return { connection: redis, factory: undefined, redis };
  }
  return {
    connection: {
      connectionString: backend.postgresUrl,
      options: appSessionOptions,
      max: poolSize,
      application_name: 'commissions-queue',
      // A connection that has died without a word is found out, and made anew.
      connectionTimeoutMillis: 5000,
      query_timeout: 10_000,
    },
    // BullMQ's types tie a queue to the backend it names; the code above is the same for both.
    factory: patientPostgresBackend as unknown as undefined,
    redis: null,
  };
}

/** BullMQ asks again at once, which keeps a core busy for as long as PostgreSQL is away. */
const patientPostgresBackend: typeof createPostgresBackend = (...given) => {
  const backend = createPostgresBackend(...given);
  const [take, wait] = [backend.moveToActive.bind(backend), backend.waitForJob.bind(backend)];
  backend.moveToActive = (...asked) => take(...asked).catch(afterPause);
  backend.waitForJob = (...asked) => wait(...asked).catch(afterPause);
  return backend;
};

async function afterPause(error: unknown): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, retryPauseMs));
  throw error;
}
