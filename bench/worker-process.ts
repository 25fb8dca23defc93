import { readFileSync } from 'node:fs';
import { ServiceProcess } from '#test/support/service-process.js';
import { type BenchService } from './bench-service.js';

/** A process that only works, on the database of the service, with its memory, sampled five times per second. */
export class WorkerProcess extends ServiceProcess {
  peak = 0;
  private readonly timer = setInterval(() => this.sample(), 200);

  /** Starts the command as users do, with the options of this process. */
  static async forService({ environment }: BenchService): Promise<WorkerProcess> {
    const options = { isInstalled: true, nodeOptions: process.execArgv, startTimeoutMs: 120_000 };
    const worker = new WorkerProcess('worker', environment, options);
    await worker.start();
    return worker;
  }

  protected override exited(): void {
    clearInterval(this.timer);
  }

  private sample(): void {
    if (!this.isRunning) return;
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1] ?? '0';
    this.peak = Math.max(this.peak, Number(kilobytes) / 1024);
  }
}
