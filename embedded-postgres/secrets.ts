import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Cluster } from './data-folder.js';
import { codeOf, externalHint } from './errors.js';
import { giveToOwnerOf } from './privileges.js';

export interface Secrets {
  readonly superuserPassword: string;
  readonly ownerPassword: string;
  readonly appPassword: string;
}

export function secretsFile(cluster: Cluster): string {
  return path.join(cluster.folder, 'postgres-secrets.json');
}

export function newSecrets(): Secrets {
  const password = (): string => randomBytes(24).toString('base64url');
  return { superuserPassword: password(), ownerPassword: password(), appPassword: password() };
}

/** Undefined if there is no such file. */
export async function readSecrets(cluster: Cluster): Promise<Secrets | undefined> {
  const file = secretsFile(cluster);
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read; give it to the user who starts the service, ${externalHint}.`, { cause });
  });
  if (text === undefined) return undefined;
  const secrets = parseSecrets(text);
  if (secrets !== undefined) return secrets;
  throw new Error(
    `${file} is damaged or incomplete; delete it and start again: the data stays, and new passwords are generated.`,
  );
}

function parseSecrets(text: string): Secrets | undefined {
  try {
    const { superuserPassword, ownerPassword, appPassword } = JSON.parse(text) as Partial<Secrets>;
    if (!superuserPassword || !ownerPassword || !appPassword) return undefined;
    return { superuserPassword, ownerPassword, appPassword };
  } catch {
    return undefined;
  }
}

/** Only one process can create the hard link, and never with partial content: its secrets apply. */
export async function saveSecrets(cluster: Cluster, secrets: Secrets): Promise<Secrets> {
  const file = secretsFile(cluster);
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    await giveToOwnerOf(cluster.folder, draft);
    await link(draft, file);
    return secrets;
  } catch (error) {
    const winner = codeOf(error) === 'EEXIST' ? await readSecrets(cluster) : undefined;
    if (winner === undefined) throw error;
    return winner;
  } finally {
    await rm(draft, { force: true });
  }
}
