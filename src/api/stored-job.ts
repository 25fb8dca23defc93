import { z } from 'zod';
import { type StoredJob } from '../platform/stored-jobs/stored-job.js';
import { fields } from './resource-fields.js';

/** The fields that all jobs share, so that one client loop can wait for each of them. */
export const storedJobFields = {
  jobId: fields.jobId,
  status: fields.jobStatus,
  period: fields.period,
  startedAt: fields.startedAt,
  finishedAt: fields.finishedAt.optional(),
  progress: fields.progress,
  error: z.string().optional().describe('Why the job failed; absent if it did not'),
};

export function storedJobResponse({
  jobId,
  status,
  period,
  startedAt,
  finishedAt,
  progress,
  error,
}: Omit<StoredJob, 'subject' | 'result'>) {
  return {
    jobId,
    status,
    period,
    startedAt: startedAt.toISOString(),
    ...(finishedAt === null ? {} : { finishedAt: finishedAt.toISOString() }),
    progress,
    ...(error === null ? {} : { error }),
  };
}
