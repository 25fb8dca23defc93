import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BenchService } from './bench-service.js';

const program = fileURLToPath(new URL('../../bin/commissions.js', import.meta.url));

/** A process that only works, on the database of the service, with its memory, sampled five times per second. */
export class WorkerProcess {
  /** The maximum resident memory in megabytes. */
  peak = 0;
  private readonly timer = setInterval(() => this.look(), 200);

  private constructor(private readonly process: ChildProcess) {}

  static async start({ environment }: BenchService): Promise<WorkerProcess> {
    const worker = spawn(process.execPath, [...process.execArgv, program, 'serve', '--worker', '--no-supervisor'], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (worker.stdout !== null) await once(worker.stdout, 'data');
    return new WorkerProcess(worker);
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    clearInterval(this.timer);
    const gone = once(this.process, 'exit');
    this.process.kill(signal);
    await gone;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end('SIGTERM');
  }

  private look(): void {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.process.pid}/status`, 'utf8'))?.[1] ?? '0';
    this.peak = Math.max(this.peak, Number(kilobytes) / 1024);
  }
}
