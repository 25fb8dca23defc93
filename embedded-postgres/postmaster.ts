import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster } from './data-folder.js';
import { codeOf } from './errors.js';
import { isAlive, isPostgres } from './processes.js';
import { runProgram } from './programs.js';

/** PostgreSQL's term for the main process of a server. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

export function claimFile(cluster: Cluster): string {
  return path.join(cluster.dataDir, 'postmaster.pid');
}

export async function runningServer(cluster: Cluster): Promise<Postmaster | undefined> {
  const postmaster = await readClaim(cluster);
  return postmaster !== undefined && isPostgres(postmaster.pid) ? postmaster : undefined;
}

/** Contents of postmaster.pid, which survives a crash. */
export async function readClaim(cluster: Cluster): Promise<Postmaster | undefined> {
  const text = await readFile(claimFile(cluster), 'utf8').catch(() => '');
  const lines = text.split('\n').map((line) => line.trim());
  // Single-user mode writes its pid as a negative number.
  const pid = Math.abs(Number(lines[0]));
  if (!(pid > 0)) return undefined;
  return { pid, port: Number(lines[3] ?? 0), ready: lines[7] === 'ready' };
}

/** After a crash the old pid may belong to any program, especially in containers, and PostgreSQL would not start. */
export async function removeForeignClaim(cluster: Cluster): Promise<void> {
  const claim = await readClaim(cluster);
  if (claim === undefined || !isAlive(claim.pid) || isPostgres(claim.pid)) return;
  await rm(claimFile(cluster), { force: true });
}

export async function shutDown(cluster: Cluster, server: Postmaster): Promise<void> {
  const steps = [
    { signal: 'SIGINT', mode: 'fast', timeoutMs: 10_000 },
    { signal: 'SIGQUIT', mode: 'immediate', timeoutMs: 6_000 },
    { signal: 'SIGKILL', mode: 'immediate', timeoutMs: 2_000 },
  ] as const;
  for (const { signal, mode, timeoutMs } of steps) {
    // Windows has no signals that a process can handle.
    if (process.platform === 'win32')
      await runProgram(cluster, 'pg_ctl', ['stop', '-D', cluster.dataDir, '-m', mode, '-W']);
    else signalServer(server.pid, signal);
    if (await isGoneWithin(server.pid, timeoutMs)) return;
    cluster.log(`PostgreSQL (process ${server.pid}) did not stop on ${signal}`);
  }
  throw new Error(`PostgreSQL (process ${server.pid}) cannot be stopped; end that process by hand.`);
}

function signalServer(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (cause) {
    if (codeOf(cause) === 'ESRCH') return;
    throw new Error(`PostgreSQL (process ${pid}) may not be stopped by this user.`, { cause });
  }
}

async function isGoneWithin(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await sleep(5);
  }
  return true;
}
