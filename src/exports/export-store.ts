import { sql, type UpdateObject } from 'kysely';
import { Failure } from '../kernel/failure.js';
import { newId } from '../kernel/ids.js';
import { type Tables } from '../platform/database/tables.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type ExportRequest } from './export-job.js';
import { type FileInfo } from './export-tables.js';
import { exportJobs } from './export-views.js';

interface ExportKey {
  readonly workspaceId: string;
  readonly jobId: string;
}

/** An export that a worker makes while it holds the lease. */
export interface ClaimedExport extends ExportKey, ExportRequest {
  readonly attempts: number;
}

/** Limits of waiting exports: those of one person, those of one key, the statements of single reps, and all of a workspace. */
export const maxWaiting = { ofPerson: 3, ofKey: 10, ofStatements: 15, ofAll: 20 } as const;

/** Inserts a waiting export, or returns an equal one that no worker has started. Rejects it if too many are waiting. */
export async function enqueueExport(
  tx: Transaction,
  request: ExportRequest & { readonly total: number; readonly actor: string },
): Promise<string> {
  // The lock serializes requests of a workspace, so that concurrent requests count each other.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`exports:${tx.workspaceId}`}, 0))`.execute(tx.db);
  const waiting = await tx.db
    .selectFrom('export_jobs')
    .select(['job_id', 'kind', 'rep_id', 'period', 'manager_id', 'as_of', 'actor'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('status', '=', 'waiting')
    .execute();
  const waitingJob = waiting.find(
    (row) =>
      row.kind === request.kind &&
      row.rep_id === request.repId &&
      row.period === request.period &&
      row.manager_id === request.managerId &&
      row.as_of?.getTime() === request.asOf?.getTime(),
  );
  if (waitingJob !== undefined) return waitingJob.job_id;
  assertFewWaiting(waiting, request);
  const jobId = newId();
  await tx.db
    .insertInto('export_jobs')
    .values({
      workspace_id: tx.workspaceId,
      job_id: jobId,
      kind: request.kind,
      rep_id: request.repId,
      manager_id: request.managerId,
      period: request.period,
      as_of: request.asOf,
      total: request.total,
      actor: request.actor,
    })
    .execute();
  tx.changeJob({ kind: exportJobs.name, jobId, hasEnded: false });
  return jobId;
}

/**
 * The limit of the requester applies first, so that no requester uses up the places of the others. Statements of single
 * reps leave places for files of the team.
 */
function assertFewWaiting(
  waiting: readonly { readonly actor: string; readonly rep_id: string | null }[],
  { actor, repId }: { readonly actor: string; readonly repId: string | null },
): void {
  const requester = readRequester(actor);
  const own = waiting.filter((job) => readRequester(job.actor) === requester).length;
  if (own >= (requester.startsWith('rep:') ? maxWaiting.ofPerson : maxWaiting.ofKey))
    throw new Failure('rate_limited', `${own} exports of yours are waiting. Request more when they are finished.`);
  const statements = waiting.filter((job) => job.rep_id !== null).length;
  if (waiting.length >= maxWaiting.ofAll || (repId !== null && statements >= maxWaiting.ofStatements))
    throw new Failure('export_unavailable', 'Too many exports are waiting in this workspace. Try again shortly.');
}

/** The person, also for what their agents request, or the key. */
function readRequester(actor: string): string {
  return actor.replace(/ via .*$/s, '');
}

/** Starts an attempt. Null if the export is finished or waits for its next attempt. */
export async function claimExport(tx: Transaction, jobId: string): Promise<ClaimedExport | null> {
  const row = await tx.db
    .updateTable('export_jobs')
    .set((set) => ({ status: 'running' as const, attempts: set('attempts', '+', 1) }))
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', jobId)
    .where('finished_at', 'is', null)
    .where('not_before', '<=', sql<Date>`now()`)
    .returning(['kind', 'rep_id as repId', 'manager_id as managerId', 'period', 'as_of as asOf', 'attempts'])
    .executeTakeFirst();
  return row === undefined ? null : { workspaceId: tx.workspaceId, jobId, ...row };
}

async function updateExport(
  tx: Transaction,
  { jobId }: ExportKey,
  change: UpdateObject<Tables, 'export_jobs'>,
): Promise<void> {
  await tx.db
    .updateTable('export_jobs')
    .set(change)
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', jobId)
    .execute();
  tx.changeJob({ kind: exportJobs.name, jobId, hasEnded: change.finished_at !== undefined });
}

/** Lets any worker continue after the pause. */
export function postponeExport(tx: Transaction, key: ExportKey, pauseMs: number, attempts: number): Promise<void> {
  return updateExport(tx, key, { not_before: sql<Date>`now() + make_interval(secs => ${pauseMs / 1000})`, attempts });
}

interface NewPart {
  readonly part: number;
  readonly content: Buffer;
  readonly name: string | null;
  readonly repId: string | null;
}

export async function insertPart(tx: Transaction, { jobId }: ExportKey, { repId, ...part }: NewPart): Promise<void> {
  await tx.db
    .insertInto('export_parts')
    .values({ workspace_id: tx.workspaceId, job_id: jobId, rep_id: repId, ...part })
    .execute();
}

export function updateProgress(
  tx: Transaction,
  key: ExportKey,
  progress: { readonly total?: number; readonly done: number },
): Promise<void> {
  return updateExport(tx, key, progress);
}

/** The reps of the stored parts, in the order of the parts. */
export async function listPartOwners(tx: Transaction, { jobId }: ExportKey): Promise<(string | null)[]> {
  const rows = await tx.db
    .selectFrom('export_parts')
    .select('rep_id')
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', jobId)
    .orderBy('part')
    .execute();
  return rows.map((row) => row.rep_id);
}

/** Deletes the parts that a killed worker left. Only archives continue from their stored parts. */
export async function deleteParts(tx: Transaction, { jobId }: ExportKey): Promise<void> {
  await tx.db
    .deleteFrom('export_parts')
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', jobId)
    .execute();
}

export async function completeExport(tx: Transaction, key: ExportKey, file: Omit<FileInfo, 'bytes'>): Promise<void> {
  const { bytes } = await tx.db
    .selectFrom('export_parts')
    .select(sql<number>`coalesce(sum(length(content)), 0)::float8`.as('bytes'))
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', key.jobId)
    .executeTakeFirstOrThrow();
  await updateExport(tx, key, {
    status: 'completed',
    file: JSON.stringify({ ...file, bytes }),
    done: sql<number>`total`,
    finished_at: sql<Date>`now()`,
  });
}

export async function failExport(tx: Transaction, key: ExportKey, code: string | null, message: string): Promise<void> {
  await deleteParts(tx, key);
  await updateExport(tx, key, {
    status: 'failed',
    error_code: code,
    error: message,
    finished_at: sql<Date>`now()`,
  });
}
