import { type KyselyPlugin, type Migration, Migrator, sql } from 'kysely';
import pg from 'pg';
import { failpoint } from '../failpoint.js';
import { queueName } from '../jobs/queue-name.js';
import { sqlStateOf } from './database-errors.js';
import { appRole, createDatabase, type Database } from './pool.js';
import { retryOnOutage } from './retry-on-outage.js';

/** Brings the tables and the queue's schema up to date; safe when several processes start at once. */
export async function migrateToLatest(
  ownerUrl: string,
  migrations: Readonly<Record<string, Migration>>,
): Promise<string[]> {
  const done = await retryOnOutage(() => migrateTables(ownerUrl, migrations)).catch((cause: unknown) => {
    throw new Error('The database could not be migrated; nothing of the failed step was kept.', { cause });
  });
  await retryOnOutage(() => migrateQueue(ownerUrl));
  return done;
}

async function migrateTables(ownerUrl: string, migrations: Readonly<Record<string, Migration>>): Promise<string[]> {
  const database = createDatabase({ url: ownerUrl, size: 1, onError: () => {}, asOwner: true });
  try {
    await sql.raw(lettingGo).execute(database);
    const migrator = new Migrator({
      db: database.withPlugin(failingBetweenStatements),
      provider: { getMigrations: async () => ({ ...migrations }) },
    });
    const { error, results } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
    return (results ?? []).filter((result) => result.status === 'Success').map((result) => result.migrationName);
  } finally {
    await database.destroy();
  }
}

/**
 * Every start waits for the locks of one that migrates, so those of a machine that is lost without a word must not stay
 * until the server's TCP notices, which takes hours.
 */
const lettingGo = `select set_config('idle_session_timeout', '5s', false),
  set_config('idle_in_transaction_session_timeout', '5s', false)`;

const failingBetweenStatements: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => {
    await failpoint('migrate.statement');
    return result;
  },
};

/** Names of the migrations that the database has not seen yet, asked as the owner or as the service. */
export async function pendingMigrations(
  database: Database,
  migrations: Readonly<Record<string, Migration>>,
  askedBy: 'owner' | 'service',
): Promise<string[]> {
  const from = askedBy === 'owner' ? sql`kysely_migration` : sql`applied_migrations()`;
  const { rows } = await sql<{ name: string }>`select name from ${from}`.execute(database).catch((error: unknown) => {
    if (neverMigrated.includes(sqlStateOf(error) ?? '')) return { rows: [] };
    throw error;
  });
  const seen = new Set(rows.map(({ name }) => name));
  return Object.keys(migrations).filter((name) => !seen.has(name));
}

/** No such table, function or role: all three are made by migrations. */
const neverMigrated = ['42P01', '42883', '22023'];

/** Refuses to run on a database that lacks a migration, for processes that must not make it up themselves. */
export async function assertMigrated(
  database: Database,
  migrations: Readonly<Record<string, Migration>>,
): Promise<void> {
  if ((await pendingMigrations(database, migrations, 'service')).length > 0)
    throw new Error('The database lacks migrations: run "npx commissions migrate" first.');
}

/** BullMQ keeps its tables in a schema of its own; the service may use them but not change their shape. */
async function migrateQueue(ownerUrl: string): Promise<void> {
  const { runMigrations } = await import('bullmq');
  const client = new pg.Client({ connectionString: ownerUrl });
  // What is under way fails by itself; between two statements nobody else would hear of the end, and the process with it.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(lettingGo);
    // One at a time: two that grant the same at once fail with "tuple concurrently updated".
    await client.query("select pg_advisory_lock(hashtextextended('commissions: migrate the queue', 0))");
    await failpoint('migrate.queue');
    await runMigrations(client);
    // BullMQ makes a queue's id sequence when it is first used, which the service's role must not do.
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
