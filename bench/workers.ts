import { cpus } from 'node:os';
import { startBenchService } from './bench-service.js';
import { count, duration, median, ratio, type Table, timed } from './measure.js';
import { recalculate, type Sizes } from './recalculation.js';
import { assertAllPaid, type BringDeals, emptyLedger, makeSalesYear } from './sales-year.js';
import { WorkerProcess } from './worker-process.js';

/** One workspace, imported from files, then calculated by one, two and four worker processes, with their memory. */
export async function workers({ small, large }: Sizes): Promise<Table[]> {
  const deals = large ? 1_000_000 : small ? 10_000 : 100_000;
  const reps = deals / 50 > 2000 ? 2000 : deals / 50;
  await using service = await startBenchService({ worker: false });
  let importMs = 0;
  const year = await makeSalesYear(service, deals, reps, async (...given) => {
    importMs = await timed(() => importDeals(...given));
  });
  // Otherwise the requests of the import would be calculated before the first run and take as long.
  await service.owner.query('truncate calculation_requests');
  const rows: Row[] = [];
  for (const workers of [1, 2, 4]) {
    const processes = await Promise.all(Array.from({ length: workers }, () => WorkerProcess.start(service)));
    try {
      const runs: number[] = [];
      const busy: number[] = [];
      for (let round = 0; round < (large ? 1 : 5); round += 1) {
        await emptyLedger(year);
        const busyBefore = busyMs();
        const ms = await timed(() => recalculate(year, {}));
        runs.push(ms);
        busy.push((busyMs() - busyBefore) / ms);
        await assertAllPaid(year);
      }
      rows.push({ workers, ms: median(runs), busy: median(busy), megabytes: processes.map(({ peak }) => peak) });
    } finally {
      await Promise.all(processes.map((worker) => worker.end('SIGTERM')));
    }
  }
  const one = rows[0]?.ms ?? Number.NaN;
  return [
    {
      title: `Full recalculation by worker processes, ${count(deals)} deals, ${count(reps)} reps`,
      columns: ['workers', 'median', 'deals a second', 'as fast as one', 'cores busy', 'max. memory of a process'],
      rows: rows.map(({ workers, ms, busy, megabytes }) => [
        String(workers),
        duration(ms),
        count((deals / ms) * 1000),
        ratio(one / ms),
        busy.toFixed(2),
        `${Math.max(...megabytes).toFixed(0)} MB`,
      ]),
      notes: [
        `One API process imported the deals in files of ${count(dealsInFile)}: ${count((deals / importMs) * 1000)} a second.`,
        `Each worker calculates two lanes at a time. PostgreSQL has the same ${cpus().length} cores.`,
      ],
    },
  ];
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

/** Imports files as an admin does. */
const importDeals: BringDeals = async (_service, workspace, deals, reps) => {
  for (let first = 1; first <= deals; first += dealsInFile)
    await workspace.call('POST', '/v1/deals/import', fileOf(first, Math.min(dealsInFile, deals + 1 - first), reps));
};

function fileOf(first: number, count: number, reps: number): string {
  const lines = Array.from({ length: count }, (_, index) => {
    const n = first + index;
    const day = new Date(Date.UTC(2026, 0, 1 + ((n * 31) % 365))).toISOString().slice(0, 10);
    const cents = 50_000 + (((n * 7919) % 1_000_003) * 7) / 10;
    const segment = ['smb', 'mid', 'enterprise'][n % 3];
    return `D${n},Deal ${n},${(cents / 100).toFixed(2)},Won,${day},${segment},rep${n % reps}@acme.test`;
  });
  return ['id,name,amount,stage,close_date,segment,owner_email', ...lines].join('\n');
}
