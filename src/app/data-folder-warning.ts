import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Config } from '../platform/config.js';

const responseTimeoutMs = 1000;

/**
 * A warning for a command that would start a second database although a service is running: no PostgreSQL runs in
 * the data folder of the command, and a service responds at its HOST and PORT. Null if there is nothing to warn
 * about.
 */
export async function findDataFolderWarning({ DATABASE_URL, DATA_DIR, HOST, PORT }: Config): Promise<string | null> {
  if (DATABASE_URL !== undefined || PORT === 0) return null;
  if (existsSync(path.join(DATA_DIR, 'postgres', 'postmaster.pid'))) return null;
  const url = `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`;
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(responseTimeoutMs) }).catch(() => null);
  const body = (await response?.json().catch(() => null)) as { status?: unknown } | null | undefined;
  if (typeof body?.status !== 'string') return null;
  return (
    `The service that responds at ${url} does not use the data folder ${path.resolve(DATA_DIR)}. ` +
    'This command works on another database. Set DATA_DIR, or DATABASE_URL, to what the service uses.'
  );
}
