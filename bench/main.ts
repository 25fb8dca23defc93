import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { benchmarks } from './benchmarks.js';
import { type Report } from './run.js';
import { type Size } from './size.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    small: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    docs: { type: 'boolean', default: false },
  },
});
const all = Object.keys(benchmarks);
const unknown = positionals.filter((name) => !all.includes(name));
if (unknown.length > 0) exitWith(`unknown benchmark ${unknown.join(', ')}; the benchmarks are ${all.join(', ')}`);
if (values.quick && values.docs) exitWith('the figures of --quick say nothing, so --docs does not store them');
const size: Size = values.quick ? 'quick' : values.small ? 'small' : values.large ? 'large' : 'usual';
const names = positionals.length === 0 ? all : positionals;
const machine = `${cpus().length} × ${cpus()[0]?.model}, Node.js ${process.version}`;
process.stdout.write(`${machine}\n\n`);

let child: ChildProcess | null = null;
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    isInterrupted = true;
    child?.kill('SIGTERM');
  });

const failed: string[] = [];
for (const name of names) {
  if (isInterrupted) break;
  const { tables, failure } = await measure(name);
  if (failure === null && values.docs) writeDocs(name, `Measured on ${machine}.\n\n${tables.join('\n')}`);
  if (failure === null) continue;
  failed.push(`${name}: ${failure.split('\n')[0]}`);
  process.stderr.write(`The benchmark ${name} failed. ${failure}\n\n`);
}
if (failed.length > 0)
  process.stderr.write(`${failed.length} of ${names.length} benchmarks failed:\n${failed.join('\n')}\n`);
process.exitCode = failed.length > 0 || isInterrupted ? 1 : 0;

function exitWith(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

interface Result {
  readonly tables: readonly string[];
  readonly failure: string | null;
}

/**
 * Runs a benchmark in its own process, whose end does not end the others, and prints each table as soon as it is
 * measured. The temporary folder contains its servers, which stop when their files are deleted.
 */
async function measure(name: string): Promise<Result> {
  const folder = mkdtempSync(path.join(tmpdir(), 'commissions-bench-'));
  // PostgreSQL runs as another user if this one is root.
  chmodSync(folder, 0o755);
  const environment = { BENCH_TIMEOUT_SECONDS: size === 'quick' ? '300' : '3600', ...process.env, TMPDIR: folder };
  child = fork(fileURLToPath(new URL('run.js', import.meta.url)), [name, size], { env: environment });
  const tables: string[] = [];
  let failure: string | null = null;
  child.on('message', (report: Report) => {
    if ('failure' in report) failure = report.failure;
    else {
      tables.push(report.table);
      process.stdout.write(`${report.table}\n`);
    }
  });
  const [code, signal] = await once(child, 'close');
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  if (code === 0 && tables.length === 0) failure = 'it has measured nothing';
  if (code !== 0) failure ??= `its process ended with ${signal ?? `code ${code}`}`;
  return { tables, failure };
}

/** Replaces the results of a benchmark in docs/performance.md, between its start and end marks. */
function writeDocs(name: string, report: string): void {
  const file = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
  const marks = new RegExp(`(<!-- bench ${name} -->\n)[^]*?(<!-- end -->)`);
  const page = readFileSync(file, 'utf8');
  if (!marks.test(page)) throw new Error(`docs/performance.md has no marks for the benchmark ${name}`);
  writeFileSync(
    file,
    page.replace(marks, (_, start: string, end: string) => `${start}\n${report}\n${end}`),
  );
}
