import { type Log } from './log.js';

/**
 * Runs a task at its start and then at an interval. Runs do not overlap: a run that takes longer than the interval
 * delays the next one. A failed run is logged, and the task runs again after the interval.
 */
export class PeriodicTask {
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;

  constructor(
    private readonly name: string,
    private readonly everyMs: number,
    /** The signal is aborted when the task is stopped. */
    private readonly run: (stopping: AbortSignal) => Promise<void>,
    private readonly log: Log,
  ) {}

  /** Resolves when the first run has ended. A task that was stopped before does not start. */
  async start(): Promise<void> {
    if (this.stopping.signal.aborted) return;
    this.timer = setInterval(() => this.runOnce(), this.everyMs);
    await this.runOnce();
  }

  /** Resolves when the current run has ended. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.running;
  }

  private runOnce(): Promise<void> {
    this.running ??= this.run(this.stopping.signal)
      .catch((error: unknown) => this.log.warn({ err: error, task: this.name }, 'periodic task failed; it runs again'))
      .finally(() => {
        this.running = null;
      });
    return this.running;
  }
}
