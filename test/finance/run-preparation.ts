import { MonthReports } from '#src/finance/month-reports.js';
import { Leases } from '#src/platform/jobs/leases.js';
import { createLog } from '#src/platform/log.js';
import { type OfflineWorkspace } from '#test/support/offline-workspace.js';
import { LeasedJobRunner } from '#workers/leased-job-runner.js';
import { PreparationJobs } from '#workers/preparation-jobs.js';

/** Does what a worker does with the job that prepares a month. */
export async function runPreparation(
  { db: { unitOfWork, clock }, workspaceId }: OfflineWorkspace,
  jobId: string,
  reports: MonthReports = new MonthReports(unitOfWork, clock),
): Promise<void> {
  const jobs = new PreparationJobs(unitOfWork, reports, clock);
  const runner = new LeasedJobRunner(unitOfWork, new Leases(unitOfWork), jobs, createLog('silent'));
  await runner.run(workspaceId, jobId, new AbortController().signal);
}
