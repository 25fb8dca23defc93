import { type RawBuilder } from 'kysely';
import { type Database } from '#src/platform/database/pool.js';
import { type Log } from '#src/platform/log.js';
import { WakeableTask } from '#src/platform/wakeable-task.js';
import { type StoredWork } from './due-work.js';

/** Work that is due. Only the worker that holds its lease does it. */
export interface DueWork {
  readonly workspaceId: string;
  readonly id: string;
}

/** One kind of work that is stored in the database. */
export interface WorkKind {
  readonly name: string;
  /** How many pieces of work one process does at the same time. */
  readonly slots: number;
  /**
   * Selects what is due, in the order in which workspaces take turns. The work that this process has begun may be
   * among it, as long as it has not obtained the leases.
   */
  selectDue(begun: number): RawBuilder<DueWork>;
}

export interface WorkRunner {
  /**
   * Does the work under its lease. Returns false at once if another worker holds the lease. The signal is aborted when
   * the process stops.
   */
  run(workspaceId: string, id: string, stopping: AbortSignal): Promise<boolean>;
}

/**
 * Does one kind of work in slots of its own, so that slow work does not occupy those of the calculations. Jobs and a
 * task every second wake it, so a lost job delays the work by a second. Another worker takes over the work of a worker
 * that was killed when its lease expires.
 */
export class LeasedWorker implements StoredWork {
  private readonly slots = new Set<Promise<void>>();
  private readonly begun = new Set<string>();
  private readonly search: WakeableTask;
  private readonly stopping = new AbortController();

  constructor(
    private readonly database: Database,
    private readonly kind: WorkKind,
    private readonly runner: WorkRunner,
    private readonly log: Log,
  ) {
    this.search = new WakeableTask(() => this.fillSlots(), `looking for due ${kind.name} failed`, log);
  }

  due(): RawBuilder<unknown> {
    return this.kind.selectDue(this.begun.size);
  }

  /** Looks for work at once if a slot is free. */
  wake(): void {
    this.search.wake();
  }

  /** Waits for the work in progress. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.search.stop();
    await Promise.all(this.slots);
  }

  private async fillSlots(): Promise<void> {
    if (this.slots.size >= this.kind.slots || this.stopping.signal.aborted) return;
    const { rows } = await this.kind.selectDue(this.begun.size).execute(this.database);
    const candidates = rows.filter(({ id }) => !this.begun.has(id));
    while (this.slots.size < this.kind.slots && candidates.length > 0) this.occupySlot(candidates);
  }

  /** Work that was stored in the meantime, or that waited for the slot, is found at the end. */
  private occupySlot(candidates: DueWork[]): void {
    const slot = this.doFirst(candidates).then((done) => {
      this.slots.delete(slot);
      // Work whose lease another worker holds would be found again at once.
      if (done) this.wake();
    });
    this.slots.add(slot);
  }

  /** Does the first of the work whose lease is free, and removes what it has tried. False if nothing was done. */
  private async doFirst(candidates: DueWork[]): Promise<boolean> {
    for (let work = candidates.shift(); work !== undefined; work = candidates.shift()) {
      if (await this.tryToDo(work)) return true;
      if (this.stopping.signal.aborted) return false;
    }
    return false;
  }

  /** A failure is logged and leaves the slot to the work of others. */
  private async tryToDo({ workspaceId, id }: DueWork): Promise<boolean> {
    this.begun.add(id);
    try {
      return await this.runner.run(workspaceId, id, this.stopping.signal);
    } catch (error) {
      this.log.warn({ err: error, workspaceId, id }, `${this.kind.name} failed`);
      return false;
    } finally {
      this.begun.delete(id);
    }
  }
}
