import { type PullWork, pullJob } from '#src/integrations/crm-pull.js';
import { type CrmSyncRunner } from '#src/integrations/crm-sync-runner.js';
import { type JobHandler } from '#src/platform/jobs/job-queue.js';

/**
 * Runs syncs and polls. Running it twice is harmless: one worker holds the lease, and each step is stored with the
 * position of the next one.
 */
export function crmPullHandler(runner: CrmSyncRunner): JobHandler<PullWork> {
  return { declaration: pullJob, run: ({ workspaceId, pullId }) => runner.run(workspaceId, pullId) };
}
