import { createPostgresBackend, Queue, QueueEvents, type QueueOptions, Worker } from 'bullmq';
import { startBenchService } from './bench-service.js';
import { duration, quantile, ratio, type Table } from './measure.js';
import { makeSalesYear, type SalesYear, untilSettled } from './sales-year.js';

const samples = 200;

/** From a deal that is put to its commission that can be read, against a job that does nothing on the same queue. */
export async function latency(): Promise<Table[]> {
  const service = await startBenchService();
  try {
    const year = await makeSalesYear(service, 10_000);
    await untilSettled(service, year.workspace.workspaceId);
    const times: [name: string, figures: number[]][] = [
      ['bare queue, there and back', []],
      ['deal put, commission readable', []],
    ];
    const queue = await BareQueue.open(service.ownerUrl);
    for (let sample = 0; sample < samples; sample += 1) {
      const [bare, whole] = [
        await timed(() => queue.thereAndBack()),
        await timed(() => dealToCommission(year, sample)),
      ];
      if (sample < 10) continue;
      times[0]?.[1].push(bare);
      times[1]?.[1].push(whole);
    }
    await queue.close();
    const floor = times[0]?.[1] ?? [];
    return [
      {
        title: 'From a deal to its commission, idle, queue on PostgreSQL',
        columns: ['', 'p50', 'p99', 'p50 against the queue', 'p99 against the queue'],
        rows: times.map(([name, figures]) => [
          name,
          duration(quantile(figures, 0.5)),
          duration(quantile(figures, 0.99)),
          ratio(quantile(figures, 0.5) / quantile(floor, 0.5)),
          ratio(quantile(figures, 0.99) / quantile(floor, 0.99)),
        ]),
        notes: ['The rep has 500 deals in the year; the two are taken in turn.'],
      },
    ];
  } finally {
    await service.stop();
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function dealToCommission({ service, workspace, repIds }: SalesYear, sample: number): Promise<void> {
  const dealId = `L${sample}`;
  await workspace.call('PUT', `/v1/deals/${dealId}`, {
    repId: repIds[sample % repIds.length],
    closeDate: '2026-12-30',
    fields: { amount: 1000, stage: 'Won', segment: 'smb' },
  });
  for (;;) {
    const { rows } = await service.owner.query<{ there: boolean }>(
      `select exists (select from commission_events where workspace_id = $1 and deal_key = $2) as there`,
      [workspace.workspaceId, dealId],
    );
    if (rows[0]?.there === true) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A queue beside the service's, on the same backend, whose worker does nothing. */
class BareQueue {
  private constructor(
    private readonly queue: Queue,
    private readonly events: QueueEvents,
    private readonly worker: Worker,
  ) {}

  static async open(connectionString: string): Promise<BareQueue> {
    const options = { connection: { connectionString, options: '-c search_path=bullmq' } } as unknown as QueueOptions;
    const backend = createPostgresBackend as unknown as undefined;
    const queue = new Queue('bench', options, backend);
    const events = new QueueEvents('bench', options as never, backend);
    const worker = new Worker('bench', async () => {}, options as never, backend);
    await Promise.all([queue.waitUntilReady(), events.waitUntilReady(), worker.waitUntilReady()]);
    return new BareQueue(queue, events, worker);
  }

  async thereAndBack(): Promise<void> {
    const job = await this.queue.add('nothing', {});
    await job.waitUntilFinished(this.events);
  }

  async close(): Promise<void> {
    await this.worker.close();
    await this.events.close();
    await this.queue.close();
  }
}
