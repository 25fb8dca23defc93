import { type Log } from './log.js';

/**
 * Runs one asynchronous function at a time. A wake-up during a run starts one more run after it, so work that is
 * stored before the wake-up is always seen. A failed run is logged; the next wake-up tries again.
 */
export class WakeableTask {
  private running: Promise<void> | null = null;
  private runAgain = false;
  private stopped = false;

  constructor(
    private readonly run: () => Promise<void>,
    private readonly failureMessage: string,
    private readonly log: Log,
  ) {}

  wake(): void {
    if (this.stopped) return;
    if (this.running !== null) {
      this.runAgain = true;
      return;
    }
    this.running = this.run()
      .catch((error: unknown) => this.log.warn({ err: error }, this.failureMessage))
      .finally(() => {
        this.running = null;
        if (!this.runAgain) return;
        this.runAgain = false;
        this.wake();
      });
  }

  /** Ignores further wake-ups and waits for the run in progress. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }
}
