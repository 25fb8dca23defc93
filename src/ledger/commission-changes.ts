import { type Clock } from '../kernel/clock.js';
import { Failure } from '../kernel/failure.js';
import {
  type TenantCaller,
  type UnitOfWork,
  type Work,
  type WorkspaceLock,
} from '../platform/database/unit-of-work.js';
import { failpoint } from '../platform/failpoint.js';
import { type Affected, calculatePending, PendingCalculations } from './calculate-pending.js';
import { completeJobIfDone } from './calculation-jobs.js';
import { type LaneRunner, type WakeLanes } from './lane-runner.js';

/** Tells which reps a change concerns, so that their lanes are woken when it has been committed. */
export type Wake = (repIds: readonly string[]) => void;

/**
 * Calculates what was requested for the reps before the change, within its transaction. A change that makes events stay
 * as they are calls this before its first write; it needs the configuration lock.
 */
export type CalculateFirst = (affected: Affected) => Promise<void>;

const maxWaitMs = 20_000;

/**
 * A change that commission may depend on: the change and its calculation requests in one transaction, the wake-up
 * after the commit. What is lost between the two the sweep finds.
 */
export class CommissionChanges {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly wakeLanes: WakeLanes,
    private readonly laneRunner: LaneRunner,
    private readonly clock: Clock,
  ) {}

  /** Where more is pending than can be calculated within the transaction, it is calculated outside and the work runs anew. */
  async run<T>(
    caller: TenantCaller,
    lock: WorkspaceLock,
    work: (trx: Work, wake: Wake, calculateFirst: CalculateFirst) => Promise<T>,
  ): Promise<T> {
    const deadline = performance.now() + maxWaitMs;
    for (;;) {
      try {
        return await this.once(caller, lock, work);
      } catch (error) {
        if (!(error instanceof PendingCalculations)) throw error;
        if (performance.now() > deadline) throw calculationPending(error.repIds.length);
        await this.laneRunner.calculateNow(caller.workspaceId, error.repIds);
      }
    }
  }

  private async once<T>(
    caller: TenantCaller,
    lock: WorkspaceLock,
    work: (trx: Work, wake: Wake, calculateFirst: CalculateFirst) => Promise<T>,
  ): Promise<T> {
    let reps = new Set<string>();
    let jobs = new Set<string>();
    const wake: Wake = (repIds) => {
      for (const repId of repIds) reps.add(repId);
    };
    const result = await this.unitOfWork.run(caller, { lock, access: 'write' }, async (trx) => {
      reps = new Set();
      jobs = new Set();
      const done = await work(trx, wake, async (affected) => {
        const first = await calculatePending(trx, this.clock, caller.workspaceId, affected);
        wake(first.repIds);
        for (const jobId of first.jobIds) jobs.add(jobId);
      });
      await failpoint('change.beforeCommit');
      return done;
    });
    await failpoint('change.afterCommit');
    await this.wakeLanes(caller.workspaceId, [...reps]);
    for (const jobId of jobs)
      await this.unitOfWork.run(caller, { lock: 'none', access: 'write' }, (trx) =>
        completeJobIfDone(trx, caller.workspaceId, jobId),
      );
    await failpoint('change.beforeAnswer');
    return result;
  }
}

function calculationPending(reps: number): Failure {
  return new Failure(
    'calculation_pending',
    `Commission of ${reps} reps is still being calculated, and this change must come after it. Try again in a minute.`,
  );
}
