import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { access, chmod, chown, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { systemUser, type UnixUser } from '#embedded-postgres/privileges.js';
import { appRole } from '#src/platform/database/pool.js';
import { freePort } from './free-port.js';
import { query } from './ledger-checks.js';
import { serverFolder } from './server-folder.js';
import { until } from './until.js';

export interface DebianPostgres {
  readonly superuserUrl: string;
  /** Sends the signal to the server and all its processes: SIGSTOP makes it hang. */
  signal(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

const programs = '/usr/lib/postgresql/15/bin';
const folderPrefix = 'commissions-pg15-';
const startTimeoutMs = 180_000;
const stopTimeoutMs = 10_000;

/**
 * Returns undefined if Debian's PostgreSQL 15 is not installed; callers then skip their tests. `settings` take precedence
 * over those of every test server.
 */
export async function startDebianPostgres15(settings: readonly string[] = []): Promise<DebianPostgres | undefined> {
  const installed = await access(path.join(programs, 'postgres')).then(
    () => true,
    () => false,
  );
  if (!installed) return undefined;
  await removeAbandonedServers();
  return startIn(async (folder, user) => {
    const password = await initialise(folder, user);
    return (port) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  }, settings);
}

/** Starts a standby that streams from the server. */
export async function startStandby(primary: DebianPostgres): Promise<DebianPostgres> {
  return startCopy(primary, async (data, user) => {
    await run('pg_basebackup', ['-d', primary.superuserUrl, '-D', data, '-R', '-X', 'stream', '-c', 'fast'], user);
  });
}

/** Starts a server on the data folder that `restore` writes from a backup of another. */
export async function startRestored(
  of: DebianPostgres,
  restore: (data: string) => Promise<unknown>,
): Promise<DebianPostgres> {
  const restored = await startCopy(of, restore);
  await until(async () => {
    const [state] = await query(restored.superuserUrl, 'select pg_is_in_recovery() as recovers');
    return state?.['recovers'] === false;
  });
  return restored;
}

function startCopy(
  of: DebianPostgres,
  fill: (data: string, user: UnixUser | undefined) => Promise<unknown>,
): Promise<DebianPostgres> {
  return startIn(async (folder, user) => {
    if (user !== undefined) await chown(folder, user.uid, user.gid);
    await fill(path.join(folder, 'data'), user);
    return (port) => {
      const url = new URL(of.superuserUrl);
      url.port = String(port);
      return url.href;
    };
  });
}

/** Starts a server on what `prepare` writes into its folder. `prepare` returns the URL by port. */
async function startIn(
  prepare: (folder: string, user: UnixUser | undefined) => Promise<(port: number) => string>,
  settings: readonly string[] = [],
): Promise<DebianPostgres> {
  const user = process.getuid?.() === 0 ? await systemUser() : undefined;
  const folder = await mkdtemp(path.join(serverFolder, `${folderPrefix}${process.pid}-`));
  try {
    const toUrl = await prepare(folder, user);
    const port = await freePort();
    const server = await launch(folder, user, port, settings);
    return {
      superuserUrl: toUrl(port),
      signal: (signal) => signalAll(server.pid as number, signal),
      stop: () => stopAndRemove(server, folder),
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * The postmaster first, which then starts no further process. Each process of a server has its own process group. A killed
 * postmaster has no children any more, so they are listed before, too.
 */
function signalAll(pid: number, signal: NodeJS.Signals): void {
  const before = childrenOf(pid);
  process.kill(pid, signal);
  for (const child of new Set([...before, ...childrenOf(pid)])) signalIfRunning(child, signal);
}

function childrenOf(pid: number): number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return list.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function signalIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended with its postmaster.
  }
}

async function initialise(folder: string, user: UnixUser | undefined): Promise<string> {
  const password = randomBytes(18).toString('base64url');
  const passwordFile = path.join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user !== undefined) for (const file of [passwordFile, folder]) await chown(file, user.uid, user.gid);
  await chmod(folder, 0o700);
  await run(
    'initdb',
    [
      `--pgdata=${path.join(folder, 'data')}`,
      `--pwfile=${passwordFile}`,
      '--username=postgres',
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ],
    user,
  );
  return password;
}

async function run(program: string, parameters: readonly string[], user: UnixUser | undefined): Promise<void> {
  const running = spawn(path.join(programs, program), parameters, {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
    ...user,
  });
  let complaint = '';
  running.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString('utf8');
  });
  const code = await new Promise((resolve, reject) => running.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`${program} of PostgreSQL 15 failed: ${complaint}`);
}

async function launch(
  folder: string,
  user: UnixUser | undefined,
  port: number,
  own: readonly string[],
): Promise<ChildProcess> {
  const data = path.join(folder, 'data');
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `port=${port}`,
    'timezone=UTC',
    'jit=off',
  ];
  const careless = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
  const options = [...settings, ...careless, ...own].flatMap((setting) => ['-c', setting]);
  const log = await open(path.join(folder, 'log'), 'a', 0o600);
  const stdio: ['ignore', number, number] = ['ignore', log.fd, log.fd];
  const server = spawn(path.join(programs, 'postgres'), ['-D', data, ...options], {
    cwd: '/',
    detached: true,
    stdio,
    ...user,
  });
  await log.close();
  server.unref();
  const deadline = Date.now() + startTimeoutMs;
  while (!(await isReady(data))) {
    if (server.exitCode !== null || Date.now() > deadline) {
      server.kill('SIGQUIT');
      throw new Error(`PostgreSQL 15 did not start: ${await readFile(path.join(folder, 'log'), 'utf8')}`);
    }
    await sleep(10);
  }
  return server;
}

async function isReady(data: string): Promise<boolean> {
  const lines = (await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return ['ready', 'standby'].includes(lines[7]?.trim() ?? '');
}

async function stopAndRemove(server: ChildProcess, folder: string): Promise<void> {
  const deadline = Date.now() + stopTimeoutMs;
  server.kill('SIGINT');
  while (server.exitCode === null && server.signalCode === null) {
    if (Date.now() > deadline) server.kill('SIGKILL');
    await sleep(10);
  }
  await rm(folder, { recursive: true, force: true });
}

/** Stops servers of test runs that were killed. The command line proves that the pid still is that server. */
async function removeAbandonedServers(): Promise<void> {
  for (const name of await readdir(serverFolder)) {
    const starter = /^commissions-pg15-(\d+)-/.exec(name)?.[1];
    if (starter === undefined || (await commandLine(Number(starter))) !== '') continue;
    const folder = path.join(serverFolder, name);
    const claim = await readFile(path.join(folder, 'data', 'postmaster.pid'), 'utf8').catch(() => '');
    const pid = Number(claim.split('\n')[0]);
    if (pid > 0 && (await commandLine(pid)).includes(folder)) process.kill(pid, 'SIGQUIT');
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

function commandLine(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
}

/** A database whose owner is not a superuser, as the service requires of external servers. */
export async function ownedDatabase(superuserUrl: string): Promise<{ ownerUrl: string; appUrl: string }> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    await client.query(`create role commissions_owner login password 'owner'`);
    await client.query(`create role ${appRole} login password 'app'`);
    await client.query('create database commissions owner commissions_owner');
  } finally {
    await client.end();
  }
  const buildUrl = (username: string, password: string): string => {
    const url = new URL(superuserUrl);
    url.username = username;
    url.password = password;
    url.pathname = '/commissions';
    return url.href;
  };
  return { ownerUrl: buildUrl('commissions_owner', 'owner'), appUrl: buildUrl(appRole, 'app') };
}
