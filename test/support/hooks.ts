// Must be loaded before any test file: classes are declared with decorators.
import './time-limits.js';
import fc from 'fast-check';
import { runCleanups } from './after-file.js';
import { keepMigratedFolder } from './migrated-folder.js';
import { isMochaWorker, removeAbandonedServers, stopTestServer } from './test-database.js';

// Random inputs are the same in every run, unless a test passes another seed. A failure says why, beside the inputs.
fc.configureGlobal({ seed: 1, includeErrorInReport: true });

export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    // In a worker this hook runs after each file. It cannot detect its last file, so it uses the server until it ends.
    try {
      await runCleanups({ isLastFile: !isMochaWorker });
    } finally {
      if (!isMochaWorker || process.env['TEST_DATABASE_URL']) await stopTestServer();
    }
  },
};

/** Here, because each of the workers would migrate otherwise. */
export async function mochaGlobalSetup(): Promise<void> {
  if (!process.env['TEST_DATABASE_URL']) await keepMigratedFolder();
}

/** Stops the server of the workers, which have ended by now. */
export async function mochaGlobalTeardown(): Promise<void> {
  await removeAbandonedServers({ ending: process.pid });
}
