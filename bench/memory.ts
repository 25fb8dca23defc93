import { startBenchService } from './bench-service.js';
import { count, duration, measureOnce, type Table } from './measure.js';
import { recalculate } from './recalculation.js';
import { emptyLedger, makeSalesYear } from './sales-year.js';
import { type Size } from './size.js';
import { WorkerProcess } from './worker-process.js';
import { listFirstCalculationEffects } from './year-effects.js';

/** BENCH_DEALS replaces the million deals of `--large`. */
const sizes: Readonly<Record<Size, readonly number[]>> = {
  quick: [1000],
  small: [10_000],
  usual: [10_000, 100_000],
  large: [10_000, 100_000, Number(process.env['BENCH_DEALS'] ?? 1_000_000)],
};

/** The maximum memory of the one worker process that calculates all deals of a workspace. */
export async function* memory(size: Size): AsyncGenerator<Table> {
  const rows: string[][] = [];
  for (const deals of sizes[size]) {
    const { ms, megabytes } = await measure(deals);
    rows.push([count(deals), duration(ms), `${megabytes.toFixed(0)} MB`]);
  }
  yield {
    title: 'Full recalculation, memory of the worker',
    columns: ['deals', 'time', 'max. memory'],
    rows,
    notes: ['Resident memory of one worker process. Each rep has 500 deals.'],
  };
}

async function measure(deals: number): Promise<{ ms: number; megabytes: number }> {
  await using service = await startBenchService({ worker: false });
  const year = await makeSalesYear(service, deals);
  await using worker = await WorkerProcess.forService(service);
  const ms = await measureOnce({
    name: `calculation of ${count(deals)} deals`,
    effects: listFirstCalculationEffects(year),
    prepare: () => emptyLedger(year),
    run: () => recalculate(year, {}),
  });
  return { ms, megabytes: worker.peak };
}
