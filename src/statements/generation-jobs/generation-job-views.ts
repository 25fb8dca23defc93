import { sql } from 'kysely';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type JobKind } from '../../platform/job-status/job-statuses.js';
import { findStoredJobs } from '../../platform/stored-jobs/stored-job-views.js';
import { type GenerationJob, maxListedErrors } from './generation-job.js';

/** The generations of the last seven days, newest first, with what became of their statements so far. */
export async function findGenerationJobs(
  tx: Transaction,
  wanted: { readonly jobId?: string; readonly period?: string; readonly startedBy?: string },
): Promise<GenerationJob[]> {
  const jobs = await findStoredJobs(tx, 'generation', wanted);
  const jobIds = jobs.map(({ jobId }) => jobId);
  const { rows } = await sql<Omit<GenerationJob, keyof (typeof jobs)[number]> & { jobId: string }>`
    select r.job_id as "jobId",
      count(*) filter (where r.outcome = 'generated')::int as generated,
      count(*) filter (where r.outcome = 'skipped')::int as skipped,
      count(*) filter (where r.outcome = 'failed')::int as errors,
      coalesce(jsonb_path_query_array(
        jsonb_agg(jsonb_build_object('repId', r.rep_id, 'error', r.code) order by r.place)
          filter (where r.outcome = 'failed'),
        ${`$[0 to ${maxListedErrors - 1}]`}::jsonpath), '[]') as "errorReps"
    from generation_job_reps r
    where r.workspace_id = ${tx.workspaceId} and r.job_id = any(${jobIds}::uuid[])
    group by r.job_id`.execute(tx.db);
  const outcomes = new Map(rows.map(({ jobId, ...counts }) => [jobId, counts]));
  const none = { generated: 0, skipped: 0, errors: 0, errorReps: [] };
  return jobs.map((job) => ({ ...job, ...(outcomes.get(job.jobId) ?? none) }));
}

export const generationJobs: JobKind<GenerationJob> = {
  name: 'generation',
  find: async (tx, jobId) => (await findGenerationJobs(tx, { jobId }))[0],
  dates: ['startedAt', 'finishedAt'],
  lifetimeMs: 7 * 86_400_000,
};
