import { migrations } from '#migrations/index.js';
import { type Config } from '../../platform/config.js';
import { migrateToLatest } from '../../platform/database/migrate.js';
import { assertHarmlessRole, type Database, withDatabase } from '../../platform/database/pool.js';
import { type DatabaseServer, openDatabaseServer } from '../../platform/database/server.js';
import { mainShard } from '../../platform/database/shard-settings.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { createLog } from '../../platform/log.js';
import { readConfig } from '../config.js';
import { findDataFolderWarning } from '../data-folder-warning.js';
import { settingsOfShard, shardNames } from '../shards/shard-config.js';
import { chosenShard } from './chosen-shard.js';
import { UsageError } from './usage-error.js';

/**
 * Uses the configured server, or the embedded one: joins it if it is running, otherwise starts it for the duration
 * of the command.
 */
export async function withServer<T>(work: (server: DatabaseServer, config: Config) => Promise<T>): Promise<T> {
  const config = configOfShard(readConfig(process.env));
  const warning = await findDataFolderWarning(config);
  if (warning !== null) process.stderr.write(`${warning}\n`);
  const server = await openDatabaseServer(config, createLog('warn'));
  try {
    return await work(server, config);
  } finally {
    await server.stop();
  }
}

/** The same for each database in turn, or for that of the option `--shard`. */
export async function withEachServer(
  work: (server: DatabaseServer, config: Config, name: string) => Promise<void>,
): Promise<void> {
  const { name: chosen } = chosenShard;
  try {
    for (const name of chosen === null ? shardNames(readConfig(process.env)) : [chosen]) {
      chosenShard.name = name;
      await withServer((server, config) => work(server, config, name));
    }
  } finally {
    chosenShard.name = chosen;
  }
}

/** A row with the name of its database, where the command works on several. */
export type OfDatabase<Row> = Row & { readonly database?: string };

/** The rows of each database, or of that of the option `--shard`. */
export async function collectFromEach<Row extends object>(
  read: (server: DatabaseServer) => Promise<readonly Row[]>,
): Promise<OfDatabase<Row>[]> {
  const areSeveral = chosenShard.name === null && shardNames(readConfig(process.env)).length > 1;
  const all: OfDatabase<Row>[] = [];
  await withEachServer(async (server, _config, name) => {
    const rows = await read(server);
    all.push(...rows.map((row) => (areSeveral ? { database: name, ...row } : row)));
  });
  return all;
}

/** The beginning of the line of such a row. */
export function databaseColumn({ database }: OfDatabase<object>): string {
  return database === undefined ? '' : `${database}  `;
}

/** The settings for the database of the option `--shard`. */
function configOfShard(config: Config): Config {
  const found = settingsOfShard(config, chosenShard.name ?? mainShard);
  if (found !== null) return found;
  throw new UsageError(`DATABASE_SHARDS has no database ${chosenShard.name}; it has ${shardNames(config).join(', ')}`);
}

/** Works as the role of the service, on a migrated database. */
export async function withUnitOfWork<T>(work: (unitOfWork: UnitOfWork) => Promise<T>): Promise<T> {
  return withServer(async (server, config) => {
    if (config.MIGRATE_AT_START) await migrateToLatest(server.ownerUrl, migrations);
    return withDatabase({ url: server.appUrl, size: 2 }, async (database) => {
      await assertHarmlessRole(database);
      return work(new UnitOfWork(database));
    });
  });
}

/** Rejects the id of a workspace that does not exist. */
export async function assertWorkspace(unitOfWork: UnitOfWork, workspaceId: string): Promise<void> {
  const found = await unitOfWork.read({ workspaceId }, (tx) =>
    tx.db.selectFrom('workspaces').select('workspace_id').where('workspace_id', '=', workspaceId).executeTakeFirst(),
  );
  if (found === undefined) throw noWorkspace(workspaceId);
}

export function noWorkspace(workspaceId: string): UsageError {
  return new UsageError(`there is no workspace ${workspaceId}`);
}

/** Works as the owner of the tables, who accesses all workspaces. */
export function withOwner<T>({ ownerUrl }: DatabaseServer, work: (database: Database) => Promise<T>): Promise<T> {
  return withDatabase({ url: ownerUrl, asOwner: true }, work);
}
