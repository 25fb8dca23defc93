import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { type Migration, sql } from 'kysely';
import { type Config } from '../platform/config.js';
import { readSqlState } from '../platform/database/database-errors.js';
import { listPendingMigrations } from '../platform/database/migrate.js';
import { assertHarmlessRole, createDatabase, type Database, withDatabase } from '../platform/database/pool.js';
import { openDatabaseServer } from '../platform/database/server.js';
import { mainShard } from '../platform/database/shard-settings.js';
import { UnitOfWork } from '../platform/database/unit-of-work.js';
import { PdfPrinter } from '../platform/documents/browser.js';
import { html, htmlPage } from '../platform/documents/html.js';
import { findMissingSandbox } from '../platform/documents/sandbox.js';
import { RedisRateCounter } from '../platform/http/redis-rate-counter.js';
import { chooseQueueBackend, JobQueue } from '../platform/jobs/job-queue.js';
import { createLog } from '../platform/log.js';
import { type RedisServers, redisServers } from '../platform/redis/redis-connection.js';
import { readRedisSettings, redisProblems } from '../platform/redis/redis-settings.js';
import { openSecrets } from '../platform/secrets/master-key.js';
import { readConfig } from './config.js';
import { diagnoseSignIn } from './doctor-sign-in.js';
import { type Finding, finding, toMessage, Warning } from './finding.js';
import { openSamples } from './master-key-rotation.js';
import { settingsOfShard, shardNames } from './shards/shard-config.js';

/** Checks everything the service needs. Changes nothing, except that it starts the embedded database if necessary. */
export async function diagnose(
  environment: NodeJS.ProcessEnv,
  migrations: Readonly<Record<string, Migration>>,
): Promise<Finding[]> {
  const findings = [await finding('Node.js', nodeVersion)];
  let config: Config | null = null;
  findings.push(
    await finding('Configuration', async () => {
      config = readConfig(environment);
      return 'every setting is valid';
    }),
  );
  if (config === null) return findings;
  findings.push(...(await diagnoseMachine(config)));
  for (const shard of shardNames(config)) findings.push(...(await diagnoseShard(config, shard, migrations)));
  return findings;
}

/** The findings of one database, with its name where there are several. */
async function diagnoseShard(
  config: Config,
  shard: string,
  migrations: Readonly<Record<string, Migration>>,
): Promise<Finding[]> {
  const findings = await diagnoseDatabase(settingsOfShard(config, shard) as Config, migrations, shard === mainShard);
  return shard === mainShard ? findings : findings.map((each) => ({ ...each, check: `${each.check} of ${shard}` }));
}

async function diagnoseMachine(config: Config): Promise<Finding[]> {
  const redis = redisServers(config);
  return [
    await finding('Time zones', timeZones),
    await finding('Port', () => portFree(config.HOST, config.PORT)),
    await finding('Disk', () => diskSpace(existsSync(config.DATA_DIR) ? config.DATA_DIR : '.')),
    await finding('PDF', () => printsPage(config)),
    await finding('Fonts', fontsForAllScripts),
    ...(redis === null ? [] : await diagnoseRedis(redis)),
  ];
}

/** Mail and identity providers are those of the first database. */
async function diagnoseDatabase(
  config: Config,
  migrations: Readonly<Record<string, Migration>>,
  isFirst: boolean,
): Promise<Finding[]> {
  const log = createLog('silent');
  let server: Awaited<ReturnType<typeof openDatabaseServer>>;
  try {
    server = await openDatabaseServer(config, log);
  } catch (error) {
    return [{ check: 'Database', state: 'failed', message: toMessage(error) }];
  }
  const database = createDatabase({ url: server.ownerUrl, size: 2, onError: () => {}, asOwner: true });
  const app = createDatabase({ url: server.appUrl, size: 2, onError: () => {} });
  const queue = new JobQueue(chooseQueueBackend(config, server.appUrl), log);
  try {
    const findings = [await finding('Database', () => databaseVersion(database, server.embedded))];
    if (findings[0]?.state !== 'ok') return findings;
    const migrated = await finding('Migrations', () => noPending(database, app, migrations));
    findings.push(migrated, await finding('Clock', () => clockSkew(database)));
    const isMigrated = migrated.state === 'ok';
    if (isFirst) findings.push(...(await diagnoseSignIn(config, isMigrated ? new UnitOfWork(app) : null)));
    // The role, the queue and encrypted data exist only after the first migration.
    if (migrated.state === 'warning') return findings;
    findings.push(
      await finding('Database role', async () => {
        await assertHarmlessRole(app);
        return 'owns nothing and cannot bypass row-level security';
      }),
      await finding('Job queue', async () => {
        await queue.check();
        return config.REDIS_URL === undefined ? 'on PostgreSQL' : 'on Redis';
      }),
      await finding('Master key', () => decryptsStoredSecrets(server.ownerUrl, config)),
      await finding('Calculations', () => noParkedLanes(app)),
    );
    return findings;
  } finally {
    await queue.close().catch(() => {});
    await app.destroy();
    await database.destroy();
    await server.stop();
  }
}

async function nodeVersion(): Promise<string> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return process.versions.node;
  throw new Error(`${process.versions.node} is too old; install Node.js 20.19 or newer`);
}

