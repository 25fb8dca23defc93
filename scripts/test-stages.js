import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

// Compiles and lints once, then runs all stages of the tests, also after a failure, and repeats the failures of each
// stage at the end of the log.
const root = path.dirname(import.meta.dirname);
const steps = {
  build: ['run', '--silent', 'build'],
  lint: ['run', '--silent', 'lint'],
  // Without what each stage does first when it runs alone: the build.
  fast: ['run', '--ignore-scripts', 'test:fast'],
  faults: ['run', '--ignore-scripts', 'test:faults'],
  budgets: ['run', '--ignore-scripts', 'test:budgets'],
};
const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
const maxLines = 60;

async function run(step) {
  const startedAt = Date.now();
  const child = spawn('npm', steps[step], {
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
  return { step, passed: code === 0, minutes: ((Date.now() - startedAt) / 60_000).toFixed(1), output };
}

/** What Mocha prints after the last test; for a failed compilation the last lines. */
function summaryOf({ step, passed, minutes, output }) {
  const lines = output.trimEnd().split('\n');
  const last = lines.findLastIndex((line) => / passing.*\(/.test(line));
  const end = lines.slice(last === -1 ? -maxLines : last).slice(0, maxLines);
  return `\n${step}: ${passed ? 'passed' : 'FAILED'} after ${minutes} minutes\n${end.join('\n')}\n`;
}

const results = [];
for (const step of Object.keys(steps)) {
  results.push(await run(step));
  // Without a build, the stages would test older code.
  if (step === 'build' && !results[0].passed) break;
}
process.stdout.write(results.map(summaryOf).join(''));
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
