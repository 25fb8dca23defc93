import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What each step does. The command `mocha` prints its argument, and exits with 0 as after an interrupt. */
const scripts = {
  build: 'true',
  lint: 'echo 3 warnings && false',
  tests: 'mocha "  12 passing (3s)"',
  coloured: `mocha "$(printf '\\033[92m \\033[0m\\033[32m 12 passing\\033[0m\\033[90m (3s)\\033[0m')"`,
  interrupted: 'mocha "  ✔ the first test"',
  empty: 'mocha "  0 passing (1ms)"',
};

const page = `before

<!-- results -->

| Part | Runs | Commit | Ended (UTC) | Time | Passed | Failed |
|---|---|---|---|---|---|---|
| 1 | the gate | 1234567 | 2026-01-01 00:00 | 200 s | 12 | 0 |
| 9 | known bugs | 1234567 | 2026-01-01 00:00 | 200 s | 1 | 0 |
| 99 | a former part | 1234567 | 2026-01-01 00:00 | 200 s | 1 | 0 |

<!-- /results -->

after
`;

let folder = '';

/** Runs the script with a package.json of these scripts. */
function start(script: string, args: readonly string[], replaced: Readonly<Record<string, string>> = {}) {
  writeFileSync(
    path.join(folder, 'package.json'),
    JSON.stringify({ type: 'module', scripts: { ...scripts, ...replaced } }),
  );
  const { CI: _, ...environment } = process.env;
  return spawnSync(process.execPath, [`scripts/${script}`, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: environment,
  });
}

describe('npm test', () => {
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'commissions-steps-'));
    const commands = path.join(folder, 'node_modules/.bin');
    mkdirSync(commands, { recursive: true });
    writeFileSync(path.join(commands, 'mocha'), '#!/bin/sh\necho "$1"\n');
    chmodSync(path.join(commands, 'mocha'), 0o755);
    cpSync(path.join(root, 'scripts'), path.join(folder, 'scripts'), { recursive: true });
    mkdirSync(path.join(folder, 'docs'));
    writeFileSync(path.join(folder, 'docs/testing.md'), page);
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  function run(steps: readonly string[], replaced?: Readonly<Record<string, string>>) {
    const { status, stdout } = start('run-steps.js', steps, replaced);
    return {
      status,
      stdout,
      results: [...stdout.matchAll(/^(\S+) +(passed|FAILED) +\d+ s$/gm)].map(([, step, result]) => `${step} ${result}`),
    };
  }

  it('runs every step, and fails when one fails', () => {
    const { status, results, stdout } = run(['build', 'lint', 'tests', 'coloured']);
    expect(results).to.deep.equal(['build passed', 'lint FAILED', 'tests passed', 'coloured passed']);
    expect(stdout).to.include('lint failed:\n3 warnings');
    expect(status).to.equal(1);
  });

  it('fails when tests were interrupted or none ran, although Mocha exits with 0', () => {
    const { status, results, stdout } = run(['interrupted', 'empty']);
    expect(results).to.deep.equal(['interrupted FAILED', 'empty FAILED']);
    expect(stdout).to.include('interrupted ended without the summary of its tests');
    expect(status).to.equal(1);
  });

  it('runs no step after a failed build', () => {
    const { status, results } = run(['build', 'tests'], { build: 'false' });
    expect(results).to.deep.equal(['build FAILED']);
    expect(status).to.equal(1);
  });

  it('passes when every step passes', () => {
    const { status, results } = run(['tests']);
    expect(results).to.deep.equal(['tests passed']);
    expect(status).to.equal(0);
  });

  describe('in all its parts', () => {
    const steps = { 'test:budgets': 'mocha "  3 passing (1s)"' };
    const rows = () =>
      [
        ...readFileSync(path.join(folder, 'docs/testing.md'), 'utf8').matchAll(/^\| (\d+) \|.*\| (\d+) \| (\d+) \|$/gm),
      ].map(([, ...numbers]) => numbers.map(Number));

    it('lists the parts, which are those of the nightly workflow', () => {
      const { stdout } = start('test-all.js', ['--list']);
      expect(stdout).to.match(/^1 +the gate +build, lint, unused, test:gate$/m);
      const listed = [...stdout.matchAll(/^(\d+) /gm)].map(([, number]) => Number(number));
      const nightly = parse(readFileSync(path.join(root, '.github/workflows/nightly.yml'), 'utf8'));
      expect(nightly.jobs.part.strategy.matrix.part).to.deep.equal(listed);
      expect(start('test-all.js', ['--part', '100']).status).to.equal(1);
    });

    it('runs one part and stores its result in the page about tests', () => {
      const { status, stdout } = start('test-all.js', ['--part', '7'], steps);
      expect(stdout).to.include('Part 7 passed: budgets, 4 passed, 0 failed');
      expect(status).to.equal(0);
      expect(rows()).to.deep.equal([
        [1, 12, 0],
        [7, 4, 0],
        [9, 1, 0],
      ]);
    });

    it('counts the failed tests, and fails', () => {
      const failing = { ...steps, 'test:budgets': 'mocha "  2 passing (1s)\n  2 failing" && false' };
      const { status, stdout } = start('test-all.js', ['--part', '7'], failing);
      expect(stdout.trimEnd().split('\n').at(-1)).to.equal('3 passed, 2 failed');
      expect(status).to.equal(1);
      expect(rows()[1]).to.deep.equal([7, 3, 2]);
    });
  });
});
