// Must be loaded before any test file: classes are declared with decorators.
import './time-limits.js';
import fc from 'fast-check';
import { runCleanups } from './after-file.js';
import { removeAbandonedServers, stopTestServer } from './test-database.js';

// Random inputs are the same in every run, unless a test passes another seed. A failure says why, beside the inputs.
fc.configureGlobal({ seed: 1, includeErrorInReport: true });

/** Test files that run in parallel share no server: each Mocha worker has its own. */
const isWorker = process.env['MOCHA_WORKER_ID'] !== undefined;

export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(120_000);
    await runCleanups();
    // This hook runs after each file. A worker cannot detect its last file, so its server keeps running.
    if (!isWorker || process.env['TEST_DATABASE_URL']) await stopTestServer();
  },
};

/** Removes the servers of the workers, which have ended by now. */
export async function mochaGlobalTeardown(): Promise<void> {
  await removeAbandonedServers();
}
