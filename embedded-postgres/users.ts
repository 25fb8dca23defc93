import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Cluster } from './data-folder.js';
import { giveToOwnerOf } from './privileges.js';
import { isAlive, startTimeOf } from './processes.js';

/**
 * Each process that uses the server keeps one file named `<pid>-<start time>-<random>`. The last one to leave stops
 * the server. An orphaned server of a killed process is simply one without users.
 */
export async function registerUse(cluster: Cluster): Promise<() => Promise<void>> {
  const folder = usersFolder(cluster);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await giveToOwnerOf(cluster.folder, folder);
  const file = path.join(folder, `${process.pid}-${startTimeOf(process.pid)}-${randomUUID()}`);
  await writeFile(file, '', { mode: 0o600 });
  return () => rm(file, { force: true });
}

export async function countUsers(cluster: Cluster): Promise<number> {
  const folder = usersFolder(cluster);
  let living = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const [pid, startTime] = name.split('-');
    if (isAlive(Number(pid)) && startTimeOf(Number(pid)) === startTime) living += 1;
    else await rm(path.join(folder, name), { force: true });
  }
  return living;
}

function usersFolder(cluster: Cluster): string {
  return path.join(cluster.folder, 'postgres-users');
}
