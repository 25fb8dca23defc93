import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

// Runs the slow files, or with `--part 2/5` every fifth of them, beginning with the second: neighbours are alike, so
// the parts take about the same time.
const root = path.dirname(import.meta.dirname);
const { values } = parseArgs({
  options: { part: { type: 'string', default: '1/1' }, grep: { type: 'string', short: 'g' } },
});
const [part, parts] = values.part.split('/').map(Number);
if (!(part >= 1 && part <= parts)) throw new Error(`--part ${values.part} must have the form 2/5`);

const files = readdirSync(path.join(root, 'dist/test'), { recursive: true })
  .filter((name) => name.endsWith('.slow.test.js'))
  .sort()
  .filter((_, index) => index % parts === part - 1)
  .map((name) => path.join('dist/test', name));
const mocha = path.join(root, 'node_modules/mocha/bin/mocha.js');
const names = values.grep === undefined ? [] : ['--grep', values.grep];
const { status } = spawnSync(process.execPath, [mocha, ...names, ...files], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