async function timeZones(): Promise<string> {
  const zones = Intl.supportedValuesOf('timeZone').length;
  if (zones > 300) return `${zones} time zones`;
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

async function noParkedLanes(app: Database): Promise<string> {
  const { rows } = await sql<{ requests: string; parked: string }>`
    select requests, parked from calculation_backlog()`.execute(app);
  const { requests = '0', parked = '0' } = rows[0] ?? {};
  if (parked === '0') return `${requests} requests are waiting`;
  throw new Warning(
    `the commission of ${parked} reps is not calculated any more because it failed eight times; ` +
      'GET /v1/commissions/failed-calculations and the page Audit show the errors',
  );
}

/** Reads with the rights of the service if DATABASE_OWNER_URL is not set. */
async function noPending(
  owner: Database,
  app: Database,
  migrations: Readonly<Record<string, Migration>>,
): Promise<string> {
  const pending = await listPendingMigrations(owner, migrations, 'owner').catch((error: unknown) => {
    if (readSqlState(error) === permissionDenied) return listPendingMigrations(app, migrations, 'service');
    throw error;
  });
  if (pending.length === Object.keys(migrations).length)
    throw new Warning(
      'the database is empty; the first start of the service, or "npx commissions migrate", sets it up',
    );
  if (pending.length === 0) return 'up to date';
  throw new Error(`${pending.length} pending; run "npx commissions migrate"`);
}

async function clockSkew(database: Database): Promise<string> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(database);
  const skewMs = Math.abs(Date.now() - (rows[0]?.now.getTime() ?? 0));
  if (skewMs < 5000) return `differs by ${skewMs} ms from the database`;
  throw new Error(`${Math.round(skewMs / 1000)} seconds off the database's clock; set up NTP on both machines`);
}

async function diskSpace(folder: string): Promise<string> {
  const { bavail, bsize } = await statfs(folder);
  const freeMib = Math.floor((bavail * bsize) / 1024 ** 2);
  if (freeMib > 500) return `${freeMib} MiB free`;
  throw new Error(`only ${freeMib} MiB free in ${folder}; PostgreSQL stops when the disk is full`);
}

async function portFree(host: string, port: number): Promise<string> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    return port === 0 ? 'a free port is chosen' : `${port} is free`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
      throw new Warning(`${port} is in use; set PORT to another port unless this service uses it`);
    throw error;
  } finally {
    server.close();
  }
}

async function printsPage(config: Config): Promise<string> {
  const printer = new PdfPrinter(config.CHROMIUM_PATH, createLog('silent'));
  try {
    const bytes = await printer.print(htmlPage({ title: 'One page', style: html``, body: html`<p>One page</p>` }));
    if (!bytes.subarray(0, 5).equals(Buffer.from('%PDF-')))
      throw new Error('the browser printed something that is not a PDF');
    const reason = await findMissingSandbox();
    const sandbox = reason === null ? 'in its sandbox' : `without its sandbox, because ${reason}`;
    return `a browser prints a page of ${bytes.length} bytes, ${sandbox}`;
  } finally {
    await printer.close();
  }
}

/** Scripts in which names of people and deals are written. */
const scripts = { Chinese: 'zh', Japanese: 'ja', Korean: 'ko', Arabic: 'ar', Hebrew: 'he', Thai: 'th' };

async function fontsForAllScripts(): Promise<string> {
  const missing: string[] = [];
  for (const [name, language] of Object.entries(scripts)) {
    const listed = await promisify(execFile)('fc-list', [`:lang=${language}`], { timeout: 10_000 }).catch(() => null);
    if (listed === null) throw new Warning('fc-list is not installed, so the fonts of PDFs cannot be checked');
    if (listed.stdout.trim() === '') missing.push(name);
  }
  if (missing.length === 0) return `cover ${Object.keys(scripts).join(', ')}`;
  throw new Warning(
    `no fonts for ${missing.join(', ')}: PDFs show boxes instead; install fonts-noto-core and fonts-noto-cjk`,
  );
}

async function diagnoseRedis(servers: RedisServers): Promise<Finding[]> {
  return [
    await finding('Redis', () => redisIsDurable(servers)),
    await finding('Rate limit', () => redisCountsRequests(servers)),
  ];
}

/** A process that cannot count requests admits all of them, so nothing else would show it. */
async function redisCountsRequests(servers: RedisServers): Promise<string> {
  const counter = await RedisRateCounter.open(servers, createLog('silent'));
  try {
    await counter.count('doctor', 'doctor', 1);
    return 'is enforced by Redis';
  } catch (error) {
    throw new Warning(`is not enforced, because counting a request failed: ${toMessage(error)}`);
  } finally {
    await counter.close();
  }
}

async function redisIsDurable(servers: RedisServers): Promise<string> {
  const settings = await readRedisSettings(servers);
  const problems = redisProblems(settings);
  if (problems.length === 0) return 'has an append-only file and evicts no keys';
  throw new Warning(problems.join(' '));
}

const permissionDenied = '42501';

/** Tries to decrypt stored secrets of every kind: only the key that encrypted them can. */
async function decryptsStoredSecrets(ownerUrl: string, config: Config): Promise<string> {
  const secrets = openSecrets(config);
  try {
    const { opened, unreadable } = await withDatabase({ url: ownerUrl, asOwner: true }, (owner) =>
      openSamples(owner, secrets),
    );
    if (unreadable.length > 0)
      throw new Error(
        `cannot decrypt what is stored in ${unreadable.join(', ')}: set MASTER_KEY to the previous key, or name that key in MASTER_KEY_PREVIOUS`,
      );
    return opened.length === 0 ? 'is set; nothing is encrypted yet' : `decrypts what is stored in ${opened.join(', ')}`;
  } catch (error) {
    if (readSqlState(error) === permissionDenied) throw new Warning('set DATABASE_OWNER_URL to check it');
    throw error;
  }
}
