import { createHash, randomBytes } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Client, Pool } from 'pg';
import { startEmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import { isAlive, startTimeOf } from '#embedded-postgres/processes.js';
import { appRole, ownerSessionOptions } from '#src/platform/database/pool.js';
import { afterFile } from './after-file.js';
import { migrateTestDatabase } from './migrate-test-database.js';
import { makeDataFolder, migratedTemplate, ownerRights } from './migrated-folder.js';
import { serverFolder } from './server-folder.js';

export type Migrate = (ownerUrl: string) => Promise<void>;

/** Writes into a migrated database what all its copies begin with. */
export type Fill = (database: TestDatabase) => Promise<void>;

interface TestServer {
  readonly superuserUrl: string;
  appUrl(databaseName: string): string;
  ownerUrl(databaseName: string): string;
}

export interface TestDatabase {
  /** Connects as the owner of the tables, and reads all workspaces. */
  readonly ownerUrl: string;
  /** Connects as the role of the service. */
  readonly appUrl: string;
  /** The settings of a process that serves this database. */
  readonly environment: Readonly<Record<'DATABASE_URL' | 'DATABASE_OWNER_URL', string>>;
  drop(): Promise<void>;
}

/** A database of a server that the test runs itself, and that ends with the server. */
export function databaseOf({ ownerUrl, appUrl }: Pick<TestDatabase, 'ownerUrl' | 'appUrl'>): TestDatabase {
  return {
    ownerUrl: readingAllWorkspaces(ownerUrl),
    appUrl,
    environment: { DATABASE_URL: appUrl, DATABASE_OWNER_URL: ownerUrl },
    drop: async () => undefined,
  };
}

interface Run extends TestServer {
  readonly id: string;
  readonly admin: Pool;
  readonly templates: Map<Migrate | Fill, Promise<string>>;
  readonly databases: Set<string>;
  readonly stopServer: () => Promise<void>;
}

const owner = 'commissions';

interface Passwords {
  readonly ownerPassword: string;
  readonly appPassword: string;
}
const folderPrefix = 'commissions-test-';

export const isMochaWorker = process.env['MOCHA_WORKER_ID'] !== undefined;
/** The processes of a test run share a server. The run ends with the process that starts the workers. */
const pidOfRun = isMochaWorker ? process.ppid : process.pid;
const folderOfRun = path.join(serverFolder, `${folderPrefix}${pidOfRun}-${startTimeOf(pidOfRun)}`);

let current: Promise<Run> | undefined;

export function testServer(): Promise<TestServer> {
  return currentRun();
}

/** Creates a database. One template per function that migrates or fills it makes that fast. */
export async function createTestDatabase(
  options: { readonly migrate?: Migrate; readonly fill?: Fill } = {},
): Promise<TestDatabase> {
  const { migrate, fill } = options;
  const run = await currentRun();
  const migrated =
    migrate &&
    (await templateFor(run, migrate, undefined, (database) => migrate(database.environment.DATABASE_OWNER_URL)));
  const template = fill === undefined ? migrated : await templateFor(run, fill, migrated, fill);
  return toDatabase(run, await createDatabase(run, template));
}

function toDatabase(run: Run, name: string): TestDatabase {
  const database = databaseOf({ ownerUrl: run.ownerUrl(name), appUrl: run.appUrl(name) });
  return { ...database, drop: () => dropDatabase(run, name) };
}

/** The URL for connections of the owner that read all workspaces, as tests do to inspect them. */
export function readingAllWorkspaces(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  url.search = `?options=${encodeURIComponent(ownerSessionOptions)}`;
  return url.href;
}

export async function stopTestServer(): Promise<void> {
  const stopping = current;
  current = undefined;
  const run = await stopping?.catch(() => undefined);
  if (run === undefined) return;
  try {
    if (process.env.TEST_DATABASE_URL) for (const name of [...run.databases]) await dropDatabase(run, name);
  } finally {
    await run.admin.end();
    await run.stopServer();
  }
}

function currentRun(): Promise<Run> {
  current ??= startRun();
  return current;
}

/**
 * Gives the current file its own server. A snapshot contains the running transactions of all databases of its
 * server, so that what a feed returns would depend on the tests of other processes.
 */
export async function useOwnServer(): Promise<void> {
  const shared = current;
  current = startRun(`${folderOfRun}-${randomBytes(3).toString('hex')}`);
  await current;
  afterFile(async () => {
    await stopTestServer();
    current = shared;
  });
}

async function startRun(folder = folderOfRun): Promise<Run> {
  const external = process.env.TEST_DATABASE_URL;
  if (external) return describeRun(external, await prepareExternalRoles(external), async () => undefined);
  await removeAbandonedServers();
  await makeDataFolder(folder);
  const server = await startEmbeddedPostgres({ dataDir: folder, durable: false });
  const [ownerPassword, appPassword] = [new URL(server.ownerUrl).password, new URL(server.appUrl).password];
  const run = describeRun(server.superuserUrl, { ownerPassword, appPassword }, async () => {
    await server.stop();
    const isShared = isMochaWorker && folder === folderOfRun;
    if (!isShared) await rm(folder, { recursive: true, force: true });
  });
  run.templates.set(migrateTestDatabase, Promise.resolve(migratedTemplate));
  return run;
}

function describeRun(superuserUrl: string, passwords: Passwords, stopServer: () => Promise<void>): Run {
  const admin = new Pool({ connectionString: superuserUrl, max: 4, allowExitOnIdle: true });
  admin.on('error', () => undefined);
  const buildUrl = (username: string, password: string, databaseName: string): string => {
    const url = new URL(superuserUrl);
    url.username = username;
    url.password = password;
    url.pathname = `/${databaseName}`;
    return url.href;
  };
  const ownerUrl = (databaseName: string) => buildUrl(owner, passwords.ownerPassword, databaseName);
  const appUrl = (databaseName: string) => buildUrl(appRole, passwords.appPassword, databaseName);
  const id = randomBytes(4).toString('hex');
  return { superuserUrl, ownerUrl, appUrl, id, admin, templates: new Map(), databases: new Set(), stopServer };
}

/** The password is derived from the URL, so that concurrent test runs on one server use the same one. */
async function prepareExternalRoles(superuserUrl: string): Promise<Passwords> {
  const password = createHash('sha256').update(superuserUrl).digest('hex');
  const client = new Client({ connectionString: superuserUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(7301846)');
    for (const role of [owner, appRole]) {
      const roles = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
      if (roles.rowCount === 0) await client.query(`CREATE ROLE ${role}`);
      await client.query(`ALTER ROLE ${role} LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB PASSWORD '${password}'`);
    }
    await client.query(ownerRights);
  } finally {
    await client.end();
  }
  return { ownerPassword: password, appPassword: password };
}

/** The template of the function: a copy of another template on which `write` was run once. */
function templateFor(run: Run, key: Migrate | Fill, from: string | undefined, write: Fill): Promise<string> {
  const template = run.templates.get(key);
  if (template !== undefined) return template;
  const newTemplate = makeTemplate(run, from, write);
  run.templates.set(key, newTemplate);
  return newTemplate;
}

async function makeTemplate(run: Run, from: string | undefined, write: Fill): Promise<string> {
  const name = await createDatabase(run, from);
  await write(toDatabase(run, name));
  // An open connection would make every later copy fail.
  await run.admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await run.admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  return name;
}

async function createDatabase(run: Run, template: string | undefined): Promise<string> {
  const name = `test_${run.id}_${run.databases.size}_${randomBytes(3).toString('hex')}`;
  run.databases.add(name);
  // Copying files is three times as fast as the default of copying through the log.
  const from = template === undefined ? '' : ` TEMPLATE ${template} STRATEGY file_copy`;
  await run.admin.query(`CREATE DATABASE ${name} OWNER ${owner}${from}`);
  return name;
}

async function dropDatabase(run: Run, name: string): Promise<void> {
  if (!run.databases.delete(name) || run.admin.ended) return;
  await run.admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

/** Stops the servers and removes the folders of runs that have ended or were killed, and of `ending`. */
export async function removeAbandonedServers({ ending }: { readonly ending?: number } = {}): Promise<void> {
  for (const name of await readdir(serverFolder)) {
    const pid = Number(/^commissions-test-(\d+)-/.exec(name)?.[1]);
    if (Number.isNaN(pid) || (isAlive(pid) && pid !== ending)) continue;
    await removeAbandoned(path.join(serverFolder, name)).catch(() => undefined);
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  if ((await stat(folder)).uid !== process.getuid?.()) return;
  const claim = await stat(path.join(folder, 'postgres', 'postmaster.pid')).catch(() => undefined);
  if (claim !== undefined) {
    const server = await startEmbeddedPostgres({ dataDir: folder, durable: false });
    await server.stop();
  }
  await rm(folder, { recursive: true, force: true });
}
