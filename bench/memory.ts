import { startBenchService } from './bench-service.js';
import { count, duration, type Table } from './measure.js';
import { recalculate, type Sizes } from './recalculation.js';
import { assertAllPaid, emptyLedger, makeSalesYear } from './sales-year.js';
import { PeakMemory, startWorker, stopWorker } from './worker-process.js';

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
  const service = await startBenchService({ worker: false });
  const worker = await startWorker(service);
  const peak = new PeakMemory([worker]);
  try {
    const year = await makeSalesYear(service, deals);
    await emptyLedger(year);
    const start = performance.now();
    await recalculate(year, {});
    const ms = performance.now() - start;
    await assertAllPaid(year);
    return { ms, megabytes: peak.peaks[0] ?? 0 };
  } finally {
    peak.stop();
    await stopWorker(worker);
    await service.stop();
  }
}
