import { type Log } from '../platform/log.js';
import { minChunks } from './calculate-job.js';
import { type WakeLanes } from './lane-runner.js';

type RunLane = (workspaceId: string, repId: string) => Promise<void>;

const mostAtOnce = 2;

/**
 * Wakes lanes in this very process, where it works lanes and has a turn free: the way through the queue takes longer
 * than most calculations. All else goes through the queue, which knows whose turn it is. What a process that dies has
 * not calculated is found by the sweep, as after any wake that is lost.
 */
export class LocalLaneDispatcher {
  private runHere: RunLane | null = null;
  /** Lanes at work here; true where they were woken again meanwhile. */
  private readonly running = new Map<string, boolean>();
  private readonly runs = new Set<Promise<void>>();

  constructor(
    private readonly throughQueue: WakeLanes,
    private readonly log: Log,
  ) {}

  readonly wake: WakeLanes = async (workspaceId, repIds) => {
    const far = repIds.length > minChunks ? repIds : repIds.filter((repId) => !this.takes(workspaceId, repId));
    if (far.length > 0) await this.throughQueue(workspaceId, far);
  };

  /** From now on lanes are worked here too. */
  open(runHere: RunLane): void {
    this.runHere = runHere;
  }

  /** Takes no more, and resolves when those at work are done. */
  async close(): Promise<void> {
    this.runHere = null;
    await Promise.all(this.runs);
  }

  private takes(workspaceId: string, repId: string): boolean {
    if (this.runHere === null) return false;
    const lane = `${workspaceId} ${repId}`;
    if (this.running.has(lane)) this.running.set(lane, true);
    else if (this.running.size < mostAtOnce) this.begin(lane, this.runHere, workspaceId, repId);
    else return false;
    return true;
  }

  private begin(lane: string, runHere: RunLane, workspaceId: string, repId: string): void {
    const run = this.work(lane, () => runHere(workspaceId, repId)).catch((error: unknown) =>
      this.log.warn({ err: error, workspaceId, repId }, 'a lane could not be run; the sweep will find it'),
    );
    this.runs.add(run);
    void run.finally(() => this.runs.delete(run));
  }

  private async work(lane: string, run: () => Promise<void>): Promise<void> {
    try {
      do {
        this.running.set(lane, false);
        await run();
      } while (this.running.get(lane) === true);
    } finally {
      this.running.delete(lane);
    }
  }
}
