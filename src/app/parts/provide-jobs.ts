import { deriveFromPeople } from '../../deals/derive-from-people.js';
import { exportJobs } from '../../exports/export-views.js';
import { handoverJobs } from '../../exports/handover-job-views.js';
import { preparationJobs } from '../../finance/preparation-job.js';
import { wakeLanesThrough } from '../../ledger/lanes/calculate-job.js';
import { LaneRunner } from '../../ledger/lanes/lane-runner.js';
import { LocalLaneDispatcher } from '../../ledger/lanes/local-lane-dispatcher.js';
import { calculationJobs } from '../../ledger/requests/calculation-jobs.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { previewJobs } from '../../plans/plan-preview-views.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK, CONFIG, LOG, QUEUE_BACKEND } from '../../platform/injection-tokens.js';
import { JobStatusStore } from '../../platform/job-status/job-status-store.js';
import { JobStatuses } from '../../platform/job-status/job-statuses.js';
import { chooseQueueBackend, JobQueue } from '../../platform/jobs/job-queue.js';
import { queuePrefix } from '../../platform/jobs/queue-name.js';
import { type PartContainer } from '../../platform/part-container.js';
import { redisServers } from '../../platform/redis/redis-connection.js';
import { approvalJobs } from '../../statements/approval-jobs/approval-job-views.js';
import { wakeChecksThrough } from '../../statements/discrepancies/check-job.js';
import { generationJobs } from '../../statements/generation-jobs/generation-job-views.js';

/** The queue, and the calculation that it wakes. */
export function provideJobs(parts: PartContainer, appUrl: string, shard: string): void {
  parts
    .provide(QUEUE_BACKEND, () => chooseQueueBackend(parts.resolve(CONFIG), appUrl, shard))
    .provideClass(JobQueue, [QUEUE_BACKEND, LOG], (queue) => queue.close())
    .provide(
      JobStatuses,
      () => createJobStatuses(parts, shard),
      (statuses) => statuses.close(),
    )
    .provide(
      LocalLaneDispatcher,
      () => new LocalLaneDispatcher(wakeLanesThrough(parts.resolve(JobQueue)), parts.resolve(LOG)),
    )
    .provide(LaneRunner, createLaneRunner)
    .provide(CommissionChanges, createCommissionChanges);
}

function createJobStatuses(parts: PartContainer, shard: string): JobStatuses {
  const redis = redisServers(parts.resolve(CONFIG));
  const log = parts.resolve(LOG);
  const store = redis === null ? null : JobStatusStore.open(redis, log, queuePrefix(shard));
  const kinds = [calculationJobs, generationJobs, approvalJobs, exportJobs, handoverJobs, preparationJobs, previewJobs];
  return new JobStatuses(parts.resolve(UnitOfWork), kinds, store, log);
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
