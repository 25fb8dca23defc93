import { sql } from 'kysely';
import { z } from 'zod';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { fileResult, fileSample } from './file-result.js';
import { type ScheduledImport, type SourceAddress, scheduledImportNotFound } from './scheduled-import.js';

/** The scheduled imports of the workspace, in the order of their names. */
export async function listScheduledImportsOf(tx: Transaction): Promise<ScheduledImport[]> {
  const rows = await tx.db
    .selectFrom('scheduled_imports as s')
    .select(['scheduled_import_id', 'name', 'subject', 'source', 'options', 'every', 'at_time', 'paused'])
    .select(['confirmed_at', 'next_run_at', 'last_run_at', 'error', 'created_at'])
    .select([
      sql<boolean>`secret is not null`.as('hasCredentials'),
      sql<boolean>`not paused and (next_run_at <= now() or requests > handled_requests)`.as('isRunning'),
      sql<string | null>`(
        select file_id from scheduled_import_files f
        where f.workspace_id = s.workspace_id and f.scheduled_import_id = s.scheduled_import_id and f.status = 'waiting'
        order by f.at limit 1)`.as('waitingFileId'),
    ])
    .where('workspace_id', '=', tx.workspaceId)
    .orderBy('name')
    .orderBy('scheduled_import_id')
    .execute();
  return rows.map((row) => ({
    id: row.scheduled_import_id,
    name: row.name,
    subject: row.subject,
    source: row.source,
    hasCredentials: row.hasCredentials,
    options: row.options,
    schedule: { every: row.every, at: row.at_time.slice(0, 5) },
    paused: row.paused,
    confirmedAt: row.confirmed_at?.toISOString() ?? null,
    waitingFileId: row.waitingFileId,
    nextRunAt: row.paused ? null : row.next_run_at.toISOString(),
    isRunning: row.isRunning,
    lastRunAt: row.last_run_at?.toISOString() ?? null,
    error: row.error,
    createdAt: row.created_at.toISOString(),
  }));
}

export async function findScheduledImport(tx: Transaction, id: string): Promise<ScheduledImport> {
  const found = (await listScheduledImportsOf(tx)).find((listed) => listed.id === id);
  if (found === undefined) throw scheduledImportNotFound();
  return found;
}

/** Address and encrypted credentials of the source. */
export async function readAccess(
  tx: Transaction,
  id: string,
): Promise<{ readonly source: SourceAddress; readonly secret: Buffer | null }> {
  const row = await tx.db
    .selectFrom('scheduled_imports')
    .select(['source', 'secret'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('scheduled_import_id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw scheduledImportNotFound();
  return row;
}

export const scheduledImportFile = z
  .object({
    fileId: z.string().describe('Id of the file (UUID)'),
    name: z.string().describe('Name of the file'),
    bytes: z.int().describe('Size of the file in bytes'),
    status: z
      .enum(['waiting', 'imported', 'failed'])
      .describe('waiting: its dry run waits for the confirmation of an admin; failed: no row could be read'),
    at: z.string().describe('When it was read, instant in ISO 8601'),
    error: z.string().nullable().describe('Why it failed, or why it waits although other files were imported'),
    importId: z.string().nullable().describe('The import in the history (UUID); null if it was not imported'),
    result: fileResult.nullable().describe('What the import did, or would do; null if the file failed'),
    sample: fileSample,
  })
  .describe('A file of the source');
export type ScheduledImportFile = z.input<typeof scheduledImportFile>;

/** The files, the latest first, without those whose content was there before. */
export async function listFilesOf(
  tx: Transaction,
  id: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ files: ScheduledImportFile[]; count: number }> {
  const ofImport = tx.db
    .selectFrom('scheduled_import_files')
    .where('workspace_id', '=', tx.workspaceId)
    .where('scheduled_import_id', '=', id);
  const { count } = await ofImport.select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow();
  const rows = await ofImport
    .select(['file_id', 'name', 'bytes', 'status', 'at', 'error', 'import_id', 'result', 'sample'])
    .orderBy('at', 'desc')
    .orderBy('file_id')
    .limit(limit)
    .offset(offset)
    .execute();
  return {
    count,
    files: rows.map(({ file_id: fileId, import_id: importId, at, ...row }) => ({
      ...row,
      fileId,
      importId,
      at: at.toISOString(),
    })),
  };
}
