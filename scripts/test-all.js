import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { runSteps } from './steps.js';

// Runs everything, in parts that end within ten minutes on two idle cores, or the part of `--part 3`. The last result of
// each part is stored in docs/testing.md, except where CI is set. `--list` prints the parts.
const root = path.dirname(import.meta.dirname);
const page = path.join(root, 'docs/testing.md');
const slowParts = 5;
const knownBugParts = 5;
const parts = [
  { name: 'the gate', steps: ['build', 'lint', 'unused', 'test:gate'] },
  ...Array.from({ length: slowParts }, (_, index) => ({
    name: `slow files ${index + 1}/${slowParts}`,
    steps: ['build', `test:slow --part ${index + 1}/${slowParts}`],
  })),
  { name: 'budgets', steps: ['build', 'test:budgets'] },
  { name: 'coverage and mutants', steps: ['build', 'test:coverage', 'test:mutation'] },
  ...Array.from({ length: knownBugParts }, (_, index) => ({
    name: `known bugs ${index + 1}/${knownBugParts}`,
    steps: ['build', `faults:mutants --part ${index + 1}/${knownBugParts}`],
  })),
  { name: 'benchmarks', steps: ['build', 'test:bench'] },
];

const { values } = parseArgs({ options: { part: { type: 'string' }, list: { type: 'boolean', default: false } } });
const numbers = values.part === undefined ? parts.map((_, index) => index + 1) : [Number(values.part)];
if (parts[numbers[0] - 1] === undefined) throw new Error(`--part is a number from 1 to ${parts.length}`);

async function run(number) {
  const { name, steps } = parts[number - 1];
  process.stdout.write(`\nPart ${number}: ${name}\n`);
  const startedAt = performance.now();
  const results = await runSteps(steps);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  return { number, name, seconds, passed: sumOf(results, passedIn), failed: sumOf(results, failedIn) };
}

const sumOf = (results, read) => results.reduce((sum, result) => sum + read(result), 0);

/** What Mocha counted; a step without tests counts as one. */
function passedIn({ output, problem }) {
  return numberBefore('passing', output) ?? (problem === null ? 1 : 0);
}

function failedIn({ output, problem }) {
  return problem === null ? 0 : numberBefore('failing', output) || 1;
}

function numberBefore(word, output) {
  const found = new RegExp(`^ *(\\d+) ${word}\\b`, 'm').exec(stripVTControlCharacters(output));
  return found === null ? null : Number(found[1]);
}

function git(...args) {
  return spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim();
}

function record({ number, name, seconds, passed, failed }) {
  const changed = git('status', '--porcelain', '--', ':!docs/testing.md') === '' ? '' : ' and changes';
  const commit = `${git('rev-parse', '--short', 'HEAD')}${changed}`;
  const minute = new Date().toISOString().slice(0, 16).replace('T', ' ');
  const row = `| ${number} | ${name} | ${commit} | ${minute} | ${seconds} s | ${passed} | ${failed} |`;
  const [before, table, after] = readFileSync(page, 'utf8').split(/(?<=<!-- results -->\n\n)|(?=\n\n<!-- \/results -->)/);
  const [head, line, ...rows] = table.split('\n');
  const kept = rows.filter((other) => !other.startsWith(`| ${number} |`) && Number(other.split('|')[1]) <= parts.length);
  const sorted = [...kept, row].sort((a, b) => Number(a.split('|')[1]) - Number(b.split('|')[1]));
  writeFileSync(page, `${before}${[head, line, ...sorted].join('\n')}${after}`);
}

if (values.list) {
  for (const [index, { name, steps }] of parts.entries())
    process.stdout.write(`${index + 1}  ${name.padEnd(24)} ${steps.join(', ')}\n`);
} else {
  const results = [];
  for (const number of numbers) {
    const result = await run(number);
    results.push(result);
    if (!process.env.CI) record(result);
  }
  const lines = results.map(
    ({ number, name, seconds, passed, failed }) =>
      `Part ${number} ${failed === 0 ? 'passed' : 'FAILED'}: ${name}, ${passed} passed, ${failed} failed, ${seconds} s`,
  );
  const passed = sumOf(results, (result) => result.passed);
  const failed = sumOf(results, (result) => result.failed);
  process.stdout.write(`\n${lines.join('\n')}\n\n${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
