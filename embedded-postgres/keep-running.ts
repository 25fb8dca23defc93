import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster } from './data-folder.js';
import { type Postmaster } from './postmaster.js';
import { isPostgres } from './processes.js';

const checkMs = 500;
const maxPauseMs = 30_000;
/** A server that ran for this long was not the victim of what ended the one before. */
const healthyMs = 60_000;

/**
 * Starts the server again whenever it has ended, such as by the kernel when memory is short, until the returned function
 * is called. The pause before each attempt is twice as long as the one before. Every process that uses the server does
 * this: PostgreSQL itself lets only one of them start it, and the others find it.
 */
export function keepRunning(
  cluster: Cluster,
  first: Postmaster,
  start: () => Promise<Postmaster>,
): () => Promise<void> {
  const ending = new AbortController();
  const watching = watch(cluster, first, start, ending.signal);
  return () => {
    ending.abort();
    return watching;
  };
}

async function watch(
  cluster: Cluster,
  first: Postmaster,
  start: () => Promise<Postmaster>,
  signal: AbortSignal,
): Promise<void> {
  let server = first;
  let startedAt = Date.now();
  let pauseMs = checkMs;
  while (await hasWaited(isPostgres(server.pid) ? checkMs : pauseMs, signal)) {
    if (isPostgres(server.pid)) continue;
    pauseMs = Date.now() - startedAt > healthyMs ? checkMs : Math.min(maxPauseMs, pauseMs * 2);
    const ended = server.pid;
    try {
      server = await start();
      startedAt = Date.now();
      cluster.log(`PostgreSQL (process ${ended}) ended unexpectedly and runs again as process ${server.pid}`);
    } catch (error) {
      cluster.log(
        `PostgreSQL (process ${ended}) ended unexpectedly: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
}

/** False if the wait was ended. The wait keeps no process alive. */
function hasWaited(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { ref: false, signal }).catch(() => false);
}
