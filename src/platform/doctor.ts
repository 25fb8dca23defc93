import { statfs } from 'node:fs/promises';
import { type Migration, sql } from 'kysely';
import { type Config, readConfig } from './config.js';
import { pendingMigrations } from './database/migrate.js';
import { assertHarmlessRole, createDatabase, type Database } from './database/pool.js';
import { openDatabaseServer } from './database/server.js';
import { JobQueue } from './jobs/job-queue.js';
import { createLog } from './log.js';

/** One thing that was looked at: what was seen, or how to mend it. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly told: string;
}

/** Looks at everything the service needs to run, and changes nothing but starting the embedded database if it must. */
export async function diagnose(
  environment: NodeJS.ProcessEnv,
  migrations: Readonly<Record<string, Migration>>,
): Promise<Finding[]> {
  const findings = [await finding('Node.js', nodeVersion)];
  let config: Config | null = null;
  findings.push(
    await finding('Configuration', async () => {
      config = readConfig(environment);
      return 'every setting can be read';
    }),
  );
  if (config === null) return findings;
  findings.push(await finding('Time zones', timeZones));
  return [...findings, ...(await diagnoseDatabase(config, migrations))];
}

async function diagnoseDatabase(config: Config, migrations: Readonly<Record<string, Migration>>): Promise<Finding[]> {
  const log = createLog('silent');
  let server: Awaited<ReturnType<typeof openDatabaseServer>>;
  try {
    server = await openDatabaseServer(config, log);
  } catch (error) {
    return [{ check: 'Database', ok: false, told: messageOf(error) }];
  }
  const database = createDatabase({ url: server.ownerUrl, size: 2, onError: () => {}, asOwner: true });
  const app = createDatabase({ url: server.appUrl, size: 2, onError: () => {} });
  const queue = new JobQueue(
    config.REDIS_URL === undefined ? { postgresUrl: server.appUrl } : { redisUrl: config.REDIS_URL },
    log,
  );
  try {
    const findings = [await finding('Database', () => databaseVersion(database, server.embedded))];
    if (findings[0]?.ok !== true) return findings;
    findings.push(
      await finding('Migrations', () => noPending(database, migrations)),
      await finding('Clock', () => clockSkew(database)),
      await finding('Database role', async () => {
        await assertHarmlessRole(app);
        return 'cannot read past row-level security';
      }),
      await finding('Job queue', async () => {
        await queue.check();
        return config.REDIS_URL === undefined ? 'on PostgreSQL' : 'on Redis';
      }),
    );
    if (server.embedded) findings.push(await finding('Disk', () => diskSpace(config.DATA_DIR)));
    return findings;
  } finally {
    await queue.close().catch(() => {});
    await app.destroy();
    await database.destroy();
    await server.stop();
  }
}

async function finding(check: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, told: await look() };
  } catch (error) {
    return { check, ok: false, told: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error
    ? error.message || String((error as { code?: string }).code ?? error.name)
    : String(error);
}

async function nodeVersion(): Promise<string> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return process.versions.node;
  throw new Error(`${process.versions.node} is too old; install Node.js 20.19 or newer`);
}

async function timeZones(): Promise<string> {
  const zones = Intl.supportedValuesOf('timeZone').length;
  if (zones > 300) return `${zones} known`;
  throw new Error('this Node.js was built without time zone data; install a full build');
}

async function databaseVersion(database: Database, embedded: boolean): Promise<string> {
  const { rows } = await sql<{ version: string; major: number }>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major`.execute(
    database,
  );
  const { version, major } = rows[0] as { version: string; major: number };
  if (major < 15) throw new Error(`PostgreSQL ${version} is too old; 15 or newer is needed`);
  return `PostgreSQL ${version}${embedded ? ', embedded' : ''}`;
}

async function noPending(database: Database, migrations: Readonly<Record<string, Migration>>): Promise<string> {
  const pending = await pendingMigrations(database, migrations);
  if (pending.length === 0) return 'up to date';
  throw new Error(`${pending.length} pending; run "npx commissions migrate"`);
}

async function clockSkew(database: Database): Promise<string> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(database);
  const skewMs = Math.abs(Date.now() - (rows[0]?.now.getTime() ?? 0));
  if (skewMs < 5000) return `within ${skewMs} ms of the database's`;
  throw new Error(`${Math.round(skewMs / 1000)} seconds off the database's; set up NTP on both machines`);
}

async function diskSpace(folder: string): Promise<string> {
  const { bavail, bsize } = await statfs(folder);
  const freeMib = Math.floor((bavail * bsize) / 1024 ** 2);
  if (freeMib > 500) return `${freeMib} MiB free`;
  throw new Error(`only ${freeMib} MiB free in ${folder}; PostgreSQL stops when it is full`);
}
