import { makeExportsJob } from '#src/exports/export-job.js';
import { type JobHandler } from '#src/platform/jobs/job-queue.js';
import { type ExportWorker } from './export-worker.js';

/**
 * Wakes the export worker of this process. Running it twice is harmless, and so is losing it: the export worker
 * looks every second. The job ends at once, so that an export does not occupy a slot of the calculations.
 */
export function makeDocumentsHandler(exportWorker: ExportWorker): JobHandler<{ workspaceId: string }> {
  return { declaration: makeExportsJob, run: async () => exportWorker.wake() };
}
