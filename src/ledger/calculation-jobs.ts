import { sql } from 'kysely';
import { newId } from '../kernel/ids.js';
import { type JobScope } from '../platform/database/tables.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { failpoint } from '../platform/failpoint.js';

/** A job as its caller sees it. */
export interface CalculationJob {
  readonly jobId: string;
  readonly kind: 'recalculation' | 'import' | 'mapping' | 'sync';
  readonly status: 'running' | 'completed' | 'failed';
  readonly scope: JobScope;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly progress: { readonly done: number; readonly total: number };
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly error: string | null;
}

/**
 * A job is nothing but its calculation requests: it runs while any of them is left, and its figures are those of
 * the runs that took them up. So it survives every restart, and its status is the same from every process.
 */
export async function createJob(
  trx: Work,
  workspaceId: string,
  job: {
    readonly kind: CalculationJob['kind'];
    readonly scope: JobScope;
    readonly scopeKey: string;
    readonly actor: string;
    readonly total: number;
    readonly deals: number;
  },
): Promise<{ readonly jobId: string; readonly startedAt: Date; readonly joined: boolean }> {
  const inserted = await trx
    .insertInto('jobs')
    .values({
      workspace_id: workspaceId,
      job_id: newId(),
      kind: job.kind,
      scope: JSON.stringify(job.scope),
      scope_key: job.scopeKey,
      status: 'running',
      total: job.total,
      deals: job.deals,
      actor: job.actor,
    })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'scope_key']).where('status', '=', 'running').doNothing(),
    )
    .returning(['job_id', 'started_at'])
    .executeTakeFirst();
  await failpoint('job.afterRow');
  if (inserted !== undefined) return { jobId: inserted.job_id, startedAt: inserted.started_at, joined: false };
  const running = await trx
    .selectFrom('jobs')
    .select(['job_id', 'started_at'])
    .where('workspace_id', '=', workspaceId)
    .where('scope_key', '=', job.scopeKey)
    .where('status', '=', 'running')
    .executeTakeFirst();
  // It ended between the two statements: a second try makes a new one.
  if (running === undefined) return createJob(trx, workspaceId, job);
  return { jobId: running.job_id, startedAt: running.started_at, joined: true };
}

/** Ends the job when none of its requests is left, or only such whose lanes are parked after too many failures. */
export async function settleJob(trx: Work, workspaceId: string, jobId: string): Promise<void> {
  await sql`
    with pending as (
      select count(distinct q.rep_id) filter (where l.parked_at is null) as working,
        count(distinct q.rep_id) filter (where l.parked_at is not null) as parked,
        min(l.last_error) filter (where l.parked_at is not null) as last_error
      from calculation_requests q
      left join lanes l on l.workspace_id = q.workspace_id and l.rep_id = q.rep_id
      where q.workspace_id = ${workspaceId} and q.job_id = ${jobId}
    ),
    figures as (
      select coalesce(sum(r.events_written), 0)::int as written, coalesce(sum(r.events_reversed), 0)::int as reversed,
        coalesce(sum(r.statement_locked), 0)::int as locked, coalesce(sum(r.skipped), 0)::int as skipped,
        coalesce(sum(r.deals), 0)::int as deals
      from audit_run_jobs j join audit_runs r on r.workspace_id = j.workspace_id and r.run_id = j.run_id
      where j.workspace_id = ${workspaceId} and j.job_id = ${jobId}
    )
    update jobs set
      status = case when pending.parked = 0 then 'completed' else 'failed' end,
      finished_at = now(),
      error = case when pending.parked = 0 then null
        else pending.parked || ' of ' || jobs.total || ' reps could not be calculated: ' || coalesce(pending.last_error, 'unknown') end,
      result = jsonb_build_object('count', case when jobs.scope->>'scope' = 'deal' then jobs.deals else figures.deals end,
        'eventsWritten', figures.written, 'eventsReversed', figures.reversed,
        'statementLocked', figures.locked, 'skipped', figures.skipped)
    from pending, figures
    where jobs.workspace_id = ${workspaceId} and jobs.job_id = ${jobId} and jobs.status = 'running' and pending.working = 0`.execute(
    trx,
  );
}

const retention = sql`interval '6 hours'`;

/** The workspace's jobs of the last six hours, newest first; one of them when an id is given. */
export async function findJobs(trx: Work, workspaceId: string, jobId?: string): Promise<CalculationJob[]> {
  let query = trx
    .selectFrom('jobs')
    .select([
      'job_id',
      'kind',
      'status',
      'scope',
      'started_at',
      'finished_at',
      'total',
      'result',
      'error',
      sql<number>`(select count(distinct q.rep_id)::int from calculation_requests q
        where q.workspace_id = jobs.workspace_id and q.job_id = jobs.job_id)`.as('pending'),
    ])
    .where('workspace_id', '=', workspaceId)
    .where((where) =>
      where.or([where('finished_at', 'is', null), where('finished_at', '>', sql<Date>`now() - ${retention}`)]),
    )
    .orderBy('started_at', 'desc')
    .limit(100);
  if (jobId !== undefined) query = query.where('job_id', '=', jobId);
  const rows = await query.execute();
  return rows.map((row) => ({
    jobId: row.job_id,
    kind: row.kind,
    status: row.status,
    scope: row.scope,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    progress: { done: row.status === 'running' ? Math.max(0, row.total - row.pending) : row.total, total: row.total },
    result: row.result,
    error: row.error,
  }));
}

/** Forgets jobs that ended more than six hours ago. */
export async function forgetOldJobs(trx: Work, workspaceId: string): Promise<void> {
  await trx
    .deleteFrom('jobs')
    .where('workspace_id', '=', workspaceId)
    .where('finished_at', '<', sql<Date>`now() - ${retention}`)
    .execute();
}
