import { type CrmSyncRunner } from '#src/crm/sync/crm-sync-runner.js';
import { type SyncRunPayload, syncRunJob } from '#src/crm/sync/sync-run.js';
import { type WriteBackPayload, writeBackJob } from '#src/crm/write-back/write-back.js';
import { type WriteBackRunner } from '#src/crm/write-back/write-back-runner.js';
import { calculateJob } from '#src/ledger/lanes/calculate-job.js';
import { type LaneRunner, TimeSlice } from '#src/ledger/lanes/lane-runner.js';
import { type InboxRunner } from '#src/platform/inbox/inbox-runner.js';
import { type InboxWork, inboxJob } from '#src/platform/inbox/inbox-wake.js';
import { type JobDeclaration, type JobHandler, type JobQueue } from '#src/platform/jobs/job-queue.js';
import { checkPeriodsJob } from '#src/statements/discrepancies/check-job.js';
import { type PeriodChecker } from '#src/statements/discrepancies/period-checker.js';
import { type LeasedWorker } from './leased-worker.js';

/**
 * Calculates lanes. Running it twice is harmless: requests are read under the lane lock, and a second run finds
 * none.
 */
export function calculateHandler(
  runner: LaneRunner,
  queue: JobQueue,
): JobHandler<{ workspaceId: string; repIds: string[] }> {
  return {
    declaration: calculateJob,
    run: ({ workspaceId, repIds }, priority) =>
      runner.run(workspaceId, repIds, new TimeSlice(() => queue.isAnyBefore(priority))),
  };
}

/** Checks approved periods. Running it twice is harmless: a second run finds no checks. */
export function checkPeriodsHandler(checker: PeriodChecker): JobHandler<{ workspaceId: string; repId: string }> {
  return { declaration: checkPeriodsJob, run: ({ workspaceId, repId }) => checker.run(workspaceId, repId) };
}

/**
 * Runs syncs and polls. Running it twice is harmless: one worker holds the lease, and each step is stored with the
 * position of the next one.
 */
export function syncRunHandler(runner: CrmSyncRunner): JobHandler<SyncRunPayload> {
  return { declaration: syncRunJob, run: ({ workspaceId, syncRunId }) => runner.run(workspaceId, syncRunId) };
}

/**
 * Writes commission to CRMs. Running it twice is harmless: one worker holds the lease, and a value that is written twice
 * stays the same.
 */
export function writeBackHandler(runner: WriteBackRunner): JobHandler<WriteBackPayload> {
  return { declaration: writeBackJob, run: ({ workspaceId }) => runner.run(workspaceId) };
}

/**
 * Processes inbox messages. Running it twice is harmless: one worker holds the lease, and processed messages are not
 * due again.
 */
export function inboxHandler(runner: InboxRunner): JobHandler<InboxWork> {
  return { declaration: inboxJob, run: ({ workspaceId, source }) => runner.run(workspaceId, source) };
}

/**
 * Wakes a worker of this process. Running it twice is harmless, and so is losing it: the worker looks every second. The
 * job ends at once, so that the work does not occupy a slot of the calculations.
 */
export function wakeHandler(
  declaration: JobDeclaration<{ workspaceId: string }>,
  worker: LeasedWorker,
): JobHandler<{ workspaceId: string }> {
  return { declaration, run: async () => worker.wake() };
}
