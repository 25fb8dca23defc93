import { unzipSync } from 'fflate';
import { type BenchService, startBenchService, until } from './bench-service.js';
import { growth, readValue } from './effects.js';
import { alternating, type Contender, count, duration, measureOnce, ratio, type Table } from './measure.js';
import { calculateFirst } from './recalculation.js';
import { makeSalesYear, rulesPerDeal, type SalesYear } from './sales-year.js';
import { type Size } from './size.js';
import { WorkerProcess } from './worker-process.js';
import { expectRowsOfYear } from './year-effects.js';

const period = '2026-01';
const reps: Readonly<Record<Size, number>> = { quick: 20, small: 200, usual: 2000, large: 2000 };
const rounds: Readonly<Record<Size, number>> = { quick: 1, small: 5, usual: 5, large: 5 };

/** Statements of many reps and their files: the time, and the maximum memory of the process that makes them. */
export async function* documents(size: Size): AsyncGenerator<Table> {
  await using service = await startBenchService({ worker: false });
  const offices = [await createOffice(service, reps[size] / 10), await createOffice(service, reps[size])];
  await calculate(service, offices);
  yield await generation(offices, rounds[size]);
  yield await workbooks(service, offices);
  yield await archives(service, offices);
}

interface Office {
  readonly year: SalesYear;
  readonly reps: number;
  /** The lines of all statements of the year. */
  readonly lines: number;
}

const dealsPerRep = 42;

/** Reps with 126 lines in the year each. */
async function createOffice(service: BenchService, reps: number): Promise<Office> {
  const year = await makeSalesYear(service, reps * dealsPerRep, reps);
  return { year, reps, lines: reps * dealsPerRep * rulesPerDeal };
}

async function calculate(service: BenchService, offices: readonly Office[]): Promise<void> {
  await using _worker = await WorkerProcess.forService(service);
  await calculateFirst(offices.map(({ year }) => year));
  await service.owner.query('vacuum analyze');
}

/** Against one SQL statement that stores the same lines as JSON. */
async function generation(offices: readonly Office[], rounds: number): Promise<Table> {
  const rows: string[][] = [];
  for (const { year, reps, lines } of offices) {
    const [floor, service] = await alternating(
      [await storing(year, reps, lines), generating(year, reps, lines)],
      rounds,
    );
    const [floorMs, ms] = [floor?.median ?? Number.NaN, service?.median ?? Number.NaN];
    rows.push([count(reps), count(lines), duration(floorMs), duration(ms), ratio(ms / floorMs)]);
  }
  return {
    title: 'Generating the statements of a year for everyone',
    columns: ['statements', 'lines', 'one SQL statement', 'service', 'against SQL'],
    rows,
    notes: ['The SQL statement stores the events of each rep as JSON, without names, rates, totals and hashes.'],
  };
}

/** All lines are in the statements, of which each run writes one for every rep. */
function generating(year: SalesYear, reps: number, lines: number): Contender {
  const { service, workspace } = year;
  return {
    name: 'service',
    effects: [
      expectRowsOfYear(year, 'statements', reps),
      growth('lines of statements', () => linesIn(service, 'statements', workspace.workspaceId), lines),
    ],
    run: async () => {
      await workspace.call('POST', '/v1/statements/generate', { period: '2026' });
    },
  };
}

async function storing(year: SalesYear, reps: number, lines: number): Promise<Contender> {
  const { owner } = year.service;
  const { workspaceId } = year.workspace;
  await owner.query('create table if not exists stored_lines (workspace_id uuid, rep_id uuid, line_items jsonb)');
  return {
    name: 'one SQL statement',
    effects: [
      expectRowsOfYear(year, 'stored_lines', reps),
      growth('stored lines', () => linesIn(year.service, 'stored_lines', workspaceId), lines),
    ],
    run: async () => {
      await owner.query(
        `insert into stored_lines
         select workspace_id, rep_id, jsonb_agg(to_jsonb(e) order by earned_on, deal_key, rule_name) from commission_events e
         where workspace_id = $1 and status = 'earned' and earned_on between '2026-01-01' and '2026-12-31'
         group by workspace_id, rep_id`,
        [workspaceId],
      );
    },
  };
}

function linesIn({ owner }: BenchService, table: string, workspaceId: string): Promise<number> {
  const sum = `select coalesce(sum(jsonb_array_length(line_items)), 0)::int as value from ${table} where workspace_id = $1`;
  return readValue<number>(owner, sum, [workspaceId]);
}

