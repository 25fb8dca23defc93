import { sql } from 'kysely';
import { newId } from '../kernel/ids.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type FileResult, type FileSample } from './file-result.js';
import { type ImportOptions, type ImportSubject, type SourceAddress } from './scheduled-import.js';
import { nextRun } from './scheduled-import-store.js';

/** A run of a scheduled import, with the import as it was when the run began. */
export interface ClaimedRun {
  readonly workspaceId: string;
  readonly timeZone: string;
  readonly id: string;
  readonly name: string;
  readonly subject: ImportSubject;
  readonly source: SourceAddress;
  readonly secret: Buffer | null;
  readonly options: ImportOptions;
  readonly schedule: { readonly every: 'hour' | 'day'; readonly at: string };
  readonly revision: string;
  /** The columns that a file must have; null before the first confirmation. */
  readonly confirmedHeader: readonly string[] | null;
  readonly confirmedBy: string | null;
  readonly requests: number;
  readonly attempts: number;
  /** Whether the run before this one failed. */
  readonly hadFailed: boolean;
  /** Whether someone has requested it, beside the schedule. */
  readonly isRequested: boolean;
}

/** The scheduled import was changed or deleted since the run began. The run writes nothing more. */
export class RunOutdated extends Error {
  override readonly name = 'RunOutdated';
}

/** Starts an attempt. Null if the import is not due. */
export async function claimRun(tx: Transaction, id: string): Promise<ClaimedRun | null> {
  const row = await tx.db
    .updateTable('scheduled_imports')
    .set((set) => ({ attempts: set('attempts', '+', 1) }))
    .where('workspace_id', '=', tx.workspaceId)
    .where('scheduled_import_id', '=', id)
    .where('paused', '=', false)
    .where(sql<boolean>`(next_run_at <= now() or requests > handled_requests)`)
    .returning(['name', 'subject', 'source', 'secret', 'options', 'every', 'at_time', 'revision'])
    .returning(['confirmed_header', 'confirmed_by', 'requests', 'attempts', 'error'])
    // Another attempt of a run that was requested no longer shows the request.
    .returning(sql<boolean>`requests > handled_requests or attempts > 1`.as('isRequested'))
    .returning(sql<string>`(select timezone from workspaces w where w.workspace_id = ${tx.workspaceId})`.as('timeZone'))
    .executeTakeFirst();
  if (row === undefined) return null;
  const { every, at_time: at, confirmed_header: confirmedHeader, confirmed_by: confirmedBy, error, ...same } = row;
  const { workspaceId } = tx;
  return { ...same, workspaceId, id, schedule: { every, at }, confirmedHeader, confirmedBy, hadFailed: error !== null };
}

/** Throws unless the import is as it was when the run began; it then stays so until the transaction ends. */
export async function assertCurrent(tx: Transaction, { id, revision }: ClaimedRun): Promise<void> {
  const { rows } = await sql`
    select from scheduled_imports
    where workspace_id = ${tx.workspaceId} and scheduled_import_id = ${id} and revision = ${revision} and not paused
    for update`.execute(tx.db);
  if (rows.length === 0) throw new RunOutdated(`the scheduled import ${id} has changed`);
}

/** The end of a run: the next one is that of the schedule, or one that was requested in the meantime. */
export async function finishRun(tx: Transaction, run: ClaimedRun, error: string | null): Promise<void> {
  await tx.db
    .updateTable('scheduled_imports')
    .set({
      handled_requests: run.requests,
      attempts: 0,
      last_run_at: sql<Date>`now()`,
      error,
      next_run_at: nextRun(tx, run.schedule),
    })
    .where('workspace_id', '=', tx.workspaceId)
    .where('scheduled_import_id', '=', run.id)
    .where('revision', '=', run.revision)
    .execute();
}

/** Another attempt after the pause. */
export async function postponeRun(tx: Transaction, run: ClaimedRun, attempts: number, pauseMs: number): Promise<void> {
  await tx.db
    .updateTable('scheduled_imports')
    .set({
      attempts,
      handled_requests: run.requests,
      next_run_at: sql<Date>`now() + make_interval(secs => ${pauseMs / 1000})`,
    })
    .where('workspace_id', '=', tx.workspaceId)
    .where('scheduled_import_id', '=', run.id)
    .where('revision', '=', run.revision)
    .execute();
}

