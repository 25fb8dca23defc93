import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('lint', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'commissions-lint-'));
    for (const name of ['biome.json', '.gitignore', 'scripts'])
      cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** The expressions that a rule of this project rejects in the file. */
  function rejected(file: string, expressions: readonly string[]): string[] {
    const source = expressions.map((expression) => `  await ${expression};\n`).join('');
    mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(folder, file), `export async function example(f, g, running) {\n${source}}\n`);
    const program = path.join(root, 'node_modules/.bin/biome');
    const { stdout } = spawnSync(program, ['lint', '--reporter=json', file], { cwd: folder, encoding: 'utf8' });
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { category: string; location: { start: { line: number } } }[];
    };
    const lines = diagnostics
      .filter(({ category }) => category === 'plugin')
      .map(({ location }) => location.start.line);
    return [...new Set(lines)].map((line) => expressions[line - 2] as string);
  }

  const starting = [
    'Promise.all([f(), g()])',
    'Promise.all(running.map((one) => f(one)))',
    'Promise.all(running.map(async (one) => f(one)))',
    'Promise.allSettled([running[0], f()])',
    "Promise.race([running[0], import('./other.js')])",
    'Promise.any([running[0], new Promise(f)])',
  ];
  const waiting = ['Promise.all(running)', 'Promise.all([...running, g])', 'Promise.race([f, g])'];
  for (const name of ['src/kernel/example.ts', 'src/ledger/example.ts', 'workers/example.ts', 'demo/example.ts'])
    it(`rejects promises that are started in the argument of Promise.all, in ${path.dirname(name)}`, () => {
      expect(rejected(name, [...starting, ...waiting])).to.deep.equal(starting);
    });
});