async function workbooks(service: BenchService, offices: readonly Office[]): Promise<Table> {
  const rows: string[][] = [];
  for (const { year, lines } of offices) {
    const exported = await exportFile(service, year, '/v1/statements/export.xlsx?period=2026', {
      what: 'lines in the workbook',
      expected: lines,
      countIn: rowsInWorkbook,
    });
    rows.push([count(lines), ...exportCells(exported), duration((exported.ms / lines) * 1000)]);
  }
  return {
    title: 'Excel workbook of the team, for a year',
    columns: ['lines', 'time', 'size', 'memory of the worker', 'time for 1,000 lines'],
    rows,
    notes: ['Resident memory of the process that makes the file, at its maximum and before.'],
  };
}

async function archives(service: BenchService, offices: readonly Office[]): Promise<Table> {
  const rows: string[][] = [];
  for (const { year, reps } of offices) {
    const exported = await exportFile(service, year, `/v1/statements/export.zip?period=${period}`, {
      what: 'PDFs in the archive',
      expected: reps,
      countIn: (file) => namesIn(file).filter((name) => name.endsWith('.pdf')).length,
    });
    rows.push([count(reps), ...exportCells(exported), duration(exported.ms / reps)]);
  }
  return {
    title: 'Archive of all statements as PDF, for a month',
    columns: ['PDFs', 'time', 'size', 'memory of the worker', 'time for one'],
    rows,
    notes: ['About 10 lines each. The memory is without the browser, which prints one page after the other.'],
  };
}

interface Exported {
  readonly ms: number;
  readonly bytes: number;
  readonly before: number;
  readonly peak: number;
}

/** What the file must contain, read from the file itself. */
interface Content {
  readonly what: string;
  readonly expected: number;
  countIn(file: Uint8Array): number;
}

/** Makes each file in a new worker process, so that the memory is that of the file. */
async function exportFile(service: BenchService, year: SalesYear, path: string, content: Content): Promise<Exported> {
  const { what, expected, countIn } = content;
  await using worker = await WorkerProcess.forService(service);
  await makeFile(year, path.replace(/2026.*/, '2025-01'));
  const before = worker.peak;
  let file: FinishedFile | null = null;
  const countInFile = async () => (file === null ? 0 : countIn(await year.workspace.download(file.path)));
  const ms = await measureOnce({
    name: path,
    effects: [growth(what, countInFile, expected)],
    run: async () => {
      file = await makeFile(year, path);
    },
  });
  return { ms, bytes: (file as unknown as FinishedFile).bytes, before, peak: worker.peak };
}

interface FinishedFile {
  readonly path: string;
  readonly bytes: number;
}

interface ExportJob {
  readonly status: string;
  readonly error?: string;
  readonly file?: FinishedFile;
}

/** Resolves when the job has completed. */
async function makeFile({ workspace }: SalesYear, path: string): Promise<FinishedFile> {
  const { jobId } = await workspace.call<{ jobId: string }>('GET', `${path}&async=true`);
  let file: FinishedFile | undefined;
  const isDone = async () => {
    const job = await workspace.call<ExportJob>('GET', `/v1/statements/export/jobs/${jobId}`);
    if (job.status === 'failed') throw new Error(job.error ?? 'the export failed');
    file = job.file;
    return job.status === 'completed';
  };
  await until(path, isDone, 50);
  if (file === undefined) throw new Error(`${path} made no file`);
  return file;
}

/** The rows below the header, of the sheet with the most. */
function rowsInWorkbook(file: Uint8Array): number {
  const sheets = Object.entries(unzipSync(file, { filter: ({ name }) => /worksheets\/sheet\d+\.xml$/.test(name) }));
  return Math.max(...sheets.map(([, xml]) => Buffer.from(xml).toString('latin1').split('<row ').length - 1)) - 1;
}

function namesIn(file: Uint8Array): readonly string[] {
  const names: string[] = [];
  unzipSync(file, {
    filter: ({ name }) => {
      names.push(name);
      return false;
    },
  });
  return names;
}

function exportCells({ ms, bytes, before, peak }: Exported): string[] {
  return [duration(ms), `${(bytes / 1e6).toFixed(1)} MB`, `${peak.toFixed(0)} MB, before ${before.toFixed(0)} MB`];
}
