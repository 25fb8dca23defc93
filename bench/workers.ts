import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BenchService, startBenchService } from './bench-service.js';
import { count, duration, median, ratio, type Table } from './measure.js';
import { recalculate, type Sizes } from './recalculation.js';
import { emptyLedger, makeSalesYear } from './sales-year.js';

const program = fileURLToPath(new URL('../../bin/commissions.js', import.meta.url));

/** One workspace calculated by one, two and four worker processes, and what memory each of them takes for it. */
export async function workers({ small, large }: Sizes): Promise<Table[]> {
  const deals = large ? 1_000_000 : small ? 10_000 : 100_000;
  const reps = deals / 50 > 2000 ? 2000 : deals / 50;
  const service = await startBenchService({ worker: false });
  try {
    const year = await makeSalesYear(service, deals, reps);
    const rows: { readonly workers: number; readonly ms: number; readonly megabytes: number[] }[] = [];
    for (const workers of [1, 2, 4]) {
      const processes = await Promise.all(Array.from({ length: workers }, () => startWorker(service)));
      const memory = new PeakMemory(processes);
      try {
        const runs: number[] = [];
        for (let round = 0; round < (large ? 1 : 5); round += 1) {
          await emptyLedger(year);
          const start = performance.now();
          await recalculate(year, {});
          runs.push(performance.now() - start);
        }
        rows.push({ workers, ms: median(runs), megabytes: memory.stop() });
      } finally {
        await Promise.all(processes.map(stopWorker));
      }
    }
    const one = rows[0]?.ms ?? Number.NaN;
    return [
      {
        title: `Full recalculation by worker processes, ${count(deals)} deals, ${count(reps)} reps`,
        columns: ['workers', 'median', 'deals a second', 'as fast as one', 'most memory of a process'],
        rows: rows.map(({ workers, ms, megabytes }) => [
          String(workers),
          duration(ms),
          count((deals / ms) * 1000),
          ratio(one / ms),
          `${Math.max(...megabytes).toFixed(0)} MB`,
        ]),
        notes: ['Each worker works two lanes at a time. PostgreSQL has the same cores.'],
      },
    ];
  } finally {
    await service.stop();
  }
}

async function startWorker({ environment }: BenchService): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [program, 'serve', '--worker'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (worker.stdout !== null) await once(worker.stdout, 'data');
  return worker;
}

async function stopWorker(worker: ChildProcess): Promise<void> {
  const gone = once(worker, 'exit');
  worker.kill('SIGTERM');
  await gone;
}

/** The most memory that each of the processes was seen with, looked at five times a second. */
class PeakMemory {
  private readonly peaks: number[];
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly processes: readonly ChildProcess[]) {
    this.peaks = processes.map(() => 0);
    this.timer = setInterval(() => this.look(), 200);
  }

  stop(): number[] {
    this.look();
    clearInterval(this.timer);
    return this.peaks;
  }

  private look(): void {
    for (const [index, { pid }] of this.processes.entries()) {
      const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
      this.peaks[index] = Math.max(this.peaks[index] ?? 0, Number(kilobytes) / 1024);
    }
  }
}
