import { calculateJob } from '#src/ledger/calculate-job.js';
import { type LaneRunner } from '#src/ledger/lane-runner.js';
import { type JobHandler } from '#src/platform/jobs/job-queue.js';

/**
 * Calculates lanes. Twice is harmless: requests are taken up under the lane's lock, and a second run finds none.
 */
export function calculateHandler(runner: LaneRunner): JobHandler<{ workspaceId: string; repIds: string[] }> {
  return {
    declaration: calculateJob,
    run: ({ workspaceId, repIds }) => runner.run(workspaceId, repIds),
  };
}
