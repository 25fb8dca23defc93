import { sql, type UpdateObject } from 'kysely';
import { newId } from '../../kernel/ids.js';
import { type StoredCaller } from '../../kernel/stored-caller.js';
import { type Tables } from '../database/tables.js';
import { type Transaction } from '../database/unit-of-work.js';
import { type ClaimedJob, type StoredJobKind } from './stored-job.js';

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
    })
    .execute();
  tx.changeJob({ kind: job.kind, jobId, hasEnded: false });
  return jobId;
}

/** Starts an attempt. Null if the job is finished or waits. */
export async function claimStoredJob<Subject>(tx: Transaction, jobId: string): Promise<ClaimedJob<Subject> | null> {
  const row = await tx.db
    .updateTable('stored_jobs')
    .set((set) => ({ attempts: set('attempts', '+', 1) }))
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
export async function advanceStoredJob(
  tx: Transaction,
  { jobId }: Pick<ClaimedJob, 'jobId'>,
  people: number,
  position: string | null = null,
): Promise<void> {
  await updateJob(tx, jobId, { done: sql<number>`least(done + ${people}, total)`, position });
}

/** Lets any worker continue after the pause. */
export function postponeStoredJob(
  tx: Transaction,
  { jobId }: Pick<ClaimedJob, 'jobId'>,
  pauseMs: number,
  attempts: number,
): Promise<void> {
  return updateJob(tx, jobId, { attempts, not_before: sql<Date>`now() + make_interval(secs => ${pauseMs / 1000})` });
}

export function completeStoredJob(tx: Transaction, { jobId }: Pick<ClaimedJob, 'jobId'>): Promise<void> {
  return updateJob(tx, jobId, { status: 'completed', finished_at: sql<Date>`now()`, done: sql<number>`total` });
}

export function failStoredJob(
  tx: Transaction,
  { jobId }: Pick<ClaimedJob, 'jobId'>,
  _code: string | null,
  message: string,
): Promise<void> {
  return updateJob(tx, jobId, { status: 'failed', error: message, finished_at: sql<Date>`now()` });
}

async function updateJob(tx: Transaction, jobId: string, change: UpdateObject<Tables, 'stored_jobs'>): Promise<void> {
  const job = await tx.db
    .updateTable('stored_jobs')
    .set(change)
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', jobId)
    .returning(['kind', 'finished_at'])
    .executeTakeFirst();
  if (job !== undefined) tx.changeJob({ kind: job.kind, jobId, hasEnded: job.finished_at !== null });
}
