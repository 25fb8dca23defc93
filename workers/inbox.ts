import { type InboxRunner } from '#src/platform/inbox/inbox-runner.js';
import { type InboxWork, inboxJob } from '#src/platform/inbox/inbox-wake.js';
import { type JobHandler } from '#src/platform/jobs/job-queue.js';

/**
 * Processes inbox messages. Running it twice is harmless: one worker holds the lease, and processed messages are not
 * due again.
 */
export function inboxHandler(runner: InboxRunner): JobHandler<InboxWork> {
  return { declaration: inboxJob, run: ({ workspaceId, source }) => runner.run(workspaceId, source) };
}
