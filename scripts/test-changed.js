import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { testsOf } from './tests-of.js';

// Runs the tests of the gate that reach what differs from a commit (`--base main`; default: the last commit), or the
// named files. `--list` prints them. It compares with the compiled files, which `npm run test:changed` makes first.
const root = path.dirname(import.meta.dirname);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { base: { type: 'string', default: 'HEAD' }, list: { type: 'boolean', default: false } },
});

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr.trim());
  return stdout.split('\n').filter((line) => line !== '');
}

const changed =
  positionals.length > 0
    ? positionals
    : [
        ...git('diff', '--name-only', '--relative', values.base),
        ...git('ls-files', '--others', '--exclude-standard'),
      ];
const tests = testsOf(root, changed);
if (values.list || tests.length === 0) {
  process.stdout.write(tests.length === 0 ? 'No test reaches a changed file.\n' : `${tests.join('\n')}\n`);
} else {
  process.stdout.write(`${tests.length} test files reach ${changed.length} changed files.\n`);
  const mocha = path.join(root, 'node_modules/mocha/bin/mocha.js');
  process.exitCode = spawnSync(process.execPath, [mocha, ...tests], { cwd: root, stdio: 'inherit' }).status ?? 1;
}
