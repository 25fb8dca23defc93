import { migrations } from '#migrations/index.js';
import { migrateToLatest } from '#src/platform/database/migrate.js';

/** One function for all tests, because each function gets another template. */
export async function migrateTestDatabase(ownerUrl: string): Promise<void> {
  await migrateToLatest(ownerUrl, migrations);
}
