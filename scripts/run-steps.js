import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

// Runs scripts of package.json one after the other, also after a failure, and repeats at the end the failures and the
// time of each. Scripts that run before another script (`pre…`) are left out: the build is a step of its own.
const root = path.dirname(import.meta.dirname);
const steps = process.argv.slice(2);
const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
const maxLines = 60;

async function run(step) {
  const startedAt = performance.now();
  const child = spawn('npm', ['run', '--silent', '--ignore-scripts', step], {
    cwd: root,
    env: { ...process.env, ...colour },
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
  return { step, hasPassed: code === 0, seconds: Math.round((performance.now() - startedAt) / 1000), output };
}

/** What Mocha prints after the last test; of other commands the last lines. */
function failuresOf({ step, output }) {
  const lines = output.trimEnd().split('\n');
  const last = lines.findLastIndex((line) => / passing.*\(/.test(line));
  const end = lines.slice(last === -1 ? -maxLines : last).slice(0, maxLines);
  return `\n${step} failed:\n${end.join('\n')}\n`;
}

const results = [];
for (const step of steps) {
  results.push(await run(step));
  // Without a build, the other steps would judge older code.
  if (step === 'build' && !results.at(-1).hasPassed) break;
}
const failed = results.filter(({ hasPassed }) => !hasPassed);
const table = results.map(
  ({ step, hasPassed, seconds }) => `${step.padEnd(20)} ${hasPassed ? 'passed' : 'FAILED'} ${`${seconds}`.padStart(6)} s`,
);
process.stdout.write(`${failed.map(failuresOf).join('')}\n${table.join('\n')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
