import {
  access,
  chmod,
  constants,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  realpath,
  rm,
  rmdir,
  stat,
  symlink,
} from 'node:fs/promises';
import path from 'node:path';
import { externalHint, ownershipHint } from './errors.js';
import { allowEntry, isRoot, mayEnter, serverUser, type UnixUser } from './privileges.js';
import { isAlive } from './processes.js';

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log?: (line: string) => void;
  /** False turns fsync off: for tests only, a power cut destroys the data. */
  readonly durable?: boolean;
  readonly port?: number;
}

/** A data folder, the PostgreSQL in it, and how to run it. */
export interface Cluster {
  /** Contains the secrets, the log and the list of users. */
  readonly folder: string;
  /** PostgreSQL's own files. */
  readonly dataDir: string;
  /** Set when the process is root, because PostgreSQL does not run as root. */
  readonly runAs: UnixUser | undefined;
  readonly durable: boolean;
  readonly port: number | undefined;
  readonly log: (line: string) => void;
}

const relocatedData = '/var/lib/commission-service';

export async function prepareCluster(options: EmbeddedPostgresOptions): Promise<Cluster> {
  const { durable = true, port, log = () => undefined } = options;
  const folder = await prepareFolder(path.resolve(options.dataDir));
  const runAs = isRoot() ? await serverUser(folder) : undefined;
  const dataDir = await locateData(folder, runAs, log);
  return { folder, dataDir, runAs, durable, port, log };
}

async function prepareFolder(requested: string): Promise<string> {
  await mkdir(requested, { recursive: true, mode: isRoot() ? 0o711 : 0o700 }).catch((cause: unknown) => {
    throw new Error(`The data folder ${requested} cannot be created; choose another one, ${externalHint}.`, { cause });
  });
  const folder = await realpath(requested);
  await access(folder, constants.W_OK).catch((cause: unknown) => {
    throw new Error(`The data folder ${folder} is not writable for this user; ${ownershipHint}.`, { cause });
  });
  return folder;
}

async function locateData(folder: string, runAs: UnixUser | undefined, log: Cluster['log']): Promise<string> {
  const usual = path.join(folder, 'postgres');
  const target = await readlink(usual).catch(() => undefined);
  const dataDir = target === undefined ? usual : path.resolve(folder, target);
  const existing = await stat(dataDir).catch(() => undefined);
  if (runAs === undefined) {
    if (existing === undefined || existing.uid === (process.getuid?.() ?? existing.uid)) return dataDir;
    throw new Error(`${dataDir} belongs to another user (number ${existing.uid}); ${ownershipHint}.`);
  }
  if (target === undefined && (await allowEntry(runAs, folder))) return usual;
  if (target === undefined && existing === undefined) return relocateData(folder, runAs, log);
  if (existing === undefined || (await mayEnter(runAs, path.dirname(dataDir)))) return dataDir;
  throw new Error(
    `PostgreSQL does not run as root, and user ${runAs.uid} cannot reach ${dataDir}; ` +
      `allow it with "chmod o+x" on the folders above, or start as a normal user, ${externalHint}.`,
  );
}

/** A symlink in the folder points to the data, so the next start finds it. */
async function relocateData(folder: string, runAs: UnixUser, log: Cluster['log']): Promise<string> {
  const place = await makeReachablePlace(runAs).catch((cause: unknown) => {
    throw new Error(
      `PostgreSQL does not run as root, user ${runAs.uid} cannot enter ${folder}, and ${relocatedData} cannot be used; ` +
        `choose a data folder every user may enter, or start as a normal user, ${externalHint}.`,
      { cause },
    );
  });
  const target = path.join(place, 'postgres');
  const usual = path.join(folder, 'postgres');
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

async function makeReachablePlace(runAs: UnixUser): Promise<string> {
  await mkdir(relocatedData, { recursive: true });
  const place = await mkdtemp(path.join(relocatedData, 'data-'));
  for (const made of [relocatedData, place]) await chmod(made, 0o711);
  if (!(await mayEnter(runAs, place))) throw new Error(`${place} cannot be reached either`);
  return place;
}

/** Incomplete work is in a temporary folder, whose name contains the process, until a rename makes it final. */
export function makePartial(final: string): Promise<string> {
  return mkdtemp(`${final}.partial-${process.pid}-`);
}

export async function removeHalfFinished(cluster: Cluster): Promise<void> {
  const parent = path.dirname(cluster.dataDir);
  for (const name of await readdir(parent).catch(() => [])) {
    const pid = /^postgres.*\.partial-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    cluster.log(`removing ${name}, left half-finished by an interrupted start`);
    // An initdb that outlived its parent may still be writing there; it fails as soon as its files are gone.
    const retries = { maxRetries: 5, retryDelay: 100 };
    await rm(path.join(parent, name), { recursive: true, force: true, ...retries }).catch(() => undefined);
  }
}
