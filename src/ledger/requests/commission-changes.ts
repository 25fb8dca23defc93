import { type Clock } from '../../kernel/clock.js';
import { Failure } from '../../kernel/failure.js';
import { timeLimit } from '../../kernel/time-limit.js';
import {
  type TenantCaller,
  type Transaction,
  type UnitOfWork,
  type WorkspaceLock,
} from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { type Affected, calculatePending, PendingCalculations } from '../lanes/calculate-pending.js';
import { type LaneRunner, type WakeLanes } from '../lanes/lane-runner.js';
import { completeJobIfDone } from './calculation-jobs.js';
import { type DeriveFromPeople, derivesNothing, type Recalculate, recalculateIn } from './recalculate.js';

/**
 * Calculates the pending requests of the reps in the transaction of the change. A change that freezes the current
 * events calls this before its first write; it needs the configuration lock.
 */
type CalculateFirst = (affected: Affected) => Promise<void>;

const maxWaitMs = timeLimit(20_000);

/**
 * Runs changes that commission depends on: the change and its calculation requests in one transaction, the wake-up after
 * the commit. If the process dies in between, the sweep finds the requests.
 */
export class CommissionChanges {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly wakeLanes: WakeLanes,
    private readonly laneRunner: LaneRunner,
    private readonly clock: Clock,
    private readonly derive: DeriveFromPeople = derivesNothing,
  ) {}

  /** If too many lanes are pending for `calculateFirst`, they are calculated outside of the transaction and `work` runs again. */
  async run<T>(
    caller: TenantCaller,
    lock: WorkspaceLock,
    work: (tx: Transaction, recalculate: Recalculate, calculateFirst: CalculateFirst) => Promise<T>,
  ): Promise<T> {
    const deadline = performance.now() + maxWaitMs;
    for (;;) {
      try {
        return await this.once(caller, lock, work, (repIds) => this.wakeLanes(caller.workspaceId, repIds));
      } catch (error) {
        if (!(error instanceof PendingCalculations)) throw error;
        if (performance.now() > deadline) throw calculationPending(error.repIds.length);
        await this.laneRunner.calculateNow(caller.workspaceId, error.repIds);
      }
    }
  }

  /** Calculates the requested lanes before it returns. A lane that cannot be calculated now is left to the workers. */
  async runAndCalculate<T>(
    caller: TenantCaller,
    lock: WorkspaceLock,
    work: (tx: Transaction, recalculate: Recalculate) => Promise<T>,
  ): Promise<T> {
    return this.once(caller, lock, work, (repIds) => this.laneRunner.calculateNow(caller.workspaceId, repIds));
  }

  private async once<T>(
    caller: TenantCaller,
    lock: WorkspaceLock,
    work: (tx: Transaction, recalculate: Recalculate, calculateFirst: CalculateFirst) => Promise<T>,
    afterCommit: (repIds: readonly string[]) => Promise<unknown>,
  ): Promise<T> {
    let reps = new Set<string>();
    let jobs = new Set<string>();
    const result = await this.unitOfWork.run(caller, { lock, access: 'write' }, async (tx) => {
      reps = new Set();
      jobs = new Set();
      const done = await work(tx, recalculateIn(tx, reps, this.derive), async (affected) => {
        const first = await calculatePending(tx, this.clock, affected);
        for (const repId of first.repIds) reps.add(repId);
        for (const jobId of first.jobIds) jobs.add(jobId);
      });
      await failpoint('change.beforeCommit');
      return done;
    });
    await failpoint('change.afterCommit');
    await afterCommit([...reps]);
    const { workspaceId } = caller;
    for (const jobId of jobs) await this.unitOfWork.write({ workspaceId }, (tx) => completeJobIfDone(tx, jobId));
    await failpoint('change.beforeResponse');
    return result;
  }
}

function calculationPending(reps: number): Failure {
  return new Failure(
    'calculation_pending',
    `Commission of ${reps} reps is still being calculated, and this change must come after it. Try again in a minute.`,
  );
}
