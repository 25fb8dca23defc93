import { type Transaction } from '../platform/database/unit-of-work.js';
import { findStoredJobs, statusOf } from '../platform/stored-jobs/stored-job-views.js';
import { type ExportJob, type ExportSubject } from './export-job.js';
import { type FileInfo } from './export-tables.js';

/** The unfinished exports of the workspace and those finished within the last hour, newest first. */
export function findExportJobs(tx: Transaction, jobId?: string): Promise<ExportJob[]> {
  return findStoredJobs<ExportSubject, FileInfo>(tx, 'export', { jobId }, 100);
}

export const exportJobs = statusOf<ExportJob>('export', async (tx, jobId) => (await findExportJobs(tx, jobId))[0]);

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
