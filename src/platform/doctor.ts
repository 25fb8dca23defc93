import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { type Migration, sql } from 'kysely';
import { type Config, readConfig } from './config.js';
import { isUnavailable } from './database/database-errors.js';
import { pendingMigrations } from './database/migrate.js';
import { assertHarmlessRole, createDatabase, type Database } from './database/pool.js';
import { openDatabaseServer } from './database/server.js';
import { PdfPrinter } from './documents/browser.js';
import { html, htmlPage } from './documents/html.js';
import { JobQueue, type QueueBackend } from './jobs/job-queue.js';
import { readRedisSettings, redisProblems } from './jobs/redis-settings.js';
import { createLog } from './log.js';
import { recentMails } from './mail/recent-mails.js';
import { mailTransport } from './mail/transport.js';
import { masterKey } from './secrets/master-key.js';
import { Secrets } from './secrets/secrets.js';

/** One thing that was looked at: what was seen, or how to mend it. A warning stops nobody. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly told: string;
}

/** Thrown by a check for what should be mended but keeps nothing from working. */
class Warning extends Error {}

/** A check of a part that the platform does not know, such as the connections to CRMs. */
export type ExtraChecks = (
  app: Database,
  config: Config,
) => readonly { readonly check: string; readonly look: () => Promise<string> }[];

/** Looks at everything the service needs to run, and changes nothing but starting the embedded database if it must. */
export async function diagnose(
  environment: NodeJS.ProcessEnv,
  migrations: Readonly<Record<string, Migration>>,
  more: ExtraChecks = () => [],
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
  return [...findings, ...(await diagnoseMachine(config)), ...(await diagnoseDatabase(config, migrations, more))];
}

async function diagnoseMachine(config: Config): Promise<Finding[]> {
  return [
    await finding('Time zones', timeZones),
    await finding('Port', () => portFree(config.HOST, config.PORT)),
    await finding('Disk', () => diskSpace(existsSync(config.DATA_DIR) ? config.DATA_DIR : '.')),
    await finding('PDF', () => printsPage(config)),
    await finding('Fonts', fontsForAll),
    await finding('Mail', () => reachesMailServer(config)),
    ...(config.REDIS_URL === undefined ? [] : [await finding('Redis', () => redisKeeps(config.REDIS_URL as string))]),
  ];
}

async function diagnoseDatabase(
  config: Config,
  migrations: Readonly<Record<string, Migration>>,
  more: ExtraChecks,
): Promise<Finding[]> {
  const log = createLog('silent');
  let server: Awaited<ReturnType<typeof openDatabaseServer>>;
  try {
    server = await openDatabaseServer(config, log);
  } catch (error) {
    return [{ check: 'Database', state: 'failed', told: messageOf(error) }];
  }
  const database = createDatabase({ url: server.ownerUrl, size: 2, onError: () => {}, asOwner: true });
  const app = createDatabase({ url: server.appUrl, size: 2, onError: () => {} });
  const backend: QueueBackend =
    config.REDIS_URL === undefined
      ? { postgresUrl: config.QUEUE_DATABASE_URL ?? server.appUrl }
      : { redisUrl: config.REDIS_URL };
  const queue = new JobQueue(backend, log);
  try {
    const findings = [await finding('Database', () => databaseVersion(database, server.embedded))];
    if (findings[0]?.state !== 'ok') return findings;
    // The role, the queue and what is sealed exist only after the first migration.
    if ((await pendingMigrations(database, migrations, 'owner')).length === Object.keys(migrations).length)
      return [...findings, emptyDatabase, await finding('Clock', () => clockSkew(database))];
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
      await finding('Master key', () => opensWhatWasSealed(server.ownerUrl, config)),
    );
    for (const { check, look } of more(app, config)) findings.push(await finding(check, look));
    return findings;
  } finally {
    await queue.close().catch(() => {});
    await app.destroy();
    await database.destroy();
    await server.stop();
  }
}

const emptyDatabase: Finding = {
  check: 'Migrations',
  state: 'warning',
  told: 'the database is empty; the first start of the service, or "npx commissions migrate", sets it up',
};

async function finding(check: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { check, state: 'ok', told: await look() };
  } catch (error) {
    return { check, state: error instanceof Warning ? 'warning' : 'failed', told: messageOf(error) };
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
  const pending = await pendingMigrations(database, migrations, 'owner');
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

async function portFree(host: string, port: number): Promise<string> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    return port === 0 ? 'a free one is taken' : `${port} is free`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
      throw new Warning(`${port} is in use: by this service, or set PORT to another one`);
    throw error;
  } finally {
    server.close();
  }
}

async function printsPage(config: Config): Promise<string> {
  const printer = new PdfPrinter(config.CHROMIUM_PATH, createLog('silent'));
  try {
    const bytes = await printer.print(htmlPage({ title: 'One page', style: html``, body: html`<p>One page</p>` }));
    if (!bytes.subarray(0, 5).equals(Buffer.from('%PDF-'))) throw new Error('the browser printed something else');
    return `a browser starts and prints a page of ${bytes.length} bytes`;
  } finally {
    await printer.close();
  }
}

/** What names of people and deals are written in. */
const scripts = { Chinese: 'zh', Japanese: 'ja', Korean: 'ko', Arabic: 'ar', Hebrew: 'he', Thai: 'th' };

async function fontsForAll(): Promise<string> {
  const missing: string[] = [];
  for (const [name, language] of Object.entries(scripts)) {
    const listed = await promisify(execFile)('fc-list', [`:lang=${language}`], { timeout: 10_000 }).catch(() => null);
    if (listed === null) throw new Warning('fc-list is not installed, so the fonts that PDFs can use are not known');
    if (listed.stdout.trim() === '') missing.push(name);
  }
  if (missing.length === 0) return `for ${Object.keys(scripts).join(', ')} too`;
  throw new Warning(
    `none for ${missing.join(', ')}: PDFs show boxes there; install fonts-noto-core and fonts-noto-cjk`,
  );
}

async function reachesMailServer(config: Config): Promise<string> {
  const transport = mailTransport(config);
  if (transport === null) {
    if (config.NODE_ENV === 'production') throw new Warning('no SMTP_URL: nobody can sign in with a code by mail');
    return 'no server; mails are shown by "npx commissions mail"';
  }
  try {
    await transport.verify();
    return 'the server can be reached and takes the login';
  } catch (error) {
    throw new Error(`the server of SMTP_URL does not answer as it should: ${messageOf(error)}`);
  } finally {
    transport.close();
  }
}

async function redisKeeps(url: string): Promise<string> {
  const settings = await readRedisSettings(url);
  const complaints = redisProblems(settings);
  if (complaints.length === 0) return 'keeps an append-only file and throws nothing out';
  throw new Warning(complaints.join(' '));
}

/** Mails that wait are the canary: what one key has sealed, no other opens. */
async function opensWhatWasSealed(ownerUrl: string, config: Config): Promise<string> {
  const secrets = new Secrets(masterKey(config));
  try {
    const mails = await recentMails(ownerUrl, secrets, 20);
    return mails.some(({ text }) => text !== undefined) ? 'opens what was sealed last' : 'is there; nothing is sealed';
  } catch (error) {
    if (isUnavailable(error)) throw error;
    throw new Error('does not open what was sealed before: give the service the MASTER_KEY that it had');
  }
}
