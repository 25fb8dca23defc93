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

  /** The bodies of functions, one a line, that a rule of this project rejects in the file. */
  function rejected(file: string, bodies: readonly string[]): string[] {
    const source = bodies.map((body, at) => `export async function f${at}(f, g, running) { ${body} }\n`).join('');
    mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(folder, file), source);
    const program = path.join(root, 'node_modules/.bin/biome');
    const { stdout } = spawnSync(program, ['lint', '--reporter=json', file], { cwd: folder, encoding: 'utf8' });
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { category: string; location: { start: { line: number } } }[];
    };
    const lines = diagnostics
      .filter(({ category }) => category === 'plugin')
      .map(({ location }) => location.start.line);
    return [...new Set(lines)].map((line) => bodies[line - 1] as string);
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
      const awaited = (expression: string) => `await ${expression};`;
      expect(rejected(name, [...starting, ...waiting].map(awaited))).to.deep.equal(starting.map(awaited));
    });

  it('rejects a promise that is stored beside a loop, whose error would leave its rejection unhandled', () => {
    const unsafe = [
      'const ended = f(); for (const one of running) g(one); await ended;',
      'const ended = g.once(f); for await (const one of running) g(one); await ended;',
      'const ended = new Promise(f); while (g()) f(); return await ended;',
    ];
    const safe = [
      'const ended = f(); ended.catch(g); for (const one of running) g(one); await ended;',
      'const ended = f(); await ended;',
      'const value = await f(); for (const one of running) g(one, value);',
      'const rows = f(); for (const one of rows) await g(one);',
    ];
    expect(rejected('src/kernel/example.ts', [...unsafe, ...safe])).to.deep.equal(unsafe);
  });
});
