import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { agents } from './agents.js';
import { changes } from './changes.js';
import { documents } from './documents.js';
import { engine } from './engine.js';
import { http } from './http.js';
import { imports } from './imports.js';
import { intake } from './intake.js';
import { latency } from './latency.js';
import { markdown, type Table } from './measure.js';
import { memory } from './memory.js';
import { pdf } from './pdf.js';
import { recalculation, type Sizes } from './recalculation.js';
import { shapes } from './shapes.js';
import { storms } from './storms.js';
import { workers } from './workers.js';

/** The benchmarks by their names on the command line, in the order of docs/performance.md. */
const benches: Readonly<Record<string, (sizes: Sizes) => Promise<Table[]>>> = {
  recalculation,
  memory,
  shapes,
  changes,
  storms,
  workers,
  engine,
  http,
  intake,
  latency,
  import: imports,
  pdf,
  documents,
  agents,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    small: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    docs: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0)
  throw new Error(`unknown benchmark ${unknown.join(', ')}; the benchmarks are ${Object.keys(benches).join(', ')}`);
const machine = `${cpus().length} × ${cpus()[0]?.model}, Node.js ${process.version}`;
process.stdout.write(`${machine}\n\n`);
for (const name of positionals.length === 0 ? Object.keys(benches) : positionals) {
  const tables = (await benches[name]?.({ small: values.small, large: values.large })) ?? [];
  const report = tables.map(markdown).join('\n');
  process.stdout.write(`${report}\n`);
  if (values.docs) writeDocs(name, `Measured on ${machine}.\n\n${report}`);
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
