import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const script = fileURLToPath(new URL('../../scripts/run-steps.js', import.meta.url));

/** What each step does. The command `mocha` prints its argument, and exits with 0 as after an interrupt. */
const scripts = {
  build: 'true',
  lint: 'echo 3 warnings && false',
  tests: 'mocha "  12 passing (3s)"',
  coloured: `mocha "$(printf '\\033[92m \\033[0m\\033[32m 12 passing\\033[0m\\033[90m (3s)\\033[0m')"`,
  interrupted: 'mocha "  ✔ the first test"',
  empty: 'mocha "  0 passing (1ms)"',
};

describe('npm test', () => {
  let folder = '';

  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'commissions-steps-'));
    const commands = path.join(folder, 'node_modules/.bin');
    mkdirSync(commands, { recursive: true });
    writeFileSync(path.join(commands, 'mocha'), '#!/bin/sh\necho "$1"\n');
    chmodSync(path.join(commands, 'mocha'), 0o755);
    cpSync(script, path.join(folder, 'scripts/run-steps.js'));
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs the steps with a package.json of these scripts. */
  function run(steps: readonly string[], replaced: Readonly<Record<string, string>> = {}) {
    writeFileSync(
      path.join(folder, 'package.json'),
      JSON.stringify({ type: 'module', scripts: { ...scripts, ...replaced } }),
    );
    const { status, stdout } = spawnSync(process.execPath, ['scripts/run-steps.js', ...steps], {
      cwd: folder,
      encoding: 'utf8',
    });
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
});
