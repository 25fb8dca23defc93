import { type RawBuilder } from 'kysely';
import { type Log } from '#src/platform/log.js';
import { WakeableTask } from '#src/platform/wakeable-task.js';
import { type StoredWork } from './due-work.js';

/** What finds work whose wake-up was lost. */
export interface SweptWork {
  /** Selects rows while there may be such work. */
  due(): RawBuilder<unknown>;
  /** The signal is aborted when the process stops. */
  run(stopping: AbortSignal): Promise<unknown>;
}

/** Runs a sweep, one run at a time. */
export class Sweep implements StoredWork {
  private readonly stopping = new AbortController();
  private readonly task: WakeableTask;

  constructor(
    name: string,
    private readonly work: SweptWork,
    log: Log,
  ) {
    const run = async () => void (await work.run(this.stopping.signal));
    this.task = new WakeableTask(run, `${name} failed; it runs again`, log);
  }

  due(): RawBuilder<unknown> {
    return this.work.due();
  }

  wake(): void {
    this.task.wake();
  }

  /** Resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.task.stop();
  }
}
