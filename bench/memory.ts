import { startBenchService } from './bench-service.js';
import { count, duration, type Table, timed } from './measure.js';
import { recalculate, type Sizes } from './recalculation.js';
import { assertAllPaid, emptyLedger, makeSalesYear } from './sales-year.js';
import { WorkerProcess } from './worker-process.js';

/** The maximum memory of the one worker process that calculates all deals of a workspace. */
export async function memory({ small, large }: Sizes): Promise<Table[]> {
  const sizes = [10_000, ...(small ? [] : [100_000]), ...(large ? [maxDeals()] : [])];
  const rows: string[][] = [];
  for (const deals of sizes) {
    const { ms, megabytes } = await measure(deals);
    rows.push([count(deals), duration(ms), `${megabytes.toFixed(0)} MB`]);
  }
  return [
    {
      title: 'Full recalculation, memory of the worker',
      columns: ['deals', 'time', 'max. memory'],
      rows,
      notes: ['Resident memory of one worker process. Each rep has 500 deals.'],
    },
  ];
}

/** BENCH_DEALS replaces the million deals of `--large`. */
function maxDeals(): number {
  return Number(process.env['BENCH_DEALS'] ?? 1_000_000);
}

async function measure(deals: number): Promise<{ ms: number; megabytes: number }> {
  await using service = await startBenchService({ worker: false });
  await using worker = await WorkerProcess.start(service);
  const year = await makeSalesYear(service, deals);
  await emptyLedger(year);
  const ms = await timed(() => recalculate(year, {}));
  await assertAllPaid(year);
  return { ms, megabytes: worker.peak };
}
