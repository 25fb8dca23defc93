import { type SqlBool, sql } from 'kysely';
import { type Transaction } from '../database/unit-of-work.js';
import { type JobKind } from '../job-status/job-statuses.js';
import { lifetimesMs, type StoredJob, type StoredJobKind } from './stored-job.js';

export interface WantedJobs {
  readonly jobId?: string | undefined;
  readonly period?: string | undefined;
  /** What the subject must contain. */
  readonly subject?: object;
  /** Only jobs that this person started. */
  readonly startedBy?: string | undefined;
}

/** The latest jobs of the kind, newest first. */
export async function findStoredJobs<Subject, Result = unknown>(
  tx: Transaction,
  kind: StoredJobKind,
  { jobId, period, subject, startedBy }: WantedJobs,
  limit = 20,
): Promise<StoredJob<Subject, Result>[]> {
  let query = tx.db
    .selectFrom('stored_jobs')
    .select(['job_id', 'kind', 'period', 'subject', 'caller', 'status', 'done', 'total', 'started_at', 'finished_at'])
    .select(['result', 'error', 'error_code'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('kind', '=', kind)
    .where(sql<SqlBool>`(finished_at is null or finished_at > now() - lifetime)`)
    .orderBy('started_at', 'desc')
    .limit(limit);
  if (jobId !== undefined) query = query.where('job_id', '=', jobId);
  if (period !== undefined) query = query.where('period', '=', period);
  if (subject !== undefined) query = query.where(sql<SqlBool>`subject @> ${JSON.stringify(subject)}::jsonb`);
  if (startedBy !== undefined) query = query.where(sql<SqlBool>`caller ->> 'repId' = ${startedBy}`);
  const rows = await query.execute();
  return rows.map(({ job_id, done, total, started_at, finished_at, error_code, ...row }) => ({
    ...row,
    jobId: job_id,
    subject: row.subject as Subject,
    result: row.result as Result | null,
    status: row.status === 'waiting' ? 'running' : row.status,
    progress: { done, total },
    startedAt: started_at,
    finishedAt: finished_at,
    errorCode: error_code,
  }));
}

export async function countUnfinished(tx: Transaction, kind: StoredJobKind): Promise<number> {
  const { unfinished } = await tx.db
    .selectFrom('stored_jobs')
    .select(({ fn }) => fn.countAll<string>().as('unfinished'))
    .where('workspace_id', '=', tx.workspaceId)
    .where('kind', '=', kind)
    .where('finished_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(unfinished);
}

/** How requests find the status of a job of the kind, which is read with `find`. */
export function statusOf<Job extends Pick<StoredJob, 'status' | 'finishedAt'>>(
  name: StoredJobKind,
  find: JobKind<Job>['find'],
  dates: readonly string[] = [],
): JobKind<Job> {
  return { name, find, dates: ['startedAt', 'finishedAt', ...dates], lifetimeMs: lifetimesMs[name] };
}
