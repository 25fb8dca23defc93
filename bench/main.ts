import 'reflect-metadata';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { engine } from './engine.js';
import { http } from './http.js';
import { imports } from './imports.js';
import { latency } from './latency.js';
import { markdown, type Table } from './measure.js';
import { recalculation, type Sizes } from './recalculation.js';

/** Every bench by its name on the command line, in the order of the README. */
const benches: Readonly<Record<string, (sizes: Sizes) => Promise<Table[]>>> = {
  recalculation,
  engine,
  http,
  latency,
  import: imports,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { large: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0)
  throw new Error(`There is no bench ${unknown.join(', ')}; there are: ${Object.keys(benches).join(', ')}.`);
const wanted = positionals.length === 0 ? Object.keys(benches) : positionals;
process.stdout.write(`${cpus().length} × ${cpus()[0]?.model}, Node.js ${process.version}\n\n`);
for (const name of wanted) {
  const tables = (await benches[name]?.({ large: values.large })) ?? [];
  for (const table of tables) process.stdout.write(`${markdown(table)}\n`);
}
