import { type DocumentMaker } from '#src/exports/documents/document-maker.js';
import { type Database } from '#src/platform/database/pool.js';
import { type UnitOfWork } from '#src/platform/database/unit-of-work.js';
import { Leases } from '#src/platform/jobs/leases.js';
import { createLog } from '#src/platform/log.js';
import { ExportJobs } from '#workers/export-jobs.js';
import { LeasedJobRunner } from '#workers/leased-job-runner.js';
import { LeasedWorker } from '#workers/leased-worker.js';
import { exportWork } from '#workers/work-kinds.js';

/** The worker of exports as a process starts it, with this maker of files. */
export function exportWorker(
  database: Database,
  unitOfWork: UnitOfWork,
  maker: Pick<DocumentMaker, 'make'>,
): LeasedWorker {
  const log = createLog('silent');
  const runner = new LeasedJobRunner(unitOfWork, new Leases(unitOfWork), new ExportJobs(maker), log);
  return new LeasedWorker(database, exportWork, runner, log);
}
