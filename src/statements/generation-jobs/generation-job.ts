import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { storedJobFields, storedJobResponse } from '../../api/stored-job.js';
import { type Caller, maySee } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { type JobOutcomes } from '../../platform/stored-jobs/job-items.js';
import { type StoredJob } from '../../platform/stored-jobs/stored-job.js';

/** Statements of one job whose errors are listed. */
export const maxListedErrors = 1000;

export type GenerationJob = StoredJob & JobOutcomes;

export const generationJob = z
  .object({
    ...storedJobFields,
    kind: z.literal('generation').describe('Always generation'),
    generated: z.int().describe('Number of statements that were generated'),
    skipped: z.int().describe('Number of reps without a new statement, since the old one or another one is approved'),
    errors: z.int().describe('Number of reps whose statement failed'),
    errorReps: z
      .array(
        z.object({ repId: fields.repId, error: z.string().describe('What went wrong') }).describe('A failed statement'),
      )
      .describe('The first 1,000 reps whose statement failed'),
  })
  .describe('The generation of many statements in the background');

/** A manager whose team has changed does not see who failed outside of it. */
export function toGenerationResponse(job: GenerationJob, caller: Caller): z.input<typeof generationJob> {
  const { done: generated, skipped, failed: errors, failures } = job;
  const errorReps = failures
    .filter(({ repId }) => maySee(caller, repId))
    .map(({ repId, code }) => ({ repId, error: code }));
  return { ...storedJobResponse(job), kind: 'generation', generated, skipped, errors, errorReps };
}

export function generationJobNotFound(): Failure {
  return new Failure(
    'job_not_found',
    'There is no such generation in this workspace, or it ended more than seven days ago.',
  );
}

export const generationJobExample = {
  jobId: sampleIds.jobId,
  kind: 'generation',
  status: 'completed',
  period: '2026-02',
  startedAt: '2026-03-03T09:00:00.000Z',
  finishedAt: '2026-03-03T09:00:52.000Z',
  progress: { done: 4200, total: 4200 },
  generated: 4180,
  skipped: 20,
  errors: 0,
  errorReps: [],
} as const;
