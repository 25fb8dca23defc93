import { type SqlBool, sql } from 'kysely';
import { type Transaction } from '../database/unit-of-work.js';
import { type StoredJob, type StoredJobKind } from './stored-job.js';

/** The jobs of the kind for one period whose subject contains what is given, or the one with the id, the latest first. */
export async function findStoredJobs<Subject>(
  tx: Transaction,
  kind: StoredJobKind,
  wanted: { readonly jobId: string } | { readonly period: string; readonly subject?: object },
): Promise<StoredJob<Subject>[]> {
  const subject = 'subject' in wanted ? JSON.stringify(wanted.subject) : '{}';
  const [column, value] =
    'jobId' in wanted ? (['job_id', wanted.jobId] as const) : (['period', wanted.period] as const);
  const rows = await tx.db
    .selectFrom('stored_jobs')
    .select(['job_id', 'kind', 'period', 'subject', 'caller', 'status', 'done', 'total', 'started_at', 'finished_at'])
    .select('error')
    .where('workspace_id', '=', tx.workspaceId)
    .where('kind', '=', kind)
    .where(column, '=', value)
    .where(sql<SqlBool>`subject @> ${subject}::jsonb`)
    .orderBy('started_at', 'desc')
    .limit(20)
    .execute();
  return rows.map(({ job_id, done, total, started_at, finished_at, ...row }) => ({
    ...row,
    jobId: job_id,
    subject: row.subject as Subject,
    progress: { done, total },
    startedAt: started_at,
    finishedAt: finished_at,
  }));
}
