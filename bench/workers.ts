import { cpus } from 'node:os';
import { type BenchService, type BenchWorkspace, startBenchService } from './bench-service.js';
import { rowsWritten } from './effects.js';
import { alternating, count, duration, measureOnce, median, ratio, type Table, timed } from './measure.js';
import { recalculate } from './recalculation.js';
import { emptyLedger, makeSalesYear, type SalesYear } from './sales-year.js';
import { type Size } from './size.js';
import { WorkerProcess } from './worker-process.js';
import { listFirstCalculationEffects } from './year-effects.js';

const sizes: Readonly<Record<Size, number>> = { quick: 2000, small: 10_000, usual: 100_000, large: 1_000_000 };
const rounds: Readonly<Record<Size, number>> = { quick: 1, small: 5, usual: 5, large: 1 };

/** One workspace, imported from files, then calculated by one, two and four worker processes, with their memory. */
export async function* workers(size: Size): AsyncGenerator<Table> {
  const deals = sizes[size];
  const reps = Math.min(2000, deals / 50);
  await using service = await startBenchService({ worker: false });
  let importMs = 0;
  const year = await makeSalesYear(service, deals, reps, async (...parameters) => {
    importMs = await importDeals(...parameters);
  });
  const rows: Row[] = [];
  for (const workers of size === 'quick' ? [1, 2] : [1, 2, 4])
    rows.push(await calculateBy(workers, year, rounds[size]));
  const milliseconds = rows[0]?.ms ?? Number.NaN;
  yield {
    title: `Full recalculation by worker processes, ${count(deals)} deals, ${count(reps)} reps`,
    columns: ['workers', 'median', 'deals a second', 'as fast as one', 'cores busy', 'max. memory of a process'],
    rows: rows.map(({ workers, ms, busy, megabytes }) => [
      String(workers),
      duration(ms),
      count((deals / ms) * 1000),
      ratio(milliseconds / ms),
      busy.toFixed(2),
      `${Math.max(...megabytes).toFixed(0)} MB`,
    ]),
    notes: [
      `One API process imported the deals in files of ${count(dealsInFile)}: ${count((deals / importMs) * 1000)} a second.`,
      `Each worker calculates two lanes at a time. PostgreSQL has the same ${cpus().length} cores.`,
    ],
  };
}

async function calculateBy(workers: number, year: SalesYear, rounds: number): Promise<Row> {
  const processes = await Promise.all(Array.from({ length: workers }, () => WorkerProcess.forService(year.service)));
  try {
    const busy: number[] = [];
    const [measured] = await alternating(
      [
        {
          name: `${workers} workers`,
          effects: listFirstCalculationEffects(year),
          prepare: () => emptyLedger(year),
          run: async () => {
            const busyBefore = busyMs();
            const ms = await timed(() => recalculate(year, {}));
            busy.push((busyMs() - busyBefore) / ms);
          },
        },
      ],
      rounds,
    );
    const ms = measured?.median ?? Number.NaN;
    return { workers, ms, busy: median(busy.slice(1)), megabytes: processes.map(({ peak }) => peak) };
  } finally {
    await Promise.all(processes.map((worker) => worker.end()));
  }
}

interface Row {
  readonly workers: number;
  readonly ms: number;
  /** Busy cores, of all processes. */
  readonly busy: number;
  readonly megabytes: readonly number[];
}

function busyMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

const dealsInFile = 100_000;

/** Imports files as an admin does, and returns the time. */
async function importDeals(
  service: BenchService,
  workspace: BenchWorkspace,
  deals: number,
  reps: number,
): Promise<number> {
  return measureOnce({
    name: 'the import',
    effects: [rowsWritten(service.owner, 'deals where workspace_id = $1', [workspace.workspaceId], deals)],
    run: async () => {
      for (let first = 1; first <= deals; first += dealsInFile)
        await workspace.call(
          'POST',
          '/v1/deals/import',
          buildFile(first, Math.min(dealsInFile, deals + 1 - first), reps),
        );
    },
  });
}

function buildFile(first: number, count: number, reps: number): string {
  const lines = Array.from({ length: count }, (_, index) => {
    const n = first + index;
    const day = new Date(Date.UTC(2026, 0, 1 + ((n * 31) % 365))).toISOString().slice(0, 10);
    const cents = 50_000 + (((n * 7919) % 1_000_003) * 7) / 10;
    const segment = ['smb', 'mid', 'enterprise'][n % 3];
    return `D${n},Deal ${n},${(cents / 100).toFixed(2)},Won,${day},${segment},rep${n % reps}@acme.test`;
  });
  return ['id,name,amount,stage,close_date,segment,owner_email', ...lines].join('\n');
}
