import { type SqlBool, sql } from 'kysely';
import { type Period } from '../../kernel/period.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type JobKind } from '../../platform/job-status/job-statuses.js';
import { type ApprovalJob } from './approval-job.js';

interface Wanted {
  readonly jobId?: string | undefined;
  readonly period?: Period | undefined;
  /** Only jobs that this person started. */
  readonly startedBy?: string | undefined;
}

/** Jobs of the list: their rejected statements are a part of the answer. */
const maxJobs = 20;

/** The approvals of the last seven days, newest first, with what became of their statements so far. */
export async function findApprovalJobs(tx: Transaction, { jobId, period, startedBy }: Wanted): Promise<ApprovalJob[]> {
  let query = tx.db
    .selectFrom('approval_jobs as j')
    .select(['j.job_id', 'j.period', 'j.status', 'j.started_at', 'j.finished_at', 'j.error', 'j.caller'])
    .select([
      countOf(sql`true`).as('total'),
      countOf(sql`s.outcome is not null`).as('done'),
      countOf(sql`s.outcome = 'approved'`).as('approved'),
      sql<ApprovalJob['rejected']>`(
        select coalesce(jsonb_agg(jsonb_build_object('repId', s.rep_id, 'code', s.code, 'message', s.message,
          'version', s.version) order by s.place), '[]')
        from approval_job_statements s
        where s.workspace_id = j.workspace_id and s.job_id = j.job_id and s.outcome = 'rejected')`.as('rejected'),
    ])
    .where('j.workspace_id', '=', tx.workspaceId)
    .where(sql<SqlBool>`(j.finished_at is null or j.finished_at > now() - interval '7 days')`)
    .orderBy('j.started_at', 'desc')
    .limit(maxJobs);
  if (jobId !== undefined) query = query.where('j.job_id', '=', jobId);
  if (period !== undefined) query = query.where('j.period', '=', period);
  if (startedBy !== undefined) query = query.where(sql<SqlBool>`j.caller ->> 'repId' = ${startedBy}`);
  const rows = await query.execute();
  return rows.map((row) => ({
    jobId: row.job_id,
    startedBy: row.caller.repId,
    period: row.period,
    status: row.status,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    progress: { done: row.done, total: row.total },
    approved: row.approved,
    rejected: row.rejected,
    error: row.error,
  }));
}

export const approvalJobs: JobKind<ApprovalJob> = {
  name: 'approval',
  find: async (tx, jobId) => (await findApprovalJobs(tx, { jobId }))[0],
  dates: ['startedAt', 'finishedAt'],
  lifetimeMs: 7 * 86_400_000,
};

function countOf(condition: ReturnType<typeof sql>) {
  return sql<number>`(
    select count(*)::int from approval_job_statements s
    where s.workspace_id = j.workspace_id and s.job_id = j.job_id and ${condition})`;
}
