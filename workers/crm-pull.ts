import { type PullWork, pullJob } from '#src/integrations/crm-pull.js';
import { type CrmSyncRunner } from '#src/integrations/crm-sync-runner.js';
import { type JobHandler } from '#src/platform/jobs/job-queue.js';

/** Syncs and polls. Twice is harmless: one holds the lease, and each step is recorded with where the next begins. */
export function crmPullHandler(puller: CrmSyncRunner): JobHandler<PullWork> {
  return { declaration: pullJob, run: ({ workspaceId, pullId }) => puller.run(workspaceId, pullId) };
}
