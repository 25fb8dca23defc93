import { sql } from 'kysely';
import { newId } from '../kernel/ids.js';
import { type FileInfo } from '../platform/database/tables.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type ExportRequest } from './export-job.js';

/** A document that somebody makes: theirs until the lease runs out. */
export interface ExportLease {
  readonly workspaceId: string;
  readonly jobId: string;
  readonly leaseId: string;
}

export interface LeasedExport extends ExportLease, ExportRequest {
  readonly attempts: number;
}

/** What may wait for its turn in one workspace. */
export const maxWaiting = 20;
const leaseEnd = sql<Date>`now() + interval '10 seconds'`;
export const leaseRenewalMs = 3000;

/** Joins the same order where nobody has begun with it; null when too many wait already. */
export async function enqueueExport(
  trx: Work,
  workspaceId: string,
  order: ExportRequest & { readonly total: number; readonly actor: string },
): Promise<string | null> {
  // One order after the other, so that those that come at once count each other.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`documents:${workspaceId}`}, 0))`.execute(trx);
  const waiting = await trx
    .selectFrom('documents')
    .select(['document_id', 'kind', 'rep_id', 'period', 'manager_id'])
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'waiting')
    .execute();
  const same = waiting.find(
    (one) =>
      one.kind === order.kind &&
      one.rep_id === order.repId &&
      one.period === order.period &&
      one.manager_id === order.managerId,
  );
  if (same !== undefined) return same.document_id;
  if (waiting.length >= maxWaiting) return null;
  const documentId = newId();
  await trx
    .insertInto('documents')
    .values({
      workspace_id: workspaceId,
      document_id: documentId,
      kind: order.kind,
      rep_id: order.repId,
      manager_id: order.managerId,
      period: order.period,
      total: order.total,
      actor: order.actor,
    })
    .execute();
  return documentId;
}

/** The document, for whoever comes first; null when it is finished or somebody else's for now. */
export async function leaseExport(trx: Work, workspaceId: string, documentId: string): Promise<LeasedExport | null> {
  const leaseId = newId();
  const row = await trx
    .updateTable('documents')
    .set((set) => ({
      status: 'running' as const,
      lease_id: leaseId,
      leased_until: leaseEnd,
      attempts: set('attempts', '+', 1),
    }))
    .where('workspace_id', '=', workspaceId)
    .where('document_id', '=', documentId)
    .where('finished_at', 'is', null)
    .where((where) => where.or([where('leased_until', 'is', null), where('leased_until', '<', sql<Date>`now()`)]))
    .returning(['kind', 'rep_id as repId', 'manager_id as managerId', 'period', 'attempts'])
    .executeTakeFirst();
  return row === undefined ? null : { workspaceId, jobId: documentId, leaseId, ...row };
}

interface LeaseChange {
  readonly status?: 'completed' | 'failed';
  readonly leased_until?: Date | ReturnType<typeof sql<Date>>;
  readonly attempts?: number;
  readonly total?: number;
  readonly done?: number | ReturnType<typeof sql<number>>;
  readonly file?: string;
  readonly error_code?: string | null;
  readonly error?: string;
  readonly finished_at?: ReturnType<typeof sql<Date>>;
}

/** False when the lease has gone to somebody else in the meantime: then nothing is changed. */
async function updateLeased(trx: Work, lease: ExportLease, what: LeaseChange): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('documents')
    .set(what)
    .where('workspace_id', '=', lease.workspaceId)
    .where('document_id', '=', lease.jobId)
    .where('lease_id', '=', lease.leaseId)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export function renewLease(trx: Work, lease: ExportLease): Promise<boolean> {
  return updateLeased(trx, lease, { leased_until: leaseEnd });
}

/** Gives the document back for anyone to go on with after the pause. */
export function releaseExport(trx: Work, lease: ExportLease, pauseMs: number, attempts: number): Promise<boolean> {
  return updateLeased(trx, lease, {
    leased_until: sql<Date>`now() + make_interval(secs => ${pauseMs / 1000})`,
    attempts,
  });
}

export interface NewPart {
  readonly part: number;
  readonly content: Buffer;
  readonly name: string | null;
  readonly repId: string | null;
}

/** False when the document has gone to somebody else. */
export async function insertPart(
  trx: Work,
  lease: ExportLease,
  { repId, ...part }: NewPart,
  done?: number,
): Promise<boolean> {
  const { workspaceId, jobId: documentId } = lease;
  if (!(await updateLeased(trx, lease, { leased_until: leaseEnd, ...(done === undefined ? {} : { done }) })))
    return false;
  await trx
    .insertInto('document_parts')
    .values({ workspace_id: workspaceId, document_id: documentId, rep_id: repId, ...part })
    .execute();
  return true;
}

export function updateProgress(trx: Work, lease: ExportLease, total: number, done: number): Promise<boolean> {
  return updateLeased(trx, lease, { total, done });
}

/** Whose parts are there, in their order. */
export async function listPartOwners(
  trx: Work,
  { workspaceId, jobId: documentId }: ExportLease,
): Promise<(string | null)[]> {
  const rows = await trx
    .selectFrom('document_parts')
    .select('rep_id')
    .where('workspace_id', '=', workspaceId)
    .where('document_id', '=', documentId)
    .orderBy('part')
    .execute();
  return rows.map((row) => row.rep_id);
}

/** What a maker that was killed has left of a file that cannot be gone on with. */
export async function deleteParts(trx: Work, { workspaceId, jobId: documentId }: ExportLease): Promise<void> {
  await trx
    .deleteFrom('document_parts')
    .where('workspace_id', '=', workspaceId)
    .where('document_id', '=', documentId)
    .execute();
}

export async function completeExport(trx: Work, lease: ExportLease, file: Omit<FileInfo, 'bytes'>): Promise<boolean> {
  const { bytes } = await trx
    .selectFrom('document_parts')
    .select(sql<number>`coalesce(sum(length(content)), 0)::float8`.as('bytes'))
    .where('workspace_id', '=', lease.workspaceId)
    .where('document_id', '=', lease.jobId)
    .executeTakeFirstOrThrow();
  return updateLeased(trx, lease, {
    status: 'completed',
    file: JSON.stringify({ ...file, bytes }),
    done: sql<number>`total`,
    finished_at: sql<Date>`now()`,
  });
}

export async function failExport(
  trx: Work,
  lease: ExportLease,
  code: string | null,
  message: string,
): Promise<boolean> {
  await deleteParts(trx, lease);
  return updateLeased(trx, lease, {
    status: 'failed',
    error_code: code,
    error: message,
    finished_at: sql<Date>`now()`,
  });
}
