import { type Clock } from '../kernel/clock.js';
import { newId } from '../kernel/ids.js';
import { isOutage } from '../platform/database/database-errors.js';
import { type UnitOfWork, type Work } from '../platform/database/unit-of-work.js';
import { failpoint } from '../platform/failpoint.js';
import { type Log } from '../platform/log.js';
import { metrics } from '../platform/metrics.js';
import { calculateLane, type Lane, type LaneRun } from './calculate-lane.js';
import { completeJobIfDone } from './calculation-jobs.js';
import { repsToWake, repsWithRequests } from './calculation-requests.js';

/** Wakes the lanes of reps that have requests. The sweep makes up for a lost wake-up. */
export type WakeLanes = (workspaceId: string, repIds: readonly string[]) => Promise<void>;

/** The totals of a lane and of every lane that it woke. */
export interface CalculationTotals {
  readonly eventsWritten: number;
  readonly eventsReversed: number;
  readonly statementLocked: boolean;
}

/** Calculates lanes until they have no requests, counts failures, and parks a lane that fails repeatedly. */
export class LaneRunner {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly wakeLanes: WakeLanes,
    private readonly log: Log,
  ) {}

  /**
   * Calculates the lanes one after another, and again if they received requests meanwhile. Lanes that depend on them
   * are woken at the end, so that a manager above all of them is calculated once and not once for each. When the
   * time slice ends, or as soon as a job with priority waits, the remaining lanes return to the queue.
   */
  async run(workspaceId: string, repIds: readonly string[], isOtherFirst = never): Promise<void> {
    const wakes = new Set<string>();
    const jobIds = new Set<string>();
    const slice = new TimeSlice(isOtherFirst);
    let lanes = repIds;
    for (let round = 0; lanes.length > 0; round += 1) {
      const calculated: string[] = [];
      for (const [index, repId] of lanes.entries()) {
        // A worker that found a lane busy relies on this run for its requests, even if it is the last of the
        // process.
        if (round === 0 ? await slice.isOver() : round > maxRepetitions) {
          await this.wakeLanes(workspaceId, lanes.slice(index));
          break;
        }
        const run = await this.calculate({ workspaceId, repId }, false);
        if (run === null || run.state === 'busy') continue;
        // An idle run locked the lane too: a worker may have found it busy at that moment.
        calculated.push(repId);
        if (run.state !== 'ran') continue;
        wakes.delete(repId);
        for (const wake of run.wakes) wakes.add(wake);
        for (const jobId of run.jobIds) jobIds.add(jobId);
      }
      lanes = await this.requestedAgain(workspaceId, calculated);
    }
    await this.wakeLanes(workspaceId, [...wakes]);
    await failpoint('job.beforeDone');
    await this.completeJobs(workspaceId, [...jobIds]);
  }

  /** Calculates the lanes and those that depend on them, for a caller that waits for the result. */
  async calculateNow(workspaceId: string, repIds: readonly string[]): Promise<CalculationTotals> {
    const totals = { eventsWritten: 0, eventsReversed: 0, statementLocked: false };
    const queue = [...repIds];
    for (let steps = 0; queue.length > 0 && steps < maxSteps; steps += 1) {
      const repId = queue.shift() as string;
      const run = await this.calculate({ workspaceId, repId }, true);
      if (run === null || run.state === 'busy') continue;
      const again = await this.requestedAgain(workspaceId, [repId]);
      if (run.state !== 'ran') {
        queue.push(...again.filter((wake) => !queue.includes(wake)));
        continue;
      }
      totals.eventsWritten += run.eventsWritten;
      totals.eventsReversed += run.eventsReversed;
      totals.statementLocked ||= run.blocked.length > 0;
      queue.push(...[...run.wakes, ...again].filter((wake) => !queue.includes(wake)));
      await this.completeJobs(workspaceId, run.jobIds);
    }
    await this.wakeLanes(workspaceId, queue);
    return totals;
  }

  /** Wakes the lanes that have requests, after a transaction other than a calculation has released them. */
  async wakeReleased(workspaceId: string, repIds: readonly string[]): Promise<void> {
    try {
      const requested = await this.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, (trx) =>
        repsToWake(trx, workspaceId, repIds),
      );
      if (requested.length > 0) await this.wakeLanes(workspaceId, requested);
    } catch (error) {
      this.log.warn({ err: error, workspaceId, repIds }, 'released lanes not checked; left to the sweep');
    }
  }

  /** The reps with requests after a run: a worker that was woken meanwhile found the lane busy and returned. */
  private async requestedAgain(workspaceId: string, repIds: readonly string[]): Promise<string[]> {
    if (repIds.length === 0) return [];
    return this.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'read' }, (trx) =>
      repsWithRequests(trx, workspaceId, repIds),
    );
  }

  private async calculate(lane: Lane, wait: boolean): Promise<LaneRun | null> {
    const startedAt = performance.now();
    const took = () => (performance.now() - startedAt) / 1000;
    try {
      const run = await calculateLane({ unitOfWork: this.unitOfWork, clock: this.clock }, lane, { wait });
      await failpoint('lane.afterCommit');
      if (run.outcome === null) return run;
      metrics.engineRuns.observe({ outcome: run.outcome }, took());
      metrics.engineEvents.inc({ outcome: 'written' }, run.eventsWritten);
      metrics.engineEvents.inc({ outcome: 'reversed' }, run.eventsReversed);
      return run;
    } catch (error) {
      metrics.engineRuns.observe({ outcome: 'failed' }, took());
      // An outage is no failure of the lane: its requests stay, and a job or the sweep retries them.
      if (isOutage(error)) throw error;
      await this.recordFailure(lane, error);
      return null;
    }
  }

  /** The failed run was rolled back. Its requests stay and are retried with growing pauses; then the lane is parked. */
  private async recordFailure(lane: Lane, error: unknown): Promise<void> {
    this.log.error({ err: error, ...lane }, 'lane calculation failed');
    const message = error instanceof Error ? error.message.slice(0, 300) : 'unknown error';
    await this.unitOfWork.run(lane, { lock: 'none', access: 'write' }, async (trx) => {
      const failed = await countFailure(trx, lane, message, this.clock.now());
      await recordFailedRun(trx, lane, message, this.clock.now());
      await failpoint('lane.afterFailure');
      if (failed.parked) await this.completeJobsOfParkedLane(trx, lane);
    });
  }

  private async completeJobsOfParkedLane(trx: Work, { workspaceId, repId }: Lane): Promise<void> {
    const jobs = await trx
      .selectFrom('calculation_requests')
      .select('job_id')
      .distinct()
      .where('workspace_id', '=', workspaceId)
      .where('rep_id', '=', repId)
      .where('job_id', 'is not', null)
      .execute();
    for (const { job_id: jobId } of jobs) if (jobId !== null) await completeJobIfDone(trx, workspaceId, jobId);
  }

  /** Runs after the commit, so that of two lanes that finish together the later one sees no requests left. */
  private async completeJobs(workspaceId: string, jobIds: readonly string[]): Promise<void> {
    for (const jobId of jobIds)
      await this.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, (trx) =>
        completeJobIfDone(trx, workspaceId, jobId),
      );
  }
}

