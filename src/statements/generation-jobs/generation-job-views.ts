import { type Transaction } from '../../platform/database/unit-of-work.js';
import { withOutcomes } from '../../platform/stored-jobs/job-items.js';
import { findStoredJobs, statusOf, type WantedJobs } from '../../platform/stored-jobs/stored-job-views.js';
import { type GenerationJob, maxListedErrors } from './generation-job.js';

/** The generations of the last seven days, newest first, with what became of their statements so far. */
export async function findGenerationJobs(tx: Transaction, wanted: WantedJobs): Promise<GenerationJob[]> {
  return withOutcomes(tx, await findStoredJobs(tx, 'generation', wanted), maxListedErrors);
}

export const generationJobs = statusOf<GenerationJob>(
  'generation',
  async (tx, jobId) => (await findGenerationJobs(tx, { jobId }))[0],
);
