import { type Transaction } from '../platform/database/unit-of-work.js';
import { findStoredJobs, statusOf, type WantedJobs } from '../platform/stored-jobs/stored-job-views.js';
import { type HandoverJob, type HandoverSubject, type Recorded } from './handover-job.js';

/** The hand-overs by workers of the last seven days, newest first. */
export function findHandoverJobs(tx: Transaction, wanted: WantedJobs): Promise<HandoverJob[]> {
  return findStoredJobs<HandoverSubject, Recorded>(tx, 'handover', wanted);
}

export const handoverJobs = statusOf<HandoverJob>(
  'handover',
  async (tx, jobId) => (await findHandoverJobs(tx, { jobId }))[0],
);
