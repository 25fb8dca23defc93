import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const root = path.dirname(import.meta.dirname);
const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const binaries = path.join(root, 'node_modules/.bin');
const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
const maxLines = 60;

async function run(step) {
  const startedAt = performance.now();
  const [name, ...options] = step.split(' ');
  // Without npm: an npm below it, such as `npm pack` in a test, would inherit the options of this one.
  const child = spawn([scripts[name], ...options].join(' '), {
    shell: true,
    cwd: root,
    env: { ...process.env, ...colour, PATH: `${binaries}${path.delimiter}${process.env.PATH}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const [source, target] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ])
    source.on('data', (chunk) => {
      target.write(chunk);
      output += chunk;
    });
  const [code] = await once(child, 'close');
  const problem = findProblem(step, code, output);
  return { step, problem, seconds: Math.round((performance.now() - startedAt) / 1000), output };
}

/** Mocha exits with 0 when an interrupt ends it before its tests. Its summary is missing then. */
function findProblem(step, code, output) {
  if (code !== 0) return 'failed';
  const isMocha = /\bmocha\s|test-slow/.test(scripts[step.split(' ')[0]]);
  return isMocha && !/^\s*[1-9]\d* passing \(/m.test(stripVTControlCharacters(output))
    ? 'ended without the summary of its tests'
    : null;
}

/** What Mocha prints after the last test; of other commands the last lines. */
function failuresOf({ step, problem, output }) {
  const lines = output.trimEnd().split('\n');
  const last = lines.findLastIndex((line) => / passing.*\(/.test(line));
  const end = lines.slice(last === -1 ? -maxLines : last).slice(0, maxLines);
  return `\n${step} ${problem}:\n${end.join('\n')}\n`;
}

/**
 * Runs scripts of package.json one after the other, also after a failure, and repeats at the end the failures and the
 * time of each. A step is the name of a script, with its arguments. Scripts that run before another script (`pre…`) are
 * left out: the build is a step of its own.
 */
export async function runSteps(steps) {
  const results = [];
  for (const step of steps) {
    results.push(await run(step));
    // Without a build, the other steps would judge older code.
    if (step === 'build' && results.at(-1).problem !== null) break;
  }
  const failed = results.filter(({ problem }) => problem !== null);
  const table = results.map(
    ({ step, problem, seconds }) =>
      `${step.padEnd(20)} ${problem === null ? 'passed' : 'FAILED'} ${`${seconds}`.padStart(6)} s`,
  );
  process.stdout.write(`${failed.map(failuresOf).join('')}\n${table.join('\n')}\n`);
  return results;
}
