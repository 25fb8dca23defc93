import { migrations } from '#migrations/index.js';
import { type Config, readConfig } from '../../platform/config.js';
import { migrateToLatest } from '../../platform/database/migrate.js';
import { assertHarmlessRole, createDatabase, type Database } from '../../platform/database/pool.js';
import { type DatabaseServer, openDatabaseServer } from '../../platform/database/server.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { createLog } from '../../platform/log.js';
import { dataFolderWarning } from '../data-folder-warning.js';

/**
 * Uses the configured server, or the embedded one: joins it if it is running, otherwise starts it for the duration
 * of the command.
 */
export async function withServer<T>(work: (server: DatabaseServer, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig(process.env);
  const warning = await dataFolderWarning(config);
  if (warning !== null) process.stderr.write(`${warning}\n`);
  const server = await openDatabaseServer(config, createLog('warn'));
  try {
    return await work(server, config);
  } finally {
    await server.stop();
  }
}

/** Works as the role of the service, on a migrated database. */
export async function withUnitOfWork<T>(work: (unitOfWork: UnitOfWork) => Promise<T>): Promise<T> {
  return withServer(async (server, config) => {
    if (config.MIGRATE_AT_START) await migrateToLatest(server.ownerUrl, migrations);
    const database = createDatabase({ url: server.appUrl, size: 2, onError: () => {} });
    try {
      await assertHarmlessRole(database);
      return await work(new UnitOfWork(database));
    } finally {
      await database.destroy();
    }
  });
}

/** Works as the owner of the tables, who accesses all workspaces. */
export async function withOwner<T>(server: DatabaseServer, work: (database: Database) => Promise<T>): Promise<T> {
  const database = createDatabase({ url: server.ownerUrl, size: 1, onError: () => {}, asOwner: true });
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}
