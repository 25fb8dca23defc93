import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { engine } from './engine.js';
import { http } from './http.js';
import { imports } from './imports.js';
import { intake } from './intake.js';
import { latency } from './latency.js';
import { markdown, type Table } from './measure.js';
import { pdf } from './pdf.js';
import { recalculation, type Sizes } from './recalculation.js';
import { workers } from './workers.js';

/** Every bench by its name on the command line, in the order of the README. */
const benches: Readonly<Record<string, (sizes: Sizes) => Promise<Table[]>>> = {
  recalculation,
  workers,
  engine,
  http,
  intake,
  latency,
  import: imports,
  pdf,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    small: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    readme: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0)
  throw new Error(`There is no bench ${unknown.join(', ')}; there are: ${Object.keys(benches).join(', ')}.`);
const machine = `${cpus().length} × ${cpus()[0]?.model}, Node.js ${process.version}`;
process.stdout.write(`${machine}\n\n`);
for (const name of positionals.length === 0 ? Object.keys(benches) : positionals) {
  const told = ((await benches[name]?.({ small: values.small, large: values.large })) ?? []).map(markdown).join('\n');
  process.stdout.write(`${told}\n`);
  if (values.readme) writeReadme(name, `Measured on ${machine}.\n\n${told}`);
}

/** Replaces what the README says of the bench, between its two marks. */
function writeReadme(name: string, told: string): void {
  const file = fileURLToPath(new URL('../../README.md', import.meta.url));
  const marks = new RegExp(`(<!-- bench ${name} -->\n)[^]*?(<!-- end -->)`);
  const readme = readFileSync(file, 'utf8');
  if (!marks.test(readme)) throw new Error(`The README has no place for the bench ${name}.`);
  writeFileSync(
    file,
    readme.replace(marks, (_, start: string, end: string) => `${start}\n${told}\n${end}`),
  );
}
