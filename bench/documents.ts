import { type BenchService, startBenchService } from './bench-service.js';
import { count, duration, median, ratio, type Table, timed } from './measure.js';
import { recalculate, type Sizes } from './recalculation.js';
import { assertAllPaid, makeSalesYear, rulesPerDeal, type SalesYear } from './sales-year.js';
import { WorkerProcess } from './worker-process.js';

const period = '2026-01';

/** Statements of many reps and their files: the time, and the maximum memory of the process that makes them. */
export async function documents({ small }: Sizes): Promise<Table[]> {
  const reps = small ? 200 : 2000;
  await using service = await startBenchService({ worker: false });
  const tenth = await officeOf(service, reps / 10);
  const whole = await officeOf(service, reps);
  const statements = await generation([tenth, whole]);
  return [statements, ...(await files(service, [tenth, whole]))];
}

interface Office {
  readonly year: SalesYear;
  readonly reps: number;
  /** The lines of all statements of the year. */
  readonly lines: number;
}

const dealsPerRep = 42;

/** Reps with 126 lines in the year each. */
async function officeOf(service: BenchService, reps: number): Promise<Office> {
  const year = await makeSalesYear(service, reps * dealsPerRep, reps);
  await using _worker = await WorkerProcess.start(service);
  await recalculate(year, {});
  await assertAllPaid(year);
  await service.owner.query('vacuum analyze');
  return { year, reps, lines: reps * dealsPerRep * rulesPerDeal };
}

/** Against one SQL statement that stores the same lines as JSON. */
async function generation(offices: readonly Office[]): Promise<Table> {
  const rows: string[][] = [];
  for (const { year, reps, lines } of offices) {
    const floor: number[] = [];
    const generated: number[] = [];
    for (let round = 0; round <= 5; round += 1) {
      const [floorMs, ms] = [await timed(() => storeLines(year)), await timed(() => generateAll(year, reps))];
      if (round === 0) continue;
      floor.push(floorMs);
      generated.push(ms);
    }
    const [one, service] = [median(floor), median(generated)];
    rows.push([count(reps), count(lines), duration(one), duration(service), ratio(service / one)]);
  }
  return {
    title: 'Generating the statements of a year for everyone',
    columns: ['statements', 'lines', 'one SQL statement', 'service', 'against SQL'],
    rows,
    notes: ['The SQL statement stores the events of each rep as JSON, without names, rates, totals and hashes.'],
  };
}

async function generateAll({ workspace }: SalesYear, reps: number): Promise<void> {
  const { generated } = await workspace.call<{ generated: number }>('POST', '/v1/statements/generate', {
    period: '2026',
  });
  if (generated !== reps) throw new Error(`${generated} of ${reps} statements were generated`);
}

async function storeLines({ service: { owner }, workspace: { workspaceId } }: SalesYear): Promise<void> {
  await owner.query('create table if not exists stored_lines (rep_id uuid, line_items jsonb)');
  await owner.query(
    `insert into stored_lines
     select rep_id, jsonb_agg(to_jsonb(e) order by earned_on, deal_key, rule_name) from commission_events e
     where workspace_id = $1 and status = 'earned' and earned_on between '2026-01-01' and '2026-12-31'
     group by rep_id`,
    [workspaceId],
  );
}

/** Each file in a worker process of its own, so that the memory is that of the file. */
async function files(service: BenchService, offices: readonly Office[]): Promise<Table[]> {
  const workbooks: string[][] = [];
  const archives: string[][] = [];
  for (const { year, reps, lines } of offices) {
    const workbook = await exported(service, year, '/v1/statements/export.xlsx?period=2026');
    workbooks.push([count(lines), ...exportCells(workbook), duration((workbook.ms / lines) * 1000)]);
    const archive = await exported(service, year, `/v1/statements/export.zip?period=${period}`);
    archives.push([count(reps), ...exportCells(archive), duration(archive.ms / reps)]);
  }
  return [
    {
      title: 'Excel workbook of the team, for a year',
      columns: ['lines', 'time', 'size', 'memory of the worker', 'time for 1,000 lines'],
      rows: workbooks,
      notes: ['Resident memory of the process that makes the file, at its maximum and before.'],
    },
    {
      title: 'Archive of all statements as PDF, for a month',
      columns: ['PDFs', 'time', 'size', 'memory of the worker', 'time for one'],
      rows: archives,
      notes: ['About 10 lines each. The memory is without the browser, which prints one page after the other.'],
    },
  ];
}

interface Exported {
  readonly ms: number;
  readonly bytes: number;
  readonly before: number;
  readonly peak: number;
}

async function exported(service: BenchService, year: SalesYear, path: string): Promise<Exported> {
  await using worker = await WorkerProcess.start(service);
  await makeFile(year, path.replace(/2026.*/, '2025-01'));
  const before = worker.peak;
  const start = performance.now();
  const bytes = await makeFile(year, path);
  return { ms: performance.now() - start, bytes, before, peak: worker.peak };
}

/** Returns the size of the file when the job has completed. */
async function makeFile({ workspace }: SalesYear, path: string): Promise<number> {
  const { jobId } = await workspace.call<{ jobId: string }>('GET', `${path}&async=true`);
  for (;;) {
    const { status, error, file } = await workspace.call<{ status: string; error?: string; file?: { bytes: number } }>(
      'GET',
      `/v1/statements/export/jobs/${jobId}`,
    );
    if (status === 'failed') throw new Error(error ?? 'the export failed');
    if (status === 'completed') return file?.bytes ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function exportCells({ ms, bytes, before, peak }: Exported): string[] {
  return [duration(ms), `${(bytes / 1e6).toFixed(1)} MB`, `${peak.toFixed(0)} MB, before ${before.toFixed(0)} MB`];
}
