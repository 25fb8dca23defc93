import { once } from 'node:events';
import { createPostgresBackend, Queue, type QueueOptions, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { startRedis } from '#test/support/redis-server.js';
import { startBenchService, untilDone } from './bench-service.js';
import { growth, rowsWritten } from './effects.js';
import {
  alternating,
  type Contender,
  duration,
  type Measured,
  measureOnce,
  omit,
  quantile,
  ratio,
  type Table,
} from './measure.js';
import { makeSalesYear, rulesPerDeal, type SalesYear } from './sales-year.js';
import { type Size } from './size.js';

interface Parameters {
  readonly samples: number;
  readonly warmUps: number;
  /** One deal of another rep at a time: usually about the busiest minute of a company's CRM. */
  readonly loadEveryMs: number;
}

const usual: Parameters = { samples: 200, warmUps: 10, loadEveryMs: 40 };
const parameters: Readonly<Record<Size, Parameters>> = {
  quick: { samples: 5, warmUps: 1, loadEveryMs: 250 },
  small: { ...usual, samples: 50 },
  usual,
  large: usual,
};

/** The time from a put deal to its readable commission, against a job that does nothing on the same queue. */
export async function* latency(size: Size): AsyncGenerator<Table> {
  yield* measure('PostgreSQL', null, size);
  const redis = await startRedis();
  if (redis === null) {
    omit('the queue on Redis', 'redis-server is not installed');
    return;
  }
  try {
    yield* measure('Redis', redis.url, size);
  } finally {
    await redis.stop();
  }
}

async function* measure(backend: string, redisUrl: string | null, size: Size): AsyncGenerator<Table> {
  await using service = await startBenchService(redisUrl === null ? {} : { environment: { REDIS_URL: redisUrl } });
  await using queue = await BareQueue.open(redisUrl === null ? { connectionString: service.ownerUrl } : { redisUrl });
  const year = await makeSalesYear(service, size === 'quick' ? 2000 : 10_000);
  const { samples, warmUps, loadEveryMs } = parameters[size];
  const work = () => alternating([thereAndBack(queue), dealToCommission(year)], samples, warmUps);
  yield table(`idle, queue on ${backend}`, await work());
  yield table(`under load, queue on ${backend}`, await underLoad(year, loadEveryMs, work));
}

function table(circumstances: string, measured: readonly Measured[]): Table {
  const bare = measured[0]?.runs ?? [];
  return {
    title: `From a deal to its commission, ${circumstances}`,
    columns: ['', 'p50', 'p99', 'p50 against the queue', 'p99 against the queue'],
    rows: measured.map(({ name, runs }) => [
      name,
      duration(quantile(runs, 0.5)),
      duration(quantile(runs, 0.99)),
      ratio(quantile(runs, 0.5) / quantile(bare, 0.5)),
      ratio(quantile(runs, 0.99) / quantile(bare, 0.99)),
    ]),
    notes: ['The rep has 500 deals in the year; the two alternate.'],
  };
}

function thereAndBack(queue: BareQueue): Contender {
  return {
    name: 'bare queue, there and back',
    effects: [growth('completed jobs', () => queue.completed, 1)],
    run: () => queue.thereAndBack(),
  };
}

/** Puts new deals of the first half of the reps; the other half makes the load. */
function dealToCommission(year: SalesYear): Contender {
  const { service, workspace, repIds } = year;
  const isPaid = 'select exists (select from commission_events where workspace_id = $1 and deal_key = $2) as done';
  return {
    name: 'deal put, commission readable',
    effects: [
      rowsWritten(
        service.owner,
        "commission_events where workspace_id = $1 and deal_key like 'L%'",
        [workspace.workspaceId],
        rulesPerDeal,
      ),
    ],
    run: async () => {
      deals += 1;
      // The ids ascend: a new deal changes those of its day that come after it.
      const dealId = `L${String(deals).padStart(6, '0')}`;
      await putDeal(year, repIds[deals % (repIds.length / 2)], dealId);
      // The pause leaves the thread to the service and the workers, which share it.
      await untilDone(service.owner, isPaid, [workspace.workspaceId, dealId], 1);
    },
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

/** Puts other deals at a fixed rate during the work. Fails if one of them is not stored. */
async function underLoad(
  year: SalesYear,
  everyMs: number,
  work: () => Promise<readonly Measured[]>,
): Promise<readonly Measured[]> {
  const { service, workspace, repIds } = year;
  const puts: Promise<unknown>[] = [];
  const putNext = () => {
    const repId = repIds[repIds.length / 2 + (puts.length % (repIds.length / 2))];
    const put = putDeal(year, repId, `B${puts.length}`);
    // The failure is reported at the end of the load.
    put.catch(() => undefined);
    puts.push(put);
  };
  const stored = "deals where workspace_id = $1 and deal_id like 'B%'";
  let measured: readonly Measured[] = [];
  await measureOnce({
    name: 'the load',
    effects: [rowsWritten(service.owner, stored, [workspace.workspaceId], () => Math.max(1, puts.length))],
    run: async () => {
      putNext();
      const timer = setInterval(putNext, everyMs);
      try {
        measured = await work();
      } finally {
        clearInterval(timer);
      }
      await Promise.all(puts);
    },
  });
  return measured;
}

type Connection = { readonly connectionString: string } | { readonly redisUrl: string };

/** A second queue on the same backend whose worker does nothing. */
class BareQueue {
  completed = 0;

  private constructor(
    private readonly queue: Queue,
    private readonly worker: Worker,
    private readonly redis: readonly Redis[],
  ) {
    worker.on('completed', () => {
      this.completed += 1;
    });
  }

  static async open(at: Connection): Promise<BareQueue> {
    const redis = 'redisUrl' in at ? [1, 2].map(() => new Redis(at.redisUrl, { maxRetriesPerRequest: null })) : [];
    const onPostgres = 'connectionString' in at;
    const backend = onPostgres ? (createPostgresBackend as unknown as undefined) : undefined;
    const options = (index: number) =>
      ({
        connection: onPostgres ? { ...at, options: '-c search_path=bullmq' } : redis[index],
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
    for (const connection of this.redis) connection.disconnect();
  }
}
