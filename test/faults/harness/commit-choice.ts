import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Backend } from './fleet.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const backends: readonly Backend[] = ['postgres', 'redis'];

/** A number that changes from commit to commit, so that a run need not include everything. A copy without git history has 0. */
export const commitNumber = readCommitNumber();

function readCommitNumber(): number {
  try {
    return Number.parseInt(execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).slice(0, 6), 16);
  } catch {
    return 0;
  }
}

/** The queue of the commit's failpoints. The episodes use the other one. FAULT_BACKEND selects one for both. */
export function backendOf(tests: 'failpoints' | 'episodes'): Backend {
  const chosen = backends.find((backend) => backend === process.env['FAULT_BACKEND']);
  return chosen ?? (backends[(commitNumber + (tests === 'failpoints' ? 0 : 1)) % backends.length] as Backend);
}
