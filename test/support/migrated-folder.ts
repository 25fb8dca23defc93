import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import { migrateTestDatabase } from './migrate-test-database.js';
import { serverFolder } from './server-folder.js';

const compiled = fileURLToPath(new URL('../..', import.meta.url));
const prefix = `commissions-migrated-${process.getuid?.() ?? 0}-`;
const unusedDays = 2;

/** The database in the folder of which migrated databases are copies. Nothing can connect to it. */
export const migratedTemplate = 'migrated';

/** Lets tests observe and end the sessions of the service on a connection of the owner, and delete rows without triggers. */
export const ownerRights = `
  GRANT pg_monitor, pg_signal_backend TO commissions;
  GRANT SET ON PARAMETER session_replication_role TO commissions`;

/**
 * Makes a data folder with the template by copying the kept one. A rename completes each of both folders, so that any
 * number of processes may do this at the same time.
 */
export async function makeDataFolder(folder: string): Promise<void> {
  const kept = await keepMigratedFolder();
  await complete(folder, (partial) => copy(kept, partial));
}

/** The folder that is kept for all runs of this user with the same migrations. The first call migrates for seconds. */
export async function keepMigratedFolder(): Promise<string> {
  const kept = path.join(serverFolder, `${prefix}${await hashOfMigrations()}`);
  await complete(kept, migrate);
  const now = new Date();
  await utimes(kept, now, now);
  return kept;
}

async function complete(folder: string, fill: (partial: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return;
  const partial = await mkdtemp(path.join(serverFolder, `commissions-test-${process.pid}-partial-`));
  try {
    await fill(partial);
    await rename(partial, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function migrate(folder: string): Promise<void> {
  await removeUnused();
  const server = await startEmbeddedPostgres({ dataDir: folder, durable: false });
  try {
    if (path.dirname(server.dataDir) !== folder)
      throw new Error(`PostgreSQL cannot enter ${serverFolder}; set TMPDIR to a folder that every user may enter.`);
    const admin = new Client({ connectionString: server.superuserUrl });
    await admin.connect();
    await admin.query(ownerRights);
    await admin.query(`CREATE DATABASE ${migratedTemplate} OWNER commissions`);
    const url = new URL(server.ownerUrl);
    url.pathname = `/${migratedTemplate}`;
    await migrateTestDatabase(url.href);
    await admin.query(`ALTER DATABASE ${migratedTemplate} ALLOW_CONNECTIONS false`);
    await admin.end();
  } finally {
    await server.stop();
  }
}

/** `cp` keeps owners and modes, without which PostgreSQL does not start. */
async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-Rp', `${from}/.`, to]);
}

/** What the contents of the folder depend on. */
async function hashOfMigrations(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of ['migrations', 'embedded-postgres', 'src/platform/database'])
    for (const name of (await readdir(path.join(compiled, folder))).sort())
      if (name.endsWith('.js')) hash.update(name).update(await readFile(path.join(compiled, folder, name)));
  return hash.digest('hex').slice(0, 16);
}

/** Removes the folders of older migrations. */
async function removeUnused(): Promise<void> {
  for (const name of await readdir(serverFolder)) {
    if (!name.startsWith(prefix)) continue;
    const folder = path.join(serverFolder, name);
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > unusedDays * 86_400_000) await rm(folder, { recursive: true, force: true });
  }
}
