import { type SqlBool, sql } from 'kysely';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type JobKind } from '../platform/job-status/job-statuses.js';
import { downloadTtlMs, type ExportJob } from './export-job.js';

/**
 * The unfinished exports of the workspace and those finished within the last hour, newest first. Only one of them if
 * `jobId` is given.
 */
export async function findExportJobs(tx: Transaction, jobId?: string): Promise<ExportJob[]> {
  let query = tx.db
    .selectFrom('export_jobs')
    .selectAll()
    .where('workspace_id', '=', tx.workspaceId)
    .where(sql<SqlBool>`(finished_at is null or finished_at > now() - interval '1 hour')`)
    .orderBy('started_at', 'desc')
    .limit(100);
  if (jobId !== undefined) query = query.where('job_id', '=', jobId);
  const rows = await query.execute();
  return rows.map((row) => ({
    jobId: row.job_id,
    kind: row.kind,
    repId: row.rep_id,
    managerId: row.manager_id,
    period: row.period,
    asOf: row.as_of,
    status: row.status === 'waiting' ? 'running' : row.status,
    progress: { done: row.done, total: row.total },
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    file: row.file,
    errorCode: row.error_code,
    error: row.error,
  }));
}

export const exportJobs: JobKind<ExportJob> = {
  name: 'export',
  find: async (tx, jobId) => (await findExportJobs(tx, jobId))[0],
  dates: ['startedAt', 'finishedAt', 'asOf'],
  lifetimeMs: downloadTtlMs,
};

export interface ExportPart {
  readonly part: number;
  readonly name: string | null;
  readonly content: Buffer;
}

/** The first part after the given one; null after the last. */
export async function findNextPart(tx: Transaction, jobId: string, after: number): Promise<ExportPart | null> {
  const row = await tx.db
    .selectFrom('export_parts')
    .select(['part', 'name', 'content'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', jobId)
    .where('part', '>', after)
    .orderBy('part')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}
