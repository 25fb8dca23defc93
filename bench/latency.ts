import { once } from 'node:events';
import { createPostgresBackend, Queue, type QueueOptions, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { startRedis } from '#test/support/redis-server.js';
import { startBenchService, untilDone } from './bench-service.js';
import { duration, quantile, ratio, type Table, timed } from './measure.js';
import { makeSalesYear, type SalesYear, untilCalculated } from './sales-year.js';

const samples = 200;
const warmUps = 10;
/** One deal of another rep at a time: about the busiest minute of a company's CRM. */
const loadEveryMs = 40;

/** The time from a put deal to its readable commission, against a job that does nothing on the same queue. */
export async function latency(): Promise<Table[]> {
  const onPostgres = await measure('PostgreSQL', null);
  const redis = await startRedis();
  if (redis === null) return onPostgres;
  try {
    return [...onPostgres, ...(await measure('Redis', redis.url))];
  } finally {
    await redis.stop();
  }
}

async function measure(backend: string, redisUrl: string | null): Promise<Table[]> {
  await using service = await startBenchService(redisUrl === null ? {} : { environment: { REDIS_URL: redisUrl } });
  await using queue = await BareQueue.open(redisUrl === null ? { connectionString: service.ownerUrl } : { redisUrl });
  const year = await makeSalesYear(service, 10_000);
  await untilCalculated(service, year.workspace.workspaceId);
  const idle = await sampled(`idle, queue on ${backend}`, year, queue);
  const stop = keepBusy(year);
  try {
    return [idle, await sampled(`under load, queue on ${backend}`, year, queue)];
  } finally {
    await stop();
  }
}

async function sampled(circumstances: string, year: SalesYear, queue: BareQueue): Promise<Table> {
  const bare: number[] = [];
  const whole: number[] = [];
  for (let sample = 0; sample < samples + warmUps; sample += 1) {
    const times = [await timed(() => queue.thereAndBack()), await timed(() => dealToCommission(year))] as const;
    if (sample < warmUps) continue;
    bare.push(times[0]);
    whole.push(times[1]);
  }
  const row = (name: string, figures: readonly number[]) => [
    name,
    duration(quantile(figures, 0.5)),
    duration(quantile(figures, 0.99)),
    ratio(quantile(figures, 0.5) / quantile(bare, 0.5)),
    ratio(quantile(figures, 0.99) / quantile(bare, 0.99)),
  ];
  return {
    title: `From a deal to its commission, ${circumstances}`,
    columns: ['', 'p50', 'p99', 'p50 against the queue', 'p99 against the queue'],
    rows: [row('bare queue, there and back', bare), row('deal put, commission readable', whole)],
    notes: ['The rep has 500 deals in the year; the two alternate.'],
  };
}

let deals = 0;

function putDeal({ workspace }: SalesYear, repId: string | undefined, dealId: string): Promise<unknown> {
  return workspace.call('PUT', `/v1/deals/${dealId}`, {
    repId,
    closeDate: '2026-12-30',
    fields: { amount: 1000, stage: 'Won', segment: 'smb' },
  });
}

/** Measures deals of the first half of the reps; the other half makes the load. */
async function dealToCommission(year: SalesYear): Promise<void> {
  const { service, workspace, repIds } = year;
  deals += 1;
  const dealId = `L${deals}`;
  await putDeal(year, repIds[deals % (repIds.length / 2)], dealId);
  const query = 'select exists (select from commission_events where workspace_id = $1 and deal_key = $2) as done';
  // The pause leaves the thread to the service and the workers, which share it.
  await untilDone(service.owner, query, [workspace.workspaceId, dealId], 1);
}

/** Puts other deals at a fixed rate and returns a function that stops. */
function keepBusy(year: SalesYear): () => Promise<void> {
  const { repIds } = year;
  const under = new Set<Promise<unknown>>();
  let number = 0;
  const timer = setInterval(() => {
    number += 1;
    const repId = repIds[repIds.length / 2 + (number % (repIds.length / 2))];
    const put = putDeal(year, repId, `B${number}`).finally(() => under.delete(put));
    under.add(put);
  }, loadEveryMs);
  return async () => {
    clearInterval(timer);
    await Promise.all(under);
  };
}

type Connection = { readonly connectionString: string } | { readonly redisUrl: string };

/** A second queue on the same backend whose worker does nothing. */
class BareQueue {
  private constructor(
    private readonly queue: Queue,
    private readonly worker: Worker,
    private readonly redis: readonly Redis[],
  ) {}

  static async open(at: Connection): Promise<BareQueue> {
    const redis = 'redisUrl' in at ? [1, 2].map(() => new Redis(at.redisUrl, { maxRetriesPerRequest: null })) : [];
    const onPostgres = 'connectionString' in at;
    const backend = onPostgres ? (createPostgresBackend as unknown as undefined) : undefined;
    const options = (place: number) =>
      ({
        connection: onPostgres ? { ...at, options: '-c search_path=bullmq' } : redis[place],
      }) as unknown as QueueOptions;
    const queue = new Queue('bench', options(0), backend);
    const worker = new Worker('bench', async () => {}, options(1) as never, backend);
    await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
    return new BareQueue(queue, worker, redis);
  }

  async thereAndBack(): Promise<void> {
    const completed = once(this.worker, 'completed');
    await this.queue.add('nothing', {});
    await completed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.worker.close();
    await this.queue.close();
    for (const one of this.redis) one.disconnect();
  }
}
