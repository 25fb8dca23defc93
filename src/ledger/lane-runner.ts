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

/** Wakes the lanes of reps that have something to calculate; a wake that is lost is made up for by the sweep. */
export type WakeLanes = (workspaceId: string, repIds: readonly string[]) => Promise<void>;

/** What running a lane, and every lane that it woke, came to. */
export interface CalculationTotals {
  readonly eventsWritten: number;
  readonly eventsReversed: number;
  readonly statementLocked: boolean;
}

/** Runs lanes to their end: again while something is asked, with failures counted and a hopeless lane parked. */
export class LaneRunner {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly wakeLanes: WakeLanes,
    private readonly log: Log,
  ) {}

  /**
   * Calculates the lanes one after the other, and those again of which more was asked meanwhile. The lanes that follow
   * from them are woken at the end: a manager above all of them is then calculated once and not once for each. What is
   * left after a while, or as soon as somebody waits whose turn comes first, goes back into the queue, so that nobody
   * waits behind a whole chunk.
   */
  async run(workspaceId: string, repIds: readonly string[], isOtherFirst = never): Promise<void> {
    const wakes = new Set<string>();
    const jobIds = new Set<string>();
    const turn = new TimeSlice(isOtherFirst);
    let lanes = repIds;
    for (let round = 0; lanes.length > 0; round += 1) {
      const held: string[] = [];
      for (const [index, repId] of lanes.entries()) {
        // Who found a lane busy relies on this run for what was asked meanwhile, also when it is the last of a process.
        if (round === 0 ? await turn.isOver() : round > mostRepetitions) {
          await this.wakeLanes(workspaceId, lanes.slice(index));
          break;
        }
        const run = await this.calculate({ workspaceId, repId }, false);
        if (run === null || run.state === 'busy') continue;
        // An idle run held the lane too: a worker may have found it busy just then.
        held.push(repId);
        if (run.state !== 'ran') continue;
        wakes.delete(repId);
        for (const wake of run.wakes) wakes.add(wake);
        for (const jobId of run.jobIds) jobIds.add(jobId);
      }
      lanes = await this.askedAgain(workspaceId, held);
    }
    await this.wakeLanes(workspaceId, [...wakes]);
    await failpoint('job.beforeDone');
    await this.settle(workspaceId, [...jobIds]);
  }

  /** Calculates the lanes and all that follow from them here and now, for a caller that waits for the outcome. */
  async calculateNow(workspaceId: string, repIds: readonly string[]): Promise<CalculationTotals> {
    const totals = { eventsWritten: 0, eventsReversed: 0, statementLocked: false };
    const queue = [...repIds];
    for (let steps = 0; queue.length > 0 && steps < mostDrainSteps; steps += 1) {
      const repId = queue.shift() as string;
      const run = await this.calculate({ workspaceId, repId }, true);
      if (run === null || run.state === 'busy') continue;
      const again = await this.askedAgain(workspaceId, [repId]);
      if (run.state !== 'ran') {
        queue.push(...again.filter((wake) => !queue.includes(wake)));
        continue;
      }
      totals.eventsWritten += run.eventsWritten;
      totals.eventsReversed += run.eventsReversed;
      totals.statementLocked ||= run.blocked.length > 0;
      queue.push(...[...run.wakes, ...again].filter((wake) => !queue.includes(wake)));
      await this.settle(workspaceId, run.jobIds);
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
      this.log.warn(
        { err: error, workspaceId, repIds },
        'released lanes could not be checked; the sweep will find them',
      );
    }
  }

  /** To be looked at after every run: a worker that was woken meanwhile found the lane busy and left. */
  private async askedAgain(workspaceId: string, repIds: readonly string[]): Promise<string[]> {
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
      // An outage says nothing of the lane: its requests stay, and a job or the sweep is soon back for them.
      if (isOutage(error)) throw error;
      await this.recordFailure(lane, error);
      return null;
    }
  }

  /** Nothing of the failed run was kept. Its requests stay, and are tried again later and later, then parked. */
  private async recordFailure(lane: Lane, error: unknown): Promise<void> {
    this.log.error({ err: error, ...lane }, 'a lane could not be calculated');
    const message = error instanceof Error ? error.message.slice(0, 300) : 'unknown error';
    await this.unitOfWork.run(lane, { lock: 'none', access: 'write' }, async (trx) => {
      const failed = await countFailure(trx, lane, message, this.clock.now());
      await recordFailedRun(trx, lane, message, this.clock.now());
      await failpoint('lane.afterFailure');
      if (failed.parked) await this.settleParked(trx, lane);
    });
  }

  private async settleParked(trx: Work, { workspaceId, repId }: Lane): Promise<void> {
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

  /** After the commit, so that of two lanes that finish together the later one sees the job empty. */
  private async settle(workspaceId: string, jobIds: readonly string[]): Promise<void> {
    for (const jobId of jobIds)
      await this.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, (trx) =>
        completeJobIfDone(trx, workspaceId, jobId),
      );
  }
}

const mostRepetitions = 20;
const longestTurnMs = 100;
const shortestTurnMs = 20;
const never = () => Promise.resolve(false);

/** How long the lanes of one job may be worked before others are. */
class TimeSlice {
  private readonly startedAt = performance.now();
  private askedAt = this.startedAt;

  constructor(private readonly isOtherFirst: () => Promise<boolean>) {}

  async isOver(): Promise<boolean> {
    const now = performance.now();
    if (now - this.startedAt > longestTurnMs) return true;
    if (now - this.askedAt < shortestTurnMs) return false;
    this.askedAt = now;
    return this.isOtherFirst();
  }
}

const mostDrainSteps = 1000;
const mostAttempts = 8;

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
  const parked = attempts >= mostAttempts;
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
