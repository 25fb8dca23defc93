import { deriveFromPeople } from '../../deals/derive-from-people.js';
import { wakeLanesThrough } from '../../ledger/lanes/calculate-job.js';
import { LaneRunner } from '../../ledger/lanes/lane-runner.js';
import { LocalLaneDispatcher } from '../../ledger/lanes/local-lane-dispatcher.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK, CONFIG, LOG, QUEUE_BACKEND } from '../../platform/injection-tokens.js';
import { chooseQueueBackend, JobQueue } from '../../platform/jobs/job-queue.js';
import { type PartContainer } from '../../platform/part-container.js';
import { wakeChecksThrough } from '../../statements/discrepancies/check-job.js';

/** The queue, and the calculation that it wakes. */
export function provideJobs(parts: PartContainer, appUrl: string, shard: string): void {
  parts
    .provide(QUEUE_BACKEND, () => chooseQueueBackend(parts.resolve(CONFIG), appUrl, shard))
    .provideClass(JobQueue, [QUEUE_BACKEND, LOG], (queue) => queue.close())
    .provide(
      LocalLaneDispatcher,
      () => new LocalLaneDispatcher(wakeLanesThrough(parts.resolve(JobQueue)), parts.resolve(LOG)),
    )
    .provide(LaneRunner, createLaneRunner)
    .provide(CommissionChanges, createCommissionChanges);
}

function createLaneRunner(parts: PartContainer): LaneRunner {
  return new LaneRunner(
    parts.resolve(UnitOfWork),
    parts.resolve(CLOCK),
    parts.resolve(LocalLaneDispatcher).wake,
    parts.resolve(LOG),
    wakeChecksThrough(parts.resolve(JobQueue)),
  );
}

function createCommissionChanges(parts: PartContainer): CommissionChanges {
  return new CommissionChanges(
    parts.resolve(UnitOfWork),
    parts.resolve(LocalLaneDispatcher).wake,
    parts.resolve(LaneRunner),
    parts.resolve(CLOCK),
    deriveFromPeople,
  );
}
