import { calculateJob } from '#src/ledger/calculate-job.js';
import { type LaneRunner } from '#src/ledger/lane-runner.js';
import { type JobHandler, type JobQueue } from '#src/platform/jobs/job-queue.js';

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
    run: ({ workspaceId, repIds }, priority) => runner.run(workspaceId, repIds, () => queue.isAnyBefore(priority)),
  };
}