/** Keeps the key that the server had at the first connection. */
export async function storeHostKey(tx: Transaction, { id, revision }: ClaimedRun, hostKey: string): Promise<void> {
  await sql`
    update scheduled_imports set source = source || jsonb_build_object('hostKey', ${hostKey}::text)
    where workspace_id = ${tx.workspaceId} and scheduled_import_id = ${id} and revision = ${revision}
      and source ->> 'kind' = 'sftp' and source ->> 'hostKey' is null`.execute(tx.db);
}

/** What was last done with a file of a name. */
export interface KnownFile {
  readonly name: string;
  readonly version: string | null;
  readonly hash: string;
  readonly status: 'waiting' | 'imported' | 'failed';
  readonly result: FileResult | null;
  readonly error: string | null;
  readonly importId: string | null;
}

export async function readKnownFiles(tx: Transaction, id: string, names: readonly string[]): Promise<KnownFile[]> {
  const { rows } = await sql<KnownFile>`
    select distinct on (name) name, version, hash, status, result, error, import_id as "importId"
    from scheduled_import_files
    where workspace_id = ${tx.workspaceId} and scheduled_import_id = ${id} and name = any(${names}::text[])
    order by name, at desc`.execute(tx.db);
  return rows;
}

interface FoundFile {
  readonly name: string;
  readonly version: string | null;
  readonly hash: string;
  readonly bytes: number;
  readonly sample: FileSample;
}

export type Handled =
  | { readonly status: 'imported'; readonly result: FileResult; readonly importId: string }
  | { readonly status: 'waiting'; readonly result: FileResult; readonly error: string | null }
  | { readonly status: 'failed'; readonly error: string };

/** Whether the row has the content of its name that was imported last. Content that returns later is imported again. */
const isLastImported = sql<boolean>`
  (scheduled_import_files.status = 'imported' and not exists (
    select from scheduled_import_files later
    where later.workspace_id = scheduled_import_files.workspace_id
      and later.scheduled_import_id = scheduled_import_files.scheduled_import_id
      and later.name = scheduled_import_files.name and later.status = 'imported'
      and later.at > scheduled_import_files.at))`;

/**
 * Stores what was done with the file; false if its content was imported already. The import that the run has read is
 * replaced by another one of the same content.
 */
export async function recordFile(
  tx: Transaction,
  { id }: ClaimedRun,
  { name, version, hash, bytes, sample }: FoundFile,
  handled: Handled,
  last: KnownFile | undefined,
): Promise<boolean> {
  const {
    result = null,
    error = null,
    importId = null,
  } = handled as Partial<Extract<Handled, { status: 'imported' }> & { error: string | null }>;
  const values = {
    version,
    bytes,
    sample: JSON.stringify(sample),
    status: handled.status,
    result: result === null ? null : JSON.stringify(result),
    error,
    import_id: importId,
    at: sql<Date>`now()`,
  };
  const isReplaced = sql<boolean>`(${importId !== null} and scheduled_import_files.import_id = ${last?.importId ?? null})`;
  const { numInsertedOrUpdatedRows } = await tx.db
    .insertInto('scheduled_import_files')
    .values({ workspace_id: tx.workspaceId, scheduled_import_id: id, file_id: newId(), name, hash, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'scheduled_import_id', 'name', 'hash'])
        .doUpdateSet(values)
        .where((where) => where.or([where.not(isLastImported), isReplaced])),
    )
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** A file whose content was handled before, under another version. */
export async function recordVersion(
  tx: Transaction,
  { id }: ClaimedRun,
  { name, version, hash }: Pick<FoundFile, 'name' | 'version' | 'hash'>,
): Promise<void> {
  await tx.db
    .updateTable('scheduled_import_files')
    .set({ version })
    .where('workspace_id', '=', tx.workspaceId)
    .where('scheduled_import_id', '=', id)
    .where('name', '=', name)
    .where('hash', '=', hash)
    .execute();
}

/** A file that waits is the only one: others were replaced by it, or are not in the source any more. */
export async function deleteWaiting(tx: Transaction, { id }: ClaimedRun, except: string | null): Promise<void> {
  await sql`
    delete from scheduled_import_files
    where workspace_id = ${tx.workspaceId} and scheduled_import_id = ${id} and status = 'waiting'
      and hash is distinct from ${except}`.execute(tx.db);
}
