import { type Log } from '../../platform/log.js';
import { minChunks, type QueueLanes } from './calculate-job.js';
import { type WakeLanes } from './lane-runner.js';
import { type Lane } from './lanes.js';

type RunLane = (workspaceId: string, repId: string) => Promise<void>;

const maxRunning = 2;
/** Further lanes that the queue rejects wait for the sweep. */
const maxRejected = 10_000;

/**
 * Calculates lanes in this process if it runs workers and has a free slot, because the queue takes longer than most
 * calculations. All other lanes go through the queue, which orders them fairly. While the queue is not reachable, this
 * process calculates them one after another. The sweep would need seconds for the owner of a deal, and seconds more for
 * each level of managers above. The sweep finds lanes that a crashed process did not calculate.
 */
export class LocalLaneDispatcher {
  private runHere: RunLane | null = null;
  /** Lanes that run here; true if they were woken again meanwhile. */
  private readonly running = new Map<string, boolean>();
  private readonly runs = new Set<Promise<void>>();
  /** Lanes that the queue has rejected, oldest first. */
  private readonly rejected = new Map<string, Lane>();

  constructor(
    private readonly throughQueue: QueueLanes,
    private readonly log: Log,
  ) {}

  readonly wake: WakeLanes = async (workspaceId, repIds) => {
    const queued = repIds.length > minChunks ? repIds : repIds.filter((repId) => !this.tryRun(workspaceId, repId));
    if (queued.length === 0 || (await this.throughQueue(workspaceId, queued)) || this.runHere === null) return;
    for (const repId of queued)
      if (this.rejected.size < maxRejected) this.rejected.set(`${workspaceId} ${repId}`, { workspaceId, repId });
    this.runRejected();
  };

  /** Starts to run lanes in this process. */
  open(runHere: RunLane): void {
    this.runHere = runHere;
  }

  /** Stops accepting lanes, and resolves when the running ones have ended. */
  async close(): Promise<void> {
    this.runHere = null;
    this.rejected.clear();
    await Promise.all(this.runs);
  }

  /** Runs the lane here, or again if it is running. False if no slot is free. */
  private tryRun(workspaceId: string, repId: string): boolean {
    if (this.runHere === null) return false;
    const lane = `${workspaceId} ${repId}`;
    if (this.running.has(lane)) this.running.set(lane, true);
    else if (this.running.size < maxRunning) this.begin(lane, this.runHere, workspaceId, repId);
    else return false;
    return true;
  }

  private begin(lane: string, runHere: RunLane, workspaceId: string, repId: string): void {
    const run = this.work(lane, () => runHere(workspaceId, repId)).catch((error: unknown) =>
      this.log.warn({ err: error, workspaceId, repId }, 'lane run failed; left to the sweep'),
    );
    this.runs.add(run);
    void run.finally(() => {
      this.runs.delete(run);
      this.runRejected();
    });
  }

  private runRejected(): void {
    for (const [lane, { workspaceId, repId }] of this.rejected)
      if (this.tryRun(workspaceId, repId)) this.rejected.delete(lane);
      else return;
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
