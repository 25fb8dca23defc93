import { sql, type UpdateObject } from 'kysely';
import { newId } from '../../kernel/ids.js';
import { type Period } from '../../kernel/period.js';
import { type StoredCaller } from '../../kernel/stored-caller.js';
import { type Tables } from '../../platform/database/tables.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type RejectedStatement } from './approval-job.js';
import { approvalJobs } from './approval-job-views.js';

/** A statement as it was confirmed. */
export interface ConfirmedStatement {
  readonly repId: string;
  readonly version: number;
}

/** An approval that a worker carries out while it holds the lease. */
export interface ClaimedApproval {
  readonly workspaceId: string;
  readonly jobId: string;
  readonly period: Period;
  readonly force: boolean;
  readonly caller: StoredCaller;
  readonly attempts: number;
}

interface NewApproval extends Pick<ClaimedApproval, 'period' | 'force' | 'caller'> {
  readonly statements: readonly ConfirmedStatement[];
}

/** Stores what was confirmed. Nothing else is approved, whatever happens to the list afterwards. */
export async function insertApprovalJob(
  tx: Transaction,
  { period, force, caller, statements }: NewApproval,
): Promise<string> {
  const jobId = newId();
  await tx.db
    .insertInto('approval_jobs')
    .values({ workspace_id: tx.workspaceId, job_id: jobId, period, force, caller: JSON.stringify(caller) })
    .execute();
  await sql`
    insert into approval_job_statements (workspace_id, job_id, place, rep_id, version)
    select ${tx.workspaceId}, ${jobId}, s.place, s.rep_id, s.version
    from unnest(${statements.map(({ repId }) => repId)}::text[], ${statements.map(({ version }) => version)}::int[])
      with ordinality s (rep_id, version, place)`.execute(tx.db);
  tx.changeJob({ kind: approvalJobs.name, jobId, hasEnded: false });
  return jobId;
}

/** Starts an attempt. Null if the job is finished or waits. */
export async function claimApproval(tx: Transaction, jobId: string): Promise<ClaimedApproval | null> {
  const row = await tx.db
    .updateTable('approval_jobs')
    .set((set) => ({ attempts: set('attempts', '+', 1) }))
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', jobId)
    .where('finished_at', 'is', null)
    .where('not_before', '<=', sql<Date>`now()`)
    .returning(['period', 'force', 'caller', 'attempts'])
    .executeTakeFirst();
  return row === undefined ? null : { workspaceId: tx.workspaceId, jobId, ...row };
}

/** The next statements without an outcome, in the order in which they were confirmed. */
export async function nextStatements(
  tx: Transaction,
  { jobId }: ClaimedApproval,
  limit: number,
): Promise<ConfirmedStatement[]> {
  return ofJob(tx, jobId).select(['rep_id as repId', 'version']).orderBy('place').limit(limit).execute();
}

function ofJob(tx: Transaction, jobId: string) {
  return tx.db
    .selectFrom('approval_job_statements')
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', jobId)
    .where('outcome', 'is', null);
}

/** Stores the approval of a statement, in the transaction that approves it. */
export function recordApproved(tx: Transaction, job: ClaimedApproval, repId: string): Promise<void> {
  return recordOutcome(tx, job, repId, { outcome: 'approved' });
}

export async function recordRejected(
  tx: Transaction,
  job: ClaimedApproval,
  rejected: readonly RejectedStatement[],
): Promise<void> {
  for (const { repId, code, message } of rejected)
    await recordOutcome(tx, job, repId, { outcome: 'rejected', code, message });
}

/** A null id concerns every statement that has no outcome. */
async function recordOutcome(
  tx: Transaction,
  { jobId }: ClaimedApproval,
  repId: string | null,
  outcome: UpdateObject<Tables, 'approval_job_statements'>,
): Promise<void> {
  let update = tx.db
    .updateTable('approval_job_statements')
    .set(outcome)
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', jobId)
    .where('outcome', 'is', null);
  if (repId !== null) update = update.where('rep_id', '=', repId);
  await update.execute();
  tx.changeJob({ kind: approvalJobs.name, jobId, hasEnded: false });
}

/** Lets any worker continue after the pause. */
export function postponeApproval(
  tx: Transaction,
  job: ClaimedApproval,
  pauseMs: number,
  attempts: number,
): Promise<void> {
  return updateJob(tx, job, { attempts, not_before: sql<Date>`now() + make_interval(secs => ${pauseMs / 1000})` });
}

export function completeApproval(tx: Transaction, job: ClaimedApproval): Promise<void> {
  return updateJob(tx, job, { status: 'completed', finished_at: sql<Date>`now()` });
}

/** Ends the job. What was not decided is listed as rejected for this reason. */
export async function failApproval(
  tx: Transaction,
  job: ClaimedApproval,
  code: string | null,
  message: string,
): Promise<void> {
  await recordOutcome(tx, job, null, { outcome: 'rejected', code: code ?? 'internal_error', message });
  await updateJob(tx, job, { status: 'failed', error: message, finished_at: sql<Date>`now()` });
}

async function updateJob(
  tx: Transaction,
  { jobId }: ClaimedApproval,
  change: UpdateObject<Tables, 'approval_jobs'>,
): Promise<void> {
  await tx.db
    .updateTable('approval_jobs')
    .set(change)
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', jobId)
    .execute();
  tx.changeJob({ kind: approvalJobs.name, jobId, hasEnded: change.finished_at !== undefined });
}
