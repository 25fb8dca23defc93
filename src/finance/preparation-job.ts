import { z } from 'zod';
import { storedJobFields, storedJobResponse } from '../api/stored-job.js';
import { type Caller } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { toStoredCaller } from '../kernel/stored-caller.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type StoredJob } from '../platform/stored-jobs/stored-job.js';
import { insertStoredJob, lockStoredJobs } from '../platform/stored-jobs/stored-job-store.js';
import { findStoredJobs, statusOf } from '../platform/stored-jobs/stored-job-views.js';
import { listRepIds } from './load-books.js';
import { type Month } from './month.js';

/** What a preparation has found. */
export interface PreparationResult {
  readonly hash: string;
}

export type PreparationJob = StoredJob<unknown, PreparationResult>;

/** The same shape as the other jobs, so that one client loop can wait for all of them. */
export const preparationJob = z
  .object({
    ...storedJobFields,
    kind: z.literal('preparation').describe('Always preparation'),
    hash: z
      .string()
      .optional()
      .describe('The hash with which another person closes the month; absent until it is known'),
  })
  .describe('The preparation of a large month in the background. `period` is the month, `progress` counts people');

export function toPreparationResponse(job: PreparationJob): z.input<typeof preparationJob> {
  const { result } = job;
  return { ...storedJobResponse(job), kind: 'preparation', ...(result === null ? {} : { hash: result.hash }) };
}

export const preparationJobs = statusOf<PreparationJob>(
  'preparation',
  async (tx, jobId) => (await findStoredJobs<unknown, PreparationResult>(tx, 'preparation', { jobId }))[0],
);

/** The job that prepares the month now; null for none. */
export async function findRunning(tx: Transaction, month: Month): Promise<PreparationJob | null> {
  const jobs = await findStoredJobs<unknown, PreparationResult>(tx, 'preparation', { period: month });
  return jobs.find(({ status }) => status === 'running') ?? null;
}

/** Stores the request of the caller, unless a job prepares the month already. */
export async function startPreparation(tx: Transaction, caller: Caller, month: Month): Promise<PreparationJob> {
  await lockStoredJobs(tx, 'preparation');
  const running = await findRunning(tx, month);
  if (running !== null) return running;
  const total = (await listRepIds(tx, null)).length;
  const requested = { period: month, subject: {}, total, caller: toStoredCaller(caller) };
  const jobId = await insertStoredJob(tx, { kind: 'preparation', ...requested });
  return (await preparationJobs.find(tx, jobId)) as PreparationJob;
}

export function preparationJobNotFound(): Failure {
  return new Failure(
    'job_not_found',
    'There is no such preparation of the month, or it ended more than seven days ago.',
  );
}

export const preparationJobExample = {
  jobId: sampleIds.jobId,
  kind: 'preparation',
  status: 'completed',
  period: '2026-02',
  startedAt: '2026-03-04T09:00:00.000Z',
  finishedAt: '2026-03-04T09:00:19.000Z',
  progress: { done: 1000, total: 1000 },
  hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
} as const;
