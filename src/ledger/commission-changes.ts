import {
  type TenantCaller,
  type UnitOfWork,
  type Work,
  type WorkspaceLock,
} from '../platform/database/unit-of-work.js';
import { failpoint } from '../platform/failpoint.js';
import { type WakeLanes } from './lane-runner.js';

/** Tells which reps a change concerns, so that their lanes are woken when it has been committed. */
export type Wake = (repIds: readonly string[]) => void;

/**
 * A change that commission may depend on: the change and its calculation requests in one transaction, the wake-up
 * after the commit. What is lost between the two the sweep finds.
 */
export class CommissionChanges {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly wakeLanes: WakeLanes,
  ) {}

  async run<T>(caller: TenantCaller, lock: WorkspaceLock, work: (trx: Work, wake: Wake) => Promise<T>): Promise<T> {
    let reps = new Set<string>();
    const result = await this.unitOfWork.run(caller, lock, async (trx) => {
      reps = new Set();
      const done = await work(trx, (repIds) => {
        for (const repId of repIds) reps.add(repId);
      });
      await failpoint('change.beforeCommit');
      return done;
    });
    await failpoint('change.afterCommit');
    await this.wakeLanes(caller.workspaceId, [...reps]);
    await failpoint('change.beforeAnswer');
    return result;
  }
}
