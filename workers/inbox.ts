import { type InboxRunner } from '#src/platform/inbox/inbox-runner.js';
import { type InboxWork, inboxJob } from '#src/platform/inbox/inbox-wake.js';
import { type JobHandler } from '#src/platform/jobs/job-queue.js';

/** Works off what webhooks brought. Twice is harmless: one holds the lease, and what is settled is not due again. */
export function inboxHandler(runner: InboxRunner): JobHandler<InboxWork> {
  return { declaration: inboxJob, run: ({ workspaceId, source }) => runner.run(workspaceId, source) };
}
