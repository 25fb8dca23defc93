import { sql, type UpdateObject } from 'kysely';
import { newId } from '../../kernel/ids.js';
import { type StoredCaller } from '../../kernel/stored-caller.js';
import { type Tables } from '../database/tables.js';
import { type Transaction } from '../database/unit-of-work.js';
import { type ClaimedJob, type JobKey, lifetimesMs, type StoredJobKind } from './stored-job.js';

interface NewJob {
  readonly kind: StoredJobKind;
  readonly period: string;
  readonly subject: unknown;
  readonly caller: StoredCaller;
  readonly total: number;
}

export async function insertStoredJob(tx: Transaction, job: NewJob): Promise<string> {
  const jobId = newId();
  await tx.db
    .insertInto('stored_jobs')
    .values({
      ...job,
      workspace_id: tx.workspaceId,
      job_id: jobId,
      subject: JSON.stringify(job.subject),
      caller: JSON.stringify(job.caller),
      lifetime: `${lifetimesMs[job.kind]} milliseconds`,
    })
    .execute();
  tx.changeJob({ kind: job.kind, jobId, hasEnded: false });
  return jobId;
}

/** Serializes requests for jobs of the kind in the workspace, so that concurrent requests count each other. */
export async function lockStoredJobs(tx: Transaction, kind: StoredJobKind): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${kind}:${tx.workspaceId}`}, 0))`.execute(tx.db);
}

/** Starts an attempt. Null if the job is finished or waits. */
export async function claimStoredJob<Subject>(tx: Transaction, jobId: string): Promise<ClaimedJob<Subject> | null> {
  const row = await tx.db
    .updateTable('stored_jobs')
    .set((set) => ({ status: 'running' as const, attempts: set('attempts', '+', 1) }))
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', jobId)
    .where('finished_at', 'is', null)
    .where('not_before', '<=', sql<Date>`now()`)
    .returning(['period', 'subject', 'caller', 'position', 'attempts'])
    .executeTakeFirst();
  if (row === undefined) return null;
  return { workspaceId: tx.workspaceId, jobId, ...row, subject: row.subject as Subject };
}

/** Records, in the transaction that stores a part, that so many more people are done. */
export function advanceStoredJob(
  tx: Transaction,
  job: JobKey,
  people: number,
  position: string | null = null,
): Promise<unknown> {
  return updateStoredJob(tx, job, { done: sql<number>`least(done + ${people}, total)`, position });
}

/** Lets any worker continue after the pause. */
export function postponeStoredJob(tx: Transaction, job: JobKey, pauseMs: number, attempts: number): Promise<unknown> {
  return updateStoredJob(tx, job, {
    attempts,
    not_before: sql<Date>`now() + make_interval(secs => ${pauseMs / 1000})`,
  });
}

/** Returns whether the job had not ended before. */
export function completeStoredJob(tx: Transaction, job: JobKey, result: unknown = null): Promise<boolean> {
  const end = { status: 'completed', finished_at: sql<Date>`now()`, done: sql<number>`total` } as const;
  return updateStoredJob(tx, job, { ...end, result: result === null ? null : JSON.stringify(result) });
}

export function failStoredJob(tx: Transaction, job: JobKey, code: string | null, error: string): Promise<unknown> {
  return updateStoredJob(tx, job, { status: 'failed', error_code: code, error, finished_at: sql<Date>`now()` });
}

/** Changes a job that has not ended. Returns whether there was one. */
export async function updateStoredJob(
  tx: Transaction,
  { jobId }: JobKey,
  change: UpdateObject<Tables, 'stored_jobs'>,
): Promise<boolean> {
  const job = await tx.db
    .updateTable('stored_jobs')
    .set(change)
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', jobId)
    .where('finished_at', 'is', null)
    .returning(['kind', 'finished_at'])
    .executeTakeFirst();
  if (job !== undefined) tx.changeJob({ kind: job.kind, jobId, hasEnded: job.finished_at !== null });
  return job !== undefined;
}
