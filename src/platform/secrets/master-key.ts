import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Config, ConfigError } from '../config.js';
import { Secrets } from './secrets.js';

type KeySettings = Pick<Config, 'MASTER_KEY' | 'MASTER_KEY_PREVIOUS' | 'DATA_DIR'>;

interface KeyFile {
  readonly masterKey: string;
  /** Keys that are being replaced. */
  readonly previous?: readonly string[];
}

/**
 * Encryption with the configured key, or with one that is generated once and stored beside the data. Losing the key
 * makes all encrypted texts unreadable, so the configuration requires it in production with an external database.
 */
export function openSecrets(config: KeySettings): Secrets {
  const previous = config.MASTER_KEY_PREVIOUS.map(decodeKey);
  if (config.MASTER_KEY !== undefined) return new Secrets(decodeKey(config.MASTER_KEY), previous);
  const file = keyFile(config.DATA_DIR);
  if (!existsSync(file)) createKeyFile(config.DATA_DIR, file);
  const stored = readKeyFile(file);
  return new Secrets(decodeKey(stored.masterKey), [...(stored.previous ?? []).map(decodeKey), ...previous]);
}

/** Replaces the generated key and stores the old one with it. Changes nothing while a replacement is incomplete. */
export function replaceGeneratedKey(folder: string): void {
  const file = keyFile(folder);
  if (!existsSync(file)) return createKeyFile(folder, file);
  const { masterKey, previous = [] } = readKeyFile(file);
  if (previous.length > 0) return;
  replaceFile(file, { masterKey: newKey(), previous: [masterKey] });
}

/** Deletes the old key, after everything was encrypted with the new one. */
export function deletePreviousKeys(folder: string): void {
  const file = keyFile(folder);
  replaceFile(file, { masterKey: readKeyFile(file).masterKey });
}

function keyFile(folder: string): string {
  return path.join(folder, 'secrets.json');
}

function decodeKey(key: string): Buffer {
  return Buffer.from(key, 'base64');
}

function newKey(): string {
  return randomBytes(32).toString('base64');
}

/** Creating a hard link is atomic: if several processes start at once, one key file is created, and it is complete. */
function createKeyFile(folder: string, file: string): void {
  mkdirSync(folder, { recursive: true });
  const temporary = writeTemporary(file, { masterKey: newKey() });
  try {
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function replaceFile(file: string, content: KeyFile): void {
  renameSync(writeTemporary(file, content), file);
}

function writeTemporary(file: string, content: KeyFile): string {
  const temporary = `${file}.${randomUUID()}`;
  writeFileSync(temporary, `${JSON.stringify(content)}\n`, { mode: 0o600, flush: true });
  return temporary;
}

function readKeyFile(file: string): KeyFile {
  try {
    const { masterKey, previous = [] } = JSON.parse(readFileSync(file, 'utf8')) as Partial<KeyFile>;
    const keys = [masterKey, ...previous];
    if (keys.every((key) => typeof key === 'string' && decodeKey(key).length === 32))
      return { masterKey: masterKey as string, previous };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new ConfigError(
    `${file} contains no valid master key. Restore the file from a backup, or delete it: texts encrypted with the old key are then lost.`,
  );
}
