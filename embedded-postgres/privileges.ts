import { access, chmod, chown, lchown, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

export interface UnixUser {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL does not run as root. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The user that runs the server when the process is root: the owner of existing data, otherwise a system user. */
export async function serverUser(folder: string): Promise<UnixUser> {
  for (const file of [path.join(folder, 'postgres'), folder]) {
    const owner = await stat(file).catch(() => undefined);
    if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  }
  return systemUser();
}

/** A numeric id suffices if no suitable user exists. */
export async function systemUser(): Promise<UnixUser> {
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

export const mayRun = 0o5;
export const mayRead = 0o4;
const mayPass = 0o1;

/** Whether the user (or this process, if none is given) has these rights on the file itself. */
export async function permits(user: UnixUser | undefined, file: string, rights: number): Promise<boolean> {
  if (user === undefined) return canAccess(file, rights);
  const info = await stat(file).catch(() => undefined);
  if (info === undefined) return false;
  const shift = info.uid === user.uid ? 6 : info.gid === user.gid ? 3 : 0;
  return ((info.mode >> shift) & rights) === rights;
}

function canAccess(file: string, rights: number): Promise<boolean> {
  return access(file, rights).then(
    () => true,
    () => false,
  );
}

/** Reaching a folder requires access to all folders above it. */
export async function mayEnter(user: UnixUser, folder: string): Promise<boolean> {
  for (let place = folder; ; place = path.dirname(place)) {
    if (!(await permits(user, place, mayPass))) return false;
    if (place === path.dirname(place)) return true;
  }
}

/** Grants access to the folder itself. Folders above it are not ours to change. */
export async function allowEntry(user: UnixUser, folder: string): Promise<boolean> {
  if (await mayEnter(user, folder)) return true;
  if (!(await mayEnter(user, path.dirname(folder)))) return false;
  const { mode } = await stat(folder);
  await chmod(folder, (mode & 0o777) | 0o011);
  return true;
}

/** Root must not leave files that the folder's owner cannot read on the next start. */
export async function giveToOwnerOf(folder: string, file: string): Promise<void> {
  if (!isRoot()) return;
  const owner = await stat(folder);
  await chown(file, owner.uid, owner.gid);
}

/** Data that root copied or restored belongs to root, which PostgreSQL does not accept. */
export async function giveDataTo(user: UnixUser | undefined, dataDir: string): Promise<void> {
  if (user === undefined || (await stat(dataDir)).uid === user.uid) return;
  for (const name of await readdir(dataDir, { recursive: true })) {
    await lchown(path.join(dataDir, name), user.uid, user.gid);
  }
  await chown(dataDir, user.uid, user.gid);
  await chmod(dataDir, 0o700);
}
