import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BenchService } from './bench-service.js';

const program = fileURLToPath(new URL('../../bin/commissions.js', import.meta.url));

/** A process that only works, on the database of the service. */
export async function startWorker({ environment }: BenchService): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [...process.execArgv, program, 'serve', '--worker'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (worker.stdout !== null) await once(worker.stdout, 'data');
  return worker;
}

export async function stopWorker(worker: ChildProcess): Promise<void> {
  const gone = once(worker, 'exit');
  worker.kill('SIGTERM');
  await gone;
}

/** The maximum memory of each process, sampled five times per second. */
export class PeakMemory {
  readonly peaks: number[];
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly processes: readonly ChildProcess[]) {
    this.peaks = processes.map(() => 0);
    this.timer = setInterval(() => this.look(), 200);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    for (const [index, { pid }] of this.processes.entries()) {
      const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
      this.peaks[index] = Math.max(this.peaks[index] ?? 0, Number(kilobytes) / 1024);
    }
  }
}
