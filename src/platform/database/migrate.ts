import { type KyselyPlugin, type Migration, Migrator, sql } from 'kysely';
import pg from 'pg';
import { failpoint } from '../failpoint.js';
import { queueName } from '../jobs/queue-name.js';
import { readSqlState, retryOnOutage } from './database-errors.js';
import { appRole, type Database, withDatabase } from './pool.js';
import { connectionTo } from './primary-host.js';

export type Migrations = Readonly<Record<string, Migration>>;

/**
 * Migrates the tables and the queue's schema to the latest version, and returns the names of the migrations that ran.
 * Several processes may run it at the same time. A database of a later release is left unchanged, since that release
 * may be rolled back.
 */
export async function migrateToLatest(ownerUrl: string, migrations: Migrations): Promise<string[]> {
  const done = await retryOnOutage(() => migrateTables(ownerUrl, migrations)).catch((cause: unknown) => {
    if (cause instanceof UnreleasedSchema) throw cause;
    if (readSqlState(cause) === '42501') throw new Error(mayNotMigrate, { cause });
    throw new Error('The migration of the database failed; the failed step was rolled back.', { cause });
  });
  await retryOnOutage(() => migrateQueue(ownerUrl));
  return done;
}

const mayNotMigrate =
  'The role of the connection may not migrate the database. ' +
  'Set DATABASE_OWNER_URL to the role that owns the tables, or MIGRATE_AT_START=0 in processes that do not migrate.';

async function migrateTables(ownerUrl: string, migrations: Migrations): Promise<string[]> {
  return withDatabase({ url: ownerUrl, asOwner: true }, async (database) => {
    await sql.raw(endIdleSessions).execute(database);
    if ((await listPendingMigrations(database, migrations, 'owner')).length === 0) {
      await adopt(database);
      return [];
    }
    const migrator = new Migrator({
      db: database.withPlugin(failpointAfterStatements),
      provider: { getMigrations: async () => ({ ...migrations }) },
    });
    const { error, results } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
    await adopt(database);
    return (results ?? []).filter((result) => result.status === 'Success').map((result) => result.migrationName);
  });
}

/** Rows that were restored on another server get the number of a transaction of this one; see feed.ts. */
async function adopt(database: Database): Promise<void> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regprocedure('adopt_database()') is not null as exists`.execute(database);
  if (rows[0]?.exists === true) await sql`select adopt_database()`.execute(database);
}

/** The migrations that created the database were replaced before the first release, so no later one applies to it. */
class UnreleasedSchema extends Error {
  override readonly name = 'UnreleasedSchema';

  constructor() {
    super(
      'An unreleased version of the service created this database, and it cannot be migrated. ' +
        'Delete the data folder (DATA_DIR) of an embedded database, or set DATABASE_URL to an empty database.',
    );
  }
}

/**
 * Every starting process waits for the locks of the one that migrates. If its machine disappears, the server ends
 * the session after five seconds; TCP would notice only after hours.
 */
const endIdleSessions = `select set_config('idle_session_timeout', '5s', false),
  set_config('idle_in_transaction_session_timeout', '5s', false)`;

const failpointAfterStatements: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => {
    await failpoint('migrate.statement');
    return result;
  },
};

/**
 * Names of the migrations that the database lacks, read with the rights of the owner or of the service. Throws
 * {@link UnreleasedSchema} if the database has migrations, but not the first one.
 */
export async function listPendingMigrations(
  database: Database,
  migrations: Migrations,
  role: 'owner' | 'service',
): Promise<string[]> {
  const from = role === 'owner' ? sql`kysely_migration` : sql`applied_migrations()`;
  const { rows } = await sql<{ name: string }>`select name from ${from}`.execute(database).catch((error: unknown) => {
    if (notMigratedStates.includes(readSqlState(error) ?? '')) return { rows: [] };
    throw error;
  });
  const applied = new Set(rows.map(({ name }) => name));
  const names = Object.keys(migrations);
  if (applied.size > 0 && !applied.has(names[0] as string)) throw new UnreleasedSchema();
  return names.filter((name) => !applied.has(name));
}

/** SQLSTATEs of a missing table, function or role: migrations create all three. */
const notMigratedStates = ['42P01', '42883', '22023'];

/** Throws if the database lacks a migration, for processes that must not migrate. */
export async function assertMigrated(database: Database, migrations: Migrations): Promise<void> {
  if ((await listPendingMigrations(database, migrations, 'service')).length > 0)
    throw new Error('The database lacks migrations. Run "npx commissions migrate" first.');
}

/** BullMQ has its own schema; the service may use its tables but not change them. */
async function migrateQueue(ownerUrl: string): Promise<void> {
  const { runMigrations } = await import('bullmq');
  const client = new pg.Client(connectionTo(ownerUrl));
  // A running query rejects on its own. Without a listener, a connection lost between two queries would end the
  // process.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(endIdleSessions);
    // Serialized: two concurrent grants on one object fail with "tuple concurrently updated".
    await client.query("select pg_advisory_lock(hashtextextended('commissions: migrate the queue', 0))");
    await failpoint('migrate.queue');
    await runMigrations(client);
    // BullMQ creates the id sequence of a queue at its first use, which the service's role must not do.
    await client.query('select bullmq.next_job_id($1)', [queueName]);
    await client.query(`
      grant usage on schema bullmq to ${appRole};
      grant select, insert, update, delete on all tables in schema bullmq to ${appRole};
      grant usage, select, update on all sequences in schema bullmq to ${appRole};
      grant execute on all functions in schema bullmq to ${appRole}`);
  } finally {
    await client.end();
  }
}
