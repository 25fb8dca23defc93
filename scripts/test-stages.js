import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

// Runs all stages of the tests, also after a failure, and repeats the failures of each stage at the end of the log.
const root = path.dirname(import.meta.dirname);
const stages = ['fast', 'faults', 'budgets'];
const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
const maxLines = 60;

async function run(stage) {
  const startedAt = Date.now();
  const child = spawn('npm', ['run', `test:${stage}`], {
    cwd: root,
    env: { ...process.env, ...colour },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    process.stdout.write(chunk);
    output += chunk;
  });
  const [code] = await once(child, 'close');
  return { stage, passed: code === 0, minutes: ((Date.now() - startedAt) / 60_000).toFixed(1), output };
}

/** What Mocha prints after the last test; for a failed compilation the last lines. */
function summaryOf({ stage, passed, minutes, output }) {
  const lines = output.trimEnd().split('\n');
  const last = lines.findLastIndex((line) => / passing.*\(/.test(line));
  const end = lines.slice(last === -1 ? -maxLines : last).slice(0, maxLines);
  return `\n${stage}: ${passed ? 'passed' : 'FAILED'} after ${minutes} minutes\n${end.join('\n')}\n`;
}

const results = [];
for (const stage of stages) results.push(await run(stage));
process.stdout.write(results.map(summaryOf).join(''));
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
