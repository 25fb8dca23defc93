import { makeExportsJob } from '#src/exports/export-job.js';
import { type JobHandler } from '#src/platform/jobs/job-queue.js';
import { type ExportWorker } from './export-worker.js';

/**
 * Tells the desk of this process that documents wait. Twice is harmless, and none is harmless too: the desk looks by
 * itself every second. The job ends at once, so that printing takes no place of those who calculate.
 */
export function makeDocumentsHandler(desk: ExportWorker): JobHandler<{ workspaceId: string }> {
  return { declaration: makeExportsJob, run: async () => desk.wake() };
}
