import { sql } from 'kysely';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { type Clock } from '../../kernel/clock.js';
import { isOutage, isTermination } from '../../platform/database/database-errors.js';
import { type Transaction, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { type Log } from '../../platform/log.js';
import { metrics } from '../../platform/metrics.js';
import { completeJobIfDone } from '../requests/calculation-jobs.js';
import { loadRepsToWake, loadRepsWithRequests } from '../requests/calculation-requests.js';
import { type BatchRun, calculateLanes } from './calculate-lanes.js';
import { buildLaneBatches } from './lane-batches.js';
import { type Lane } from './lanes.js';

/** Wakes the lanes of reps that have requests. The sweep makes up for a lost wake-up. */
export type WakeLanes = (workspaceId: string, repIds: readonly string[]) => Promise<void>;

/** Wakes a worker for the period checks of the reps. A sweep makes up for a lost wake-up. */
export type WakeChecks = WakeLanes;

/** The totals of a lane and of every lane that it woke. */
interface CalculationTotals {
  readonly eventsWritten: number;
  readonly eventsReversed: number;
  readonly statementLocked: boolean;
}

/** What remains to be done after lanes were calculated: lanes to wake, and jobs that may be complete. */
interface FollowUp {
  readonly wakes: Set<string>;
  readonly jobIds: Set<string>;
}

/** Calculates lanes until they have no requests, counts failures, and parks a lane that fails repeatedly. */
export class LaneRunner {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly wakeLanes: WakeLanes,
    private readonly log: Log,
    /** Wakes a worker for the period checks of the reps. */
    readonly wakeChecks: WakeChecks = async () => {},
    private readonly maxDealsOfLane?: number,
  ) {}

  /**
   * Calculates the lanes in batches, and again if they received requests meanwhile. Lanes that depend on them are woken
   * at the end, so that a manager above all of them is calculated once and not once for each. When the time slice ends,
   * or as soon as a job with priority waits, the remaining lanes return to the queue.
   */
  async run(workspaceId: string, repIds: readonly string[], slice: TimeSlice = new TimeSlice()): Promise<void> {
    const followUp: FollowUp = { wakes: new Set(), jobIds: new Set() };
    let lanes = repIds;
    for (let round = 0; lanes.length > 0; round += 1) {
      // The first batch is always calculated, so that every job advances. A worker that found a lane busy relies on
      // this run for its requests, even if it is the last of the process.
      const isOver = async (index: number) =>
        round === 0 ? index > 0 && (await slice.isOver()) : round > maxRepetitions;
      const calculated = await this.calculateRound(workspaceId, lanes, isOver, followUp);
      // A woken lane gets its next run from the queue.
      const again = calculated.filter((repId) => !followUp.wakes.has(repId));
      lanes = await this.requestedAgain(workspaceId, again);
    }
    await this.wakeLanes(workspaceId, [...followUp.wakes]);
    await failpoint('job.beforeDone');
    await this.completeJobs(workspaceId, [...followUp.jobIds]);
  }

  /** Returns the reps whose lanes it has locked. The batches after the end of the time return to the queue. */
  private async calculateRound(
    workspaceId: string,
    repIds: readonly string[],
    isOver: (batchIndex: number) => Promise<boolean>,
    { wakes, jobIds }: FollowUp,
  ): Promise<string[]> {
    const locked: string[] = [];
    const batches = await this.batches(workspaceId, repIds);
    for (const [index, batch] of batches.entries()) {
      if (await isOver(index)) {
        await this.wakeLanes(workspaceId, batches.slice(index).flat());
        break;
      }
      const run = await this.calculate(workspaceId, batch, false);
      for (const { repId, state, jobIds: ofRun } of run.runs) {
        wakes.delete(repId);
        for (const jobId of ofRun) jobIds.add(jobId);
        // An idle run locked the lane too: a worker may have found it busy at that moment.
        if (state !== 'busy') locked.push(repId);
      }
      for (const wake of run.wakes) wakes.add(wake);
    }
    return locked;
  }

  /** Calculates the lanes and those that depend on them, for a caller that waits for the result. */
  async calculateNow(workspaceId: string, repIds: readonly string[]): Promise<CalculationTotals> {
    const totals = { eventsWritten: 0, eventsReversed: 0, statementLocked: false };
    let lanes: readonly string[] = [...new Set(repIds)];
    for (let round = 0; lanes.length > 0 && round < maxRounds; round += 1) {
      const next = new Set<string>();
      for (const batch of await this.batches(workspaceId, lanes)) {
        const { runs, wakes } = await this.calculateWaiting(workspaceId, batch);
        for (const { eventsWritten, eventsReversed, blocked } of runs) {
          totals.eventsWritten += eventsWritten;
          totals.eventsReversed += eventsReversed;
          totals.statementLocked ||= blocked.length > 0;
        }
        const calculated = runs.filter(({ state }) => state !== 'busy').map(({ repId }) => repId);
        for (const repId of [...wakes, ...(await this.requestedAgain(workspaceId, calculated))]) next.add(repId);
        await this.completeJobs(workspaceId, [...new Set(runs.flatMap(({ jobIds }) => jobIds))]);
      }
      lanes = [...next];
    }
    await this.wakeLanes(workspaceId, lanes);
    return totals;
  }

  /** Wakes the lanes that have requests, after a transaction other than a calculation has released them. */
  async wakeReleased(workspaceId: string, repIds: readonly string[]): Promise<void> {
    try {
      const requested = await this.unitOfWork.write({ workspaceId }, (tx) => loadRepsToWake(tx, repIds));
      if (requested.length > 0) await this.wakeLanes(workspaceId, requested);
    } catch (error) {
      this.log.warn({ err: error, workspaceId, repIds }, 'released lanes not checked; left to the sweep');
    }
  }

  /** The reps with requests after a run: a worker that was woken meanwhile found the lane busy and returned. */
  private async requestedAgain(workspaceId: string, repIds: readonly string[]): Promise<string[]> {
    if (repIds.length === 0) return [];
    return this.unitOfWork.read({ workspaceId }, (tx) => loadRepsWithRequests(tx, repIds));
  }

  /** A single lane needs no division into batches. */
  private async batches(workspaceId: string, repIds: readonly string[]): Promise<string[][]> {
    if (repIds.length === 1) return [[...repIds]];
    return this.unitOfWork.read({ workspaceId }, (tx) => buildLaneBatches(tx, repIds));
  }

  /** Waits for lanes that others hold, one at a time, so that it cannot deadlock. */
  private async calculateWaiting(workspaceId: string, batch: readonly string[]): Promise<BatchRun> {
    if (batch.length === 1) return this.calculate(workspaceId, batch, true);
    const { runs, wakes } = await this.calculate(workspaceId, batch, false);
    const busy = runs.filter(({ state }) => state === 'busy');
    const all: BatchRun[] = [{ runs: runs.filter(({ state }) => state !== 'busy'), wakes, checks: [] }];
    for (const { repId } of busy) all.push(await this.calculate(workspaceId, [repId], true));
    return joined(all);
  }

  /**
   * A batch that fails is calculated again in halves, so that the lane that fails is at last alone and the others are
   * calculated.
   */
  private async calculate(workspaceId: string, batch: readonly string[], wait: boolean): Promise<BatchRun> {
    const startedAt = performance.now();
    const took = () => (performance.now() - startedAt) / 1000;
    try {
      const { unitOfWork, clock, maxDealsOfLane: maxDeals } = this;
      const dependencies = { unitOfWork, clock, ...(maxDeals === undefined ? {} : { maxDeals }) };
      const run = await calculateLanes(dependencies, workspaceId, batch, { wait });
      await failpoint('lane.afterCommit');
      observe(run, took());
      if (run.checks.length > 0) await this.wakeChecks(workspaceId, run.checks);
      return run;
    } catch (error) {
      metrics.engineRuns.observe({ outcome: 'failed' }, took());
      // An outage is no failure of the lane: its requests stay, and a job or the sweep retries them.
      if (isOutage(error) && !(isTermination(error) && (await this.isServerResponding(workspaceId)))) throw error;
      const [repId] = batch;
      if (batch.length === 1 && repId !== undefined) {
        await this.recordFailure({ workspaceId, repId }, error);
        return { runs: [], wakes: [], checks: [] };
      }
      this.log.warn({ err: error, workspaceId, lanes: batch.length }, 'batch of lanes failed; calculated in halves');
      const half = Math.ceil(batch.length / 2);
      const first = await this.calculate(workspaceId, batch.slice(0, half), wait);
      return joined([first, await this.calculate(workspaceId, batch.slice(half), wait)]);
    }
  }

  /** A run whose connection ended counts as failed if others have one: it would fail without end. */
  private async isServerResponding(workspaceId: string): Promise<boolean> {
    try {
      await this.unitOfWork.read({ workspaceId }, (tx) => sql`select 1`.execute(tx.db));
      return true;
    } catch {
      return false;
    }
  }

  /** The failed run was rolled back. Its requests stay and are retried with growing pauses; then the lane is parked. */
  private async recordFailure(lane: Lane, error: unknown): Promise<void> {
    this.log.error({ err: error, ...lane }, 'lane calculation failed');
    const message = error instanceof Error ? error.message.slice(0, 300) : 'unknown error';
    const { repId } = lane;
    await this.unitOfWork.write(lane, async (tx) => {
      const at = this.clock.now();
      const failed = await countFailure(tx, repId, message, at);
      const run = { trigger: 'calculation', scope: 'rep', repId, outcome: 'failed', error: message, at } as const;
      await recordAuditEntry(tx, { actor: 'orchestrator' }, run);
      await failpoint('lane.afterFailure');
      if (failed.parked) await this.completeParkedJobs(tx, repId);
    });
  }

  private async completeParkedJobs(tx: Transaction, repId: string): Promise<void> {
    const jobs = await tx.db
      .selectFrom('calculation_requests')
      .select('job_id')
      .distinct()
      .where('workspace_id', '=', tx.workspaceId)
      .where('rep_id', '=', repId)
      .where('job_id', 'is not', null)
      .execute();
    for (const { job_id: jobId } of jobs) if (jobId !== null) await completeJobIfDone(tx, jobId);
  }

  /** Runs after the commit, so that of two lanes that finish together the later one sees no requests left. */
  private async completeJobs(workspaceId: string, jobIds: readonly string[]): Promise<void> {
    for (const jobId of jobIds) await this.unitOfWork.write({ workspaceId }, (tx) => completeJobIfDone(tx, jobId));
  }
}

