import { type Transaction } from '../../platform/database/unit-of-work.js';
import { withOutcomes } from '../../platform/stored-jobs/job-items.js';
import { findStoredJobs, statusOf, type WantedJobs } from '../../platform/stored-jobs/stored-job-views.js';
import { type ApprovalJob, type ApprovalSubject, maxApproved } from './approval-job.js';

/** The approvals of the last seven days, newest first, with what became of their statements so far. */
export async function findApprovalJobs(tx: Transaction, wanted: WantedJobs): Promise<ApprovalJob[]> {
  return withOutcomes(tx, await findStoredJobs<ApprovalSubject>(tx, 'approval', wanted), maxApproved);
}

export const approvalJobs = statusOf<ApprovalJob>(
  'approval',
  async (tx, jobId) => (await findApprovalJobs(tx, { jobId }))[0],
);