const maxRepetitions = 20;
const maxSliceMs = 100;
const checkIntervalMs = 20;
const never = () => Promise.resolve(false);

/** Limits how long the lanes of one job are calculated before other jobs. */
class TimeSlice {
  private readonly startedAt = performance.now();
  private checkedAt = this.startedAt;

  constructor(private readonly isOtherFirst: () => Promise<boolean>) {}

  async isOver(): Promise<boolean> {
    const now = performance.now();
    if (now - this.startedAt > maxSliceMs) return true;
    if (now - this.checkedAt < checkIntervalMs) return false;
    this.checkedAt = now;
    return this.isOtherFirst();
  }
}

const maxSteps = 1000;
const maxAttempts = 8;

async function countFailure(
  trx: Work,
  { workspaceId, repId }: Lane,
  message: string,
  now: Date,
): Promise<{ parked: boolean }> {
  const lane = await trx
    .selectFrom('lanes')
    .select('attempts')
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  const attempts = (lane?.attempts ?? 0) + 1;
  const parked = attempts >= maxAttempts;
  await trx
    .updateTable('lanes')
    .set({
      attempts,
      last_error: message,
      not_before: new Date(now.getTime() + 2 ** attempts * 250),
      parked_at: parked ? now : null,
    })
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .execute();
  return { parked };
}

async function recordFailedRun(trx: Work, { workspaceId, repId }: Lane, message: string, now: Date): Promise<void> {
  await trx
    .insertInto('audit_runs')
    .values({
      workspace_id: workspaceId,
      run_id: newId(),
      actor: 'orchestrator',
      trigger: 'calculation',
      scope: 'rep',
      deal_id: null,
      rep_id: repId,
      period: null,
      outcome: 'failed',
      blocked: null,
      details: null,
      error: message,
      started_at: now,
    })
    .execute();
}
