import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Config, ConfigError } from '../config.js';

/**
 * The configured key, or one that is made once and kept beside the data. Losing it loses what was sealed with it, so
 * production on a server of its own must be given one: the settings see to that.
 */
export function masterKey(config: Pick<Config, 'MASTER_KEY' | 'DATA_DIR'>): Buffer {
  if (config.MASTER_KEY !== undefined) return Buffer.from(config.MASTER_KEY, 'base64');
  const file = path.join(config.DATA_DIR, 'secrets.json');
  if (!existsSync(file)) createKeyFile(config.DATA_DIR, file);
  return readKeyFile(file);
}

/** A hard link is made by one process only and never with half its content: of several that start, one key counts. */
function createKeyFile(folder: string, file: string): void {
  mkdirSync(folder, { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, `${JSON.stringify({ masterKey: randomBytes(32).toString('base64') })}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function readKeyFile(file: string): Buffer {
  const broken = new ConfigError(
    `${file} holds no master key. Put it back from a backup, or delete it: what was sealed with it is lost then.`,
  );
  try {
    const { masterKey: text } = JSON.parse(readFileSync(file, 'utf8')) as { masterKey?: unknown };
    const key = Buffer.from(typeof text === 'string' ? text : '', 'base64');
    if (key.length === 32) return key;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw broken;
}
