import { sql } from 'kysely';
import { Failure } from '../kernel/failure.js';
import { type StoredCaller } from '../kernel/stored-caller.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type JobKey } from '../platform/stored-jobs/stored-job.js';
import { insertStoredJob, lockStoredJobs } from '../platform/stored-jobs/stored-job-store.js';
import { type ExportRequest, type ExportSubject } from './export-job.js';

/** Limits of waiting exports: those of one person, those of one key, the statements of single reps, and all of a workspace. */
export const maxWaiting = { ofPerson: 3, ofKey: 10, ofStatements: 15, ofAll: 20 } as const;

/** Inserts a waiting export, or returns an equal one that no worker has started. Rejects it if too many are waiting. */
export async function enqueueExport(
  tx: Transaction,
  caller: StoredCaller,
  { period, total, asOf, ...of }: ExportRequest & { readonly total: number },
): Promise<string> {
  await lockStoredJobs(tx, 'export');
  const subject: ExportSubject = { ...of, asOf: asOf?.toISOString() ?? null };
  const waiting = await tx.db
    .selectFrom('stored_jobs')
    .select(['job_id', 'period', 'subject', 'caller'])
    .select(sql<boolean>`period = ${period} and subject = ${JSON.stringify(subject)}::jsonb`.as('isEqual'))
    .where('workspace_id', '=', tx.workspaceId)
    .where('kind', '=', 'export')
    .where('status', '=', 'waiting')
    .execute();
  const equal = waiting.find(({ isEqual }) => isEqual);
  if (equal !== undefined) return equal.job_id;
  assertFewWaiting(
    waiting.map((job) => ({ actor: job.caller.actor, repId: (job.subject as ExportSubject).repId })),
    { actor: caller.actor, repId: subject.repId },
  );
  return insertStoredJob(tx, { kind: 'export', period, subject, caller, total });
}

/**
 * The limit of the requester applies first, so that no requester uses up the places of the others. Statements of single
 * reps leave places for files of the team.
 */
function assertFewWaiting(
  waiting: readonly { readonly actor: string; readonly repId: string | null }[],
  { actor, repId }: { readonly actor: string; readonly repId: string | null },
): void {
  const requester = readRequester(actor);
  const own = waiting.filter((job) => readRequester(job.actor) === requester).length;
  if (own >= (requester.startsWith('rep:') ? maxWaiting.ofPerson : maxWaiting.ofKey))
    throw new Failure('rate_limited', `${own} exports of yours are waiting. Request more when they are finished.`);
  const statements = waiting.filter((job) => job.repId !== null).length;
  if (waiting.length >= maxWaiting.ofAll || (repId !== null && statements >= maxWaiting.ofStatements))
    throw new Failure('export_unavailable', 'Too many exports are waiting in this workspace. Try again shortly.');
}

/** The person, also for what their agents request, or the key. */
function readRequester(actor: string): string {
  return actor.replace(/ via .*$/s, '');
}

interface NewPart {
  readonly part: number;
  readonly content: Buffer;
  readonly name: string | null;
  readonly repId: string | null;
}

export async function insertPart(tx: Transaction, { jobId }: JobKey, { repId, ...part }: NewPart): Promise<void> {
  await tx.db
    .insertInto('export_parts')
    .values({ workspace_id: tx.workspaceId, job_id: jobId, rep_id: repId, ...part })
    .execute();
}

/** The reps of the stored parts, in the order of the parts. */
export async function listPartOwners(tx: Transaction, { jobId }: JobKey): Promise<(string | null)[]> {
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
export async function deleteParts(tx: Transaction, { jobId }: JobKey): Promise<void> {
  await tx.db
    .deleteFrom('export_parts')
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', jobId)
    .execute();
}

/** The size of the stored parts, in bytes. */
export async function sumBytes(tx: Transaction, { jobId }: JobKey): Promise<number> {
  const { bytes } = await tx.db
    .selectFrom('export_parts')
    .select(sql<number>`coalesce(sum(length(content)), 0)::float8`.as('bytes'))
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
  return bytes;
}
