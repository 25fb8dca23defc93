import { sql, type UpdateObject } from 'kysely';
import { Failure } from '../kernel/failure.js';
import { newId } from '../kernel/ids.js';
import { type Tables } from '../platform/database/tables.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type ExportRequest } from './export-job.js';
import { type FileInfo } from './export-tables.js';

/** An export that one worker makes. The lease is exclusive until it expires. */
interface ExportLease {
  readonly workspaceId: string;
  readonly jobId: string;
  readonly leaseId: string;
}

export interface LeasedExport extends ExportLease, ExportRequest {
  readonly attempts: number;
}

/** Limits of waiting exports: those of one person, those of one key, the statements of single reps, and all of a workspace. */
export const maxWaiting = { ofPerson: 3, ofKey: 10, ofStatements: 15, ofAll: 20 } as const;
const leaseEnd = sql<Date>`now() + interval '10 seconds'`;
export const leaseRenewalMs = 3000;

/** Inserts a waiting export, or returns an equal one that no worker has started. Rejects it if too many are waiting. */
export async function enqueueExport(
  trx: Work,
  workspaceId: string,
  request: ExportRequest & { readonly total: number; readonly actor: string },
): Promise<string> {
  // The lock serializes requests of a workspace, so that concurrent requests count each other.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`exports:${workspaceId}`}, 0))`.execute(trx);
  const waiting = await trx
    .selectFrom('export_jobs')
    .select(['job_id', 'kind', 'rep_id', 'period', 'manager_id', 'as_of', 'actor'])
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'waiting')
    .execute();
  const waitingJob = waiting.find(
    (one) =>
      one.kind === request.kind &&
      one.rep_id === request.repId &&
      one.period === request.period &&
      one.manager_id === request.managerId &&
      one.as_of?.getTime() === request.asOf?.getTime(),
  );
  if (waitingJob !== undefined) return waitingJob.job_id;
  assertFewWaiting(waiting, request);
  const jobId = newId();
  await trx
    .insertInto('export_jobs')
    .values({
      workspace_id: workspaceId,
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
  const requester = requesterOf(actor);
  const own = waiting.filter((one) => requesterOf(one.actor) === requester).length;
  if (own >= (requester.startsWith('rep:') ? maxWaiting.ofPerson : maxWaiting.ofKey))
    throw new Failure('rate_limited', `${own} exports of yours are waiting. Request more when they are finished.`);
  const statements = waiting.filter((one) => one.rep_id !== null).length;
  if (waiting.length >= maxWaiting.ofAll || (repId !== null && statements >= maxWaiting.ofStatements))
    throw new Failure('export_unavailable', 'Too many exports are waiting in this workspace. Try again shortly.');
}

/** The person, also for what their agents request, or the key. */
function requesterOf(actor: string): string {
  return actor.replace(/ via .*$/s, '');
}

/** Leases the export. Null if it is finished or leased by another worker. */
export async function leaseExport(trx: Work, workspaceId: string, jobId: string): Promise<LeasedExport | null> {
  const leaseId = newId();
  const row = await trx
    .updateTable('export_jobs')
    .set((set) => ({
      status: 'running' as const,
      lease_id: leaseId,
      leased_until: leaseEnd,
      attempts: set('attempts', '+', 1),
    }))
    .where('workspace_id', '=', workspaceId)
    .where('job_id', '=', jobId)
    .where('finished_at', 'is', null)
    .where((where) => where.or([where('leased_until', 'is', null), where('leased_until', '<', sql<Date>`now()`)]))
    .returning(['kind', 'rep_id as repId', 'manager_id as managerId', 'period', 'as_of as asOf', 'attempts'])
    .executeTakeFirst();
  return row === undefined ? null : { workspaceId, jobId, leaseId, ...row };
}

/** Updates the export while the lease is held. Returns false and changes nothing if another worker holds the lease. */
async function updateLeased(
  trx: Work,
  lease: ExportLease,
  change: UpdateObject<Tables, 'export_jobs'>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('export_jobs')
    .set(change)
    .where('workspace_id', '=', lease.workspaceId)
    .where('job_id', '=', lease.jobId)
    .where('lease_id', '=', lease.leaseId)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export function renewLease(trx: Work, lease: ExportLease): Promise<boolean> {
  return updateLeased(trx, lease, { leased_until: leaseEnd });
}

/** Releases the lease, so that any worker can continue after the pause. */
export function releaseExport(trx: Work, lease: ExportLease, pauseMs: number, attempts: number): Promise<boolean> {
  return updateLeased(trx, lease, {
    leased_until: sql<Date>`now() + make_interval(secs => ${pauseMs / 1000})`,
    attempts,
  });
}

interface NewPart {
  readonly part: number;
  readonly content: Buffer;
  readonly name: string | null;
  readonly repId: string | null;
}

/** False if another worker holds the lease; then nothing is stored. */
export async function insertPart(
  trx: Work,
  lease: ExportLease,
  { repId, ...part }: NewPart,
  done?: number,
): Promise<boolean> {
  const { workspaceId, jobId } = lease;
  if (!(await updateLeased(trx, lease, { leased_until: leaseEnd, ...(done === undefined ? {} : { done }) })))
    return false;
  await trx
    .insertInto('export_parts')
    .values({ workspace_id: workspaceId, job_id: jobId, rep_id: repId, ...part })
    .execute();
  return true;
}

export function updateProgress(trx: Work, lease: ExportLease, total: number, done: number): Promise<boolean> {
  return updateLeased(trx, lease, { total, done });
}

/** The reps of the stored parts, in the order of the parts. */
export async function listPartOwners(trx: Work, { workspaceId, jobId }: ExportLease): Promise<(string | null)[]> {
  const rows = await trx
    .selectFrom('export_parts')
    .select('rep_id')
    .where('workspace_id', '=', workspaceId)
    .where('job_id', '=', jobId)
    .orderBy('part')
    .execute();
  return rows.map((row) => row.rep_id);
}

/** Deletes the parts that a killed worker left. Only archives continue from their stored parts. */
export async function deleteParts(trx: Work, { workspaceId, jobId }: ExportLease): Promise<void> {
  await trx.deleteFrom('export_parts').where('workspace_id', '=', workspaceId).where('job_id', '=', jobId).execute();
}

export async function completeExport(trx: Work, lease: ExportLease, file: Omit<FileInfo, 'bytes'>): Promise<boolean> {
  const { bytes } = await trx
    .selectFrom('export_parts')
    .select(sql<number>`coalesce(sum(length(content)), 0)::float8`.as('bytes'))
    .where('workspace_id', '=', lease.workspaceId)
    .where('job_id', '=', lease.jobId)
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
