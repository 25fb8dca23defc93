import { type SqlBool, sql } from 'kysely';
import { type Transaction } from '../database/unit-of-work.js';
import { type StoredJob, type StoredJobKind } from './stored-job.js';

interface WantedJobs {
  readonly jobId?: string;
  readonly period?: string;
  /** What the subject must contain. */
  readonly subject?: object;
  /** Only jobs that this person started. */
  readonly startedBy?: string;
}

/** The latest jobs of the kind, newest first. */
export async function findStoredJobs<Subject>(
  tx: Transaction,
  kind: StoredJobKind,
  { jobId, period, subject, startedBy }: WantedJobs,
): Promise<StoredJob<Subject>[]> {
  let query = tx.db
    .selectFrom('stored_jobs')
    .select(['job_id', 'kind', 'period', 'subject', 'caller', 'status', 'done', 'total', 'started_at', 'finished_at'])
    .select('error')
    .where('workspace_id', '=', tx.workspaceId)
    .where('kind', '=', kind)
    .where(sql<SqlBool>`(finished_at is null or finished_at > now() - interval '7 days')`)
    .orderBy('started_at', 'desc')
    .limit(20);
  if (jobId !== undefined) query = query.where('job_id', '=', jobId);
  if (period !== undefined) query = query.where('period', '=', period);
  if (subject !== undefined) query = query.where(sql<SqlBool>`subject @> ${JSON.stringify(subject)}::jsonb`);
  if (startedBy !== undefined) query = query.where(sql<SqlBool>`caller ->> 'repId' = ${startedBy}`);
  const rows = await query.execute();
  return rows.map(({ job_id, done, total, started_at, finished_at, ...row }) => ({
    ...row,
    jobId: job_id,
    subject: row.subject as Subject,
    progress: { done, total },
    startedAt: started_at,
    finishedAt: finished_at,
  }));
}
