import { readFileSync } from 'node:fs';
import { codeOf } from './errors.js';

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false;
  }
  return factsOf(pid)?.state !== 'Z';
}

/** Distinguishes a process from a later one with the same pid, where the system supports it. */
export function startTimeOf(pid: number): string {
  return factsOf(pid)?.startTime ?? '0';
}

export function isPostgres(pid: number): boolean {
  return isAlive(pid) && (factsOf(pid)?.name ?? 'postgres') === 'postgres';
}

/** Available only on Linux; elsewhere callers rely on the pid. */
function factsOf(pid: number): { name: string; state: string; startTime: string } | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const close = line.lastIndexOf(')');
    const rest = line.slice(close + 2).split(' ');
    return { name: line.slice(line.indexOf('(') + 1, close), state: rest[0] ?? '', startTime: rest[19] ?? '0' };
  } catch {
    return undefined;
  }
}