function joined(runs: readonly BatchRun[]): BatchRun {
  return { runs: runs.flatMap((run) => run.runs), wakes: [...new Set(runs.flatMap((run) => run.wakes))], checks: [] };
}

/** The lanes of a batch share its time. */
function observe({ runs }: BatchRun, seconds: number): void {
  for (const { outcome, eventsWritten, eventsReversed } of runs) {
    if (outcome === null) continue;
    metrics.engineRuns.observe({ outcome }, seconds / runs.length);
    metrics.engineEvents.inc({ outcome: 'written' }, eventsWritten);
    metrics.engineEvents.inc({ outcome: 'reversed' }, eventsReversed);
  }
}

const maxRepetitions = 20;
const maxRounds = 100;
const defaultSliceMs = 100;
const checkIntervalMs = 20;
const never = () => Promise.resolve(false);

/** Limits how long the lanes of one job are calculated before other jobs. */
export class TimeSlice {
  private readonly startedAt = performance.now();
  private checkedAt = this.startedAt;

  constructor(
    private readonly isOtherFirst: () => Promise<boolean> = never,
    private readonly maxMs = defaultSliceMs,
  ) {}

  async isOver(): Promise<boolean> {
    const now = performance.now();
    if (now - this.startedAt > this.maxMs) return true;
    if (now - this.checkedAt < checkIntervalMs) return false;
    this.checkedAt = now;
    return this.isOtherFirst();
  }
}

const maxAttempts = 8;

async function countFailure(tx: Transaction, repId: string, message: string, now: Date): Promise<{ parked: boolean }> {
  const lane = await tx.db
    .selectFrom('lanes')
    .select('attempts')
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  const attempts = (lane?.attempts ?? 0) + 1;
  const parked = attempts >= maxAttempts;
  await tx.db
    .updateTable('lanes')
    .set({
      attempts,
      last_error: message,
      not_before: new Date(now.getTime() + 2 ** attempts * 250),
      parked_at: parked ? now : null,
    })
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .execute();
  return { parked };
}
