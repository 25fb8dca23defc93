// Whichever file a process reads first: handlers are declared with decorators.
import 'reflect-metadata';
import { removeAbandonedServers, stopTestServer } from './test-database.js';

/** Files that run beside each other share nothing but the machine: each of Mocha's workers has a server of its own. */
const isWorker = process.env['MOCHA_WORKER_ID'] !== undefined;

export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(30_000);
    // A worker is called after each file and never told which is its last: its server waits for the next one.
    if (!isWorker || process.env['TEST_DATABASE_URL']) await stopTestServer();
  },
};

/** The workers have ended by now. */
export async function mochaGlobalTeardown(): Promise<void> {
  await removeAbandonedServers();
}
