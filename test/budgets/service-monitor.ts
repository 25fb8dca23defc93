import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const probeEveryMs = 10;

interface Sample {
  readonly startedAt: number;
  readonly ms: number;
}

/**
 * Measures the responses of `/livez` on a separate connection, without the time in which other processes had the
 * processor, and the memory of the process.
 */
export class ServiceMonitor {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private readonly samples: Sample[] = [];
  private isRunning = true;
  private peakKib = 0;
  private readonly finished: Promise<void>;

  constructor(
    private readonly url: string,
    private readonly pid: number,
  ) {
    this.finished = this.run();
  }

  /** The slowest response of `/livez` that was sent during the work, and the highest memory in MiB. */
  async during(work: () => Promise<void>): Promise<{ readonly slowestMs: number; readonly peakMib: number }> {
    const startedAt = performance.now();
    this.peakKib = 0;
    await work();
    const endedAt = performance.now();
    // A probe that is still waiting belongs to the work.
    await sleep(3 * probeEveryMs);
    while (this.pendingSince !== null && this.pendingSince < endedAt) await sleep(probeEveryMs);
    const sampled = this.samples.filter((sample) => sample.startedAt >= startedAt && sample.startedAt <= endedAt);
    return { slowestMs: Math.max(0, ...sampled.map(({ ms }) => ms)), peakMib: this.peakKib / 1024 };
  }

  async stop(): Promise<void> {
    this.isRunning = false;
    await this.finished;
    this.agent.destroy();
  }

  private pendingSince: number | null = null;

  private async run(): Promise<void> {
    while (this.isRunning) {
      const startedAt = performance.now();
      this.pendingSince = startedAt;
      const cpuBefore = this.computedMs();
      await this.probe();
      this.pendingSince = null;
      // Other processes of the machine delay a response too, so the time in which the service computed is the bound.
      const ms = Math.min(performance.now() - startedAt, this.computedMs() - cpuBefore);
      this.samples.push({ startedAt, ms });
      this.peakKib = Math.max(this.peakKib, this.residentKib());
      await sleep(probeEveryMs);
    }
  }

  /** Sends the request again if the service has closed the idle connection while it was sent. */
  private async probe(): Promise<void> {
    for (;;) {
      const isSent = await new Promise((resolve, reject) => {
        const sent = request(`${this.url}/livez`, { agent: this.agent }, (response) =>
          response.resume().on('end', () => resolve(true)),
        );
        sent.on('error', (error) => (sent.reusedSocket ? resolve(false) : reject(error))).end();
      });
      if (isSent) return;
    }
  }

  /** CPU time of the main thread, which runs the event loop. */
  private computedMs(): number {
    return Number(readFileSync(`/proc/${this.pid}/task/${this.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  }

  private residentKib(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }
}
