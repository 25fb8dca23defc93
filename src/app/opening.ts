import { migrations } from '#migrations/index.js';
import { assertMigrated, migrateToLatest } from '../platform/database/migrate.js';
import { assertHarmlessRole, withDatabase } from '../platform/database/pool.js';
import { type Log } from '../platform/log.js';
import { type Service } from './composition.js';

/** Workers without an API, and processes with MIGRATE_AT_START=0, do not migrate. */
export async function migrate(ownerUrl: string, log: Log): Promise<void> {
  const done = await migrateToLatest(ownerUrl, migrations);
  if (done.length > 0) log.info({ migrations: done }, 'database migrated');
}

/** Checks the database and the role of every connection that the service keeps, and begins to use the replica. */
export async function assertUsable({ config, database, replica }: Service): Promise<void> {
  await assertHarmlessRole(database);
  if (config.QUEUE_DATABASE_URL !== undefined && config.REDIS_URL === undefined)
    await withDatabase({ url: config.QUEUE_DATABASE_URL }, assertHarmlessRole);
  await assertMigrated(database, migrations);
  await replica?.start();
}
