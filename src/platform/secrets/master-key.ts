import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Config, ConfigError } from '../config.js';

/**
 * The configured key, or one that is generated once and stored beside the data. Losing it makes all encrypted texts
 * unreadable, so the configuration requires it in production with an external database.
 */
export function masterKey(config: Pick<Config, 'MASTER_KEY' | 'DATA_DIR'>): Buffer {
  if (config.MASTER_KEY !== undefined) return Buffer.from(config.MASTER_KEY, 'base64');
  const file = path.join(config.DATA_DIR, 'secrets.json');
  if (!existsSync(file)) createKeyFile(config.DATA_DIR, file);
  return readKeyFile(file);
}

/** Creating a hard link is atomic: if several processes start at once, one key file is created, and it is complete. */
function createKeyFile(folder: string, file: string): void {
  mkdirSync(folder, { recursive: true });
  const temporary = `${file}.${randomUUID()}`;
  writeFileSync(temporary, `${JSON.stringify({ masterKey: randomBytes(32).toString('base64') })}\n`, { mode: 0o600 });
  try {
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function readKeyFile(file: string): Buffer {
  const invalidKey = new ConfigError(
    `${file} contains no valid master key. Restore the file from a backup, or delete it: texts encrypted with the old key are then lost.`,
  );
  try {
    const { masterKey: text } = JSON.parse(readFileSync(file, 'utf8')) as { masterKey?: unknown };
    const key = Buffer.from(typeof text === 'string' ? text : '', 'base64');
    if (key.length === 32) return key;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw invalidKey;
}
