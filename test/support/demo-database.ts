import { createDemoWorkspace } from '#demo/workspace.js';
import { migrateTestDatabase } from '#test/support/migrate-test-database.js';
import { Service } from '#test/support/service.js';
import { createTestDatabase, type TestDatabase } from '#test/support/test-database.js';

let apiKey = '';

/** A database with the demo, whose creation takes two seconds of CPU time: the files of one process share a template. */
export function createDemoDatabase(): Promise<TestDatabase> {
  return createTestDatabase({ migrate: migrateTestDatabase, fill: createDemo });
}

/** The key of the demo's workspace in the databases of this process. */
export function demoApiKey(): string {
  return apiKey;
}

async function createDemo(database: TestDatabase): Promise<void> {
  const shared = Promise.resolve({ ...database, drop: async () => undefined });
  const service = await Service.start({ database: shared });
  ({ apiKey } = await createDemoWorkspace(service.running.service));
  await service.stop();
}
