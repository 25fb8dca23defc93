import { chown, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Cluster, makePartial, removeHalfFinished } from './data-folder.js';
import { codeOf, externalHint, ownershipHint } from './errors.js';
import { runningServer } from './postmaster.js';
import { giveDataTo } from './privileges.js';
import { lastErrorLine, runProgram } from './programs.js';
import { newSecrets, readSecrets, type Secrets, saveSecrets, secretsFile } from './secrets.js';

const majorVersion = '18';

/** Creates the data if necessary and sets the passwords. */
export async function prepareData(cluster: Cluster): Promise<Secrets> {
  await removeHalfFinished(cluster);
  const known = await readSecrets(cluster);
  if (await isInitialised(cluster)) return known ?? renewSecrets(cluster);
  const secrets = known ?? (await saveSecrets(cluster, newSecrets()));
  await initialise(cluster, secrets.superuserPassword);
  return secrets;
}

async function isInitialised(cluster: Cluster): Promise<boolean> {
  const { dataDir } = cluster;
  const names = await readdir(dataDir).catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new Error(`${dataDir} cannot be read; move it away and start again, ${externalHint}.`, { cause });
  });
  if (names === undefined) return false;
  if (names.length === 0) {
    await rmdir(dataDir);
    return false;
  }
  const version = (await readFile(path.join(dataDir, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  if (version === majorVersion) return true;
  throw new Error(
    version === ''
      ? `${dataDir} is not a PostgreSQL data folder; move it away and start again to get a new one, ${externalHint}.`
      : `${dataDir} was made by PostgreSQL ${version} and this is ${majorVersion}; move it away and restore a dump of it, ${externalHint}.`,
  );
}

/** initdb works in a temporary folder and the rename is the commit: a folder called `postgres` is always complete. */
async function initialise(cluster: Cluster, password: string): Promise<void> {
  const { dataDir, runAs } = cluster;
  const parent = path.dirname(dataDir);
  await mkdir(parent, { recursive: true, mode: 0o711 }).catch((cause: unknown) => {
    throw new Error(`${parent} cannot be created for PostgreSQL's data; ${ownershipHint}.`, { cause });
  });
  const partial = await makePartial(dataDir);
  const passwordFile = `${partial}-password`;
  try {
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600, flag: 'wx' });
    if (runAs !== undefined) for (const file of [partial, passwordFile]) await chown(file, runAs.uid, runAs.gid);
    await runInitdb(cluster, partial, passwordFile);
    await rename(partial, dataDir).catch(async (error: unknown) => {
      if (!(await isInitialised(cluster))) throw error;
    });
  } finally {
    await rm(passwordFile, { force: true });
    await rm(partial, { recursive: true, force: true });
  }
}

async function runInitdb(cluster: Cluster, folder: string, passwordFile: string): Promise<void> {
  const { code, output } = await runProgram(cluster, 'initdb', [
    `--pgdata=${folder}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--data-checksums',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...(cluster.durable ? [] : ['--no-sync']),
  ]);
  if (code === 0) return;
  throw new Error(
    `PostgreSQL could not create its data in ${cluster.dataDir} (${lastErrorLine(output)}); ` +
      `check free space and permissions there and start again, ${externalHint}.`,
  );
}

/** The owner's password needs no reset here: every start sets it. */
async function renewSecrets(cluster: Cluster): Promise<Secrets> {
  const file = secretsFile(cluster);
  if ((await runningServer(cluster)) !== undefined) {
    throw new Error(
      `${file} is missing while its PostgreSQL runs; put it back, or stop that PostgreSQL and start again.`,
    );
  }
  cluster.log(`${file} is missing: giving the database new passwords`);
  const secrets = newSecrets();
  await resetSuperuserPassword(cluster, secrets.superuserPassword);
  return saveSecrets(cluster, secrets);
}

/** PostgreSQL's single-user mode requires no password: every user who can write the files controls the data anyway. */
async function resetSuperuserPassword(cluster: Cluster, password: string): Promise<void> {
  await giveDataTo(cluster.runAs, cluster.dataDir);
  const statement = `ALTER ROLE postgres PASSWORD '${password}';\n`;
  const { code, output } = await runProgram(
    cluster,
    'postgres',
    ['--single', '-D', cluster.dataDir, 'postgres'],
    statement,
  );
  if (code === 0 && !/ERROR|FATAL|PANIC/.test(output)) return;
  throw new Error(
    `The database in ${cluster.dataDir} could not be given new passwords (${lastErrorLine(output)}); ` +
      `put postgres-secrets.json back into ${cluster.folder}.`,
  );
}
