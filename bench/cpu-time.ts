import { readFileSync } from 'node:fs';
import { type OwnerPool } from './owner-pool.js';

const msPerTick = 10;

/** Measures the CPU time of the work in this process and in the backends of a server on this machine, in milliseconds. */
export async function measureCpuTime(owner: OwnerPool, work: () => Promise<void>): Promise<number> {
  const backends = await readBackends(owner);
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  const after = await readBackends(owner);
  const ofBackends = [...after].reduce((total, [pid, time]) => total + time - (backends.get(pid) ?? 0), 0);
  return (user + system) / 1000 + ofBackends;
}

async function readBackends(owner: OwnerPool): Promise<ReadonlyMap<number, number>> {
  const { rows } = await owner.query<{ pid: number }>('select pid from pg_stat_activity');
  return new Map(rows.map(({ pid }) => [pid, readProcess(pid)]));
}

/** 0 for a process that has ended, or that runs on another machine. */
function readProcess(pid: number): number {
  try {
    const [, afterName = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const fields = afterName.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * msPerTick;
  } catch {
    return 0;
  }
}
