import { type SqlBool, sql } from 'kysely';
import { newId } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { type JobKind } from '../../platform/job-status/job-statuses.js';
import { recordEvent } from '../../platform/outbound/outgoing-events.js';
import { type JobScope } from '../tables.js';

/** A job as the API returns it. */
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
 * A job is derived from its calculation requests: it runs while any of them exists, and its figures are those of the
 * runs that processed them. It therefore survives restarts and has the same status in every process. A job that
 * still reads deals may add requests; it ends after the sync has ended.
 */
export async function createJob(
  tx: Transaction,
  job: {
    readonly kind: CalculationJob['kind'];
    readonly scope: JobScope;
    readonly scopeKey: string;
    readonly actor: string;
    readonly total: number;
    readonly deals: number;
    readonly syncing?: boolean;
  },
): Promise<{ readonly jobId: string; readonly startedAt: Date; readonly joined: boolean }> {
  const inserted = await tx.db
    .insertInto('jobs')
    .values({
      workspace_id: tx.workspaceId,
      job_id: newId(),
      kind: job.kind,
      scope: JSON.stringify(job.scope),
      scope_key: job.scopeKey,
      status: 'running',
      total: job.total,
      deals: job.deals,
      actor: job.actor,
      syncing: job.syncing ?? false,
    })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'scope_key']).where('status', '=', 'running').doNothing(),
    )
    .returning(['job_id', 'started_at'])
    .executeTakeFirst();
  await failpoint('job.afterRow');
  if (inserted !== undefined) changed(tx, inserted.job_id, false);
  if (inserted !== undefined) return { jobId: inserted.job_id, startedAt: inserted.started_at, joined: false };
  const running = await tx.db
    .selectFrom('jobs')
    .select(['job_id', 'started_at'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('scope_key', '=', job.scopeKey)
    .where('status', '=', 'running')
    .executeTakeFirst();
  // The job ended between the two statements; the second attempt creates a new one.
  if (running === undefined) return createJob(tx, job);
  return { jobId: running.job_id, startedAt: running.started_at, joined: true };
}

function changed(tx: Transaction, jobId: string, hasEnded: boolean): void {
  tx.changeJob({ kind: calculationJobs.name, jobId, hasEnded });
}

/**
 * Running recalculations can no longer be joined: their results were cleared. A later request for the same scope
 * creates a new job.
 */
export async function detachRecalculations(tx: Transaction): Promise<void> {
  await tx.db
    .updateTable('jobs')
    .set({ scope_key: apartFromOthers })
    .where('workspace_id', '=', tx.workspaceId)
    .where('kind', '=', 'recalculation')
    .where('status', '=', 'running')
    .execute();
}

/** A key that no lookup matches. */
const apartFromOthers = sql<string>`scope_key || ':' || job_id`;

/** Ends the job if it has no requests left, or only requests of parked lanes. */
export async function completeJobIfDone(tx: Transaction, jobId: string): Promise<void> {
  // The pending requests are not materialized, so that the check stops at the first lane that is still pending, which nearly always exists.
  const { rows } = await sql<EndedJob>`
    with pending as not materialized (
      select l.rep_id, l.parked_at, l.last_error
      from calculation_requests q
      left join lanes l on l.workspace_id = q.workspace_id and l.rep_id = q.rep_id
      where q.workspace_id = ${tx.workspaceId} and q.job_id = ${jobId}
    ),
    parked as (select count(distinct rep_id) as reps, min(last_error) as last_error from pending),
    figures as (
      select coalesce(sum(r.events_written), 0)::int as written, coalesce(sum(r.events_reversed), 0)::int as reversed,
        coalesce(sum(r.statement_locked), 0)::int as locked, coalesce(sum(r.skipped), 0)::int as skipped,
        coalesce(sum(r.deals), 0)::int as deals
      from audit_run_jobs j join audit_runs r on r.workspace_id = j.workspace_id and r.run_id = j.run_id
      where j.workspace_id = ${tx.workspaceId} and j.job_id = ${jobId}
    ),
    frozen as (
      select coalesce(jsonb_agg(distinct p.period order by p.period), '[]') as periods
      from audit_run_jobs j join audit_runs r on r.workspace_id = j.workspace_id and r.run_id = j.run_id,
        jsonb_array_elements_text(r.blocked->'periods') p(period)
      where j.workspace_id = ${tx.workspaceId} and j.job_id = ${jobId}
    )
    update jobs set
      status = case when parked.reps = 0 then 'completed' else 'failed' end,
      finished_at = now(),
      error = case when parked.reps = 0 then null
        else parked.reps || ' of ' || jobs.total || ' reps could not be calculated: ' || coalesce(parked.last_error, 'unknown') end,
      result = coalesce(jobs.result, '{}') || jsonb_build_object('count', case when jobs.scope->>'scope' = 'deal' then jobs.deals else figures.deals end,
        'eventsWritten', figures.written, 'eventsReversed', figures.reversed,
        'statementLocked', figures.locked > 0, 'skipped', figures.skipped)
        || case when figures.locked = 0 then '{}' else jsonb_build_object('blocked', jsonb_build_object(
          'statementLocked', true, 'periods', frozen.periods, 'count', figures.locked)) end
    from parked, figures, frozen
    where jobs.workspace_id = ${tx.workspaceId} and jobs.job_id = ${jobId} and jobs.status = 'running' and not jobs.syncing
      and not exists (select from pending where parked_at is null)
    returning jobs.kind, jobs.status, jobs.scope, jobs.result, jobs.error`.execute(tx.db);
  changed(tx, jobId, rows[0] !== undefined);
  if (rows[0] !== undefined) await recordJobEvent(tx, jobId, rows[0]);
}

type EndedJob = Pick<CalculationJob, 'kind' | 'status' | 'scope' | 'result' | 'error'>;

async function recordJobEvent(tx: Transaction, jobId: string, job: EndedJob): Promise<void> {
  const { kind, status, scope, result, error } = job;
  if (kind === 'recalculation') {
    const type = status === 'completed' ? 'recalculation.completed' : 'recalculation.failed';
    await recordEvent(tx, { type, data: { jobId, scope, result, error } });
  } else if (kind === 'sync' && status === 'completed')
    await recordEvent(tx, { type: 'crm.sync_completed', data: { jobId, result } });
}

const lifetimeMs = 6 * 3_600_000;
const retention = sql`make_interval(secs => ${lifetimeMs / 1000})`;

/** The workspace's jobs of the last six hours, newest first, or the job with the given id. */
export async function findJobs(tx: Transaction, jobId?: string): Promise<CalculationJob[]> {
  let query = tx.db
    .selectFrom('jobs')
    .select([
      'job_id',
      'kind',
      'status',
      'scope',
      'started_at',
      'finished_at',
      'total',
      'deals',
      'syncing',
      'result',
      'error',
      sql<number>`(select count(distinct q.rep_id)::int from calculation_requests q
        where q.workspace_id = jobs.workspace_id and q.job_id = jobs.job_id)`.as('pending'),
    ])
    .where('workspace_id', '=', tx.workspaceId)
    .where(sql<SqlBool>`(finished_at is null or finished_at > now() - ${retention})`)
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
    progress: toProgress(row),
    result: row.result,
    error: row.error,
  }));
}

export const calculationJobs: JobKind<CalculationJob> = {
  name: 'calculation',
  find: async (tx, jobId) => (await findJobs(tx, jobId))[0],
  dates: ['startedAt', 'finishedAt'],
  lifetimeMs,
};

/** Counts deals during the sync, then calculated reps. */
function toProgress(row: {
  readonly status: CalculationJob['status'];
  readonly syncing: boolean;
  readonly total: number;
  readonly deals: number;
  readonly pending: number;
}): CalculationJob['progress'] {
  if (row.status !== 'running') return { done: row.total, total: row.total };
  if (row.syncing) return { done: row.deals, total: Math.max(row.total, row.deals) };
  return { done: Math.max(0, row.total - row.pending), total: row.total };
}

/** Records the number of pulled deals and, if known, their total. */
export async function advanceSync(
  tx: Transaction,
  jobId: string,
  { deals, total }: { readonly deals: number; readonly total: number | null },
): Promise<void> {
  await tx.db
    .updateTable('jobs')
    .set({ deals, total: total ?? deals })
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', jobId)
    .execute();
  changed(tx, jobId, false);
}

/** The sync has ended: the job ends when its requests are calculated. The next job of its scope is a new one. */
export async function endSync(
  tx: Transaction,
  jobId: string,
  result: Readonly<Record<string, unknown>>,
): Promise<void> {
  await sql`
    update jobs set syncing = false, scope_key = ${apartFromOthers}, result = ${JSON.stringify(result)}::jsonb,
      total = (select count(distinct q.rep_id) from calculation_requests q
        where q.workspace_id = jobs.workspace_id and q.job_id = jobs.job_id)
    where workspace_id = ${tx.workspaceId} and job_id = ${jobId} and status = 'running'`.execute(tx.db);
  await completeJobIfDone(tx, jobId);
}

/** The sync failed. Requests written until then are still calculated. */
export async function failSync(
  tx: Transaction,
  jobId: string,
  error: string,
  result: Readonly<Record<string, unknown>>,
): Promise<void> {
  await tx.db
    .updateTable('jobs')
    .set({ status: 'failed', syncing: false, error, result: JSON.stringify(result), finished_at: sql<Date>`now()` })
    .where('workspace_id', '=', tx.workspaceId)
    .where('job_id', '=', jobId)
    .where('status', '=', 'running')
    .execute();
  changed(tx, jobId, true);
}

/** Deletes jobs that ended more than six hours ago. */
export async function deleteOldJobs(tx: Transaction): Promise<void> {
  await tx.db
    .deleteFrom('jobs')
    .where('workspace_id', '=', tx.workspaceId)
    .where('finished_at', '<', sql<Date>`now() - ${retention}`)
    .execute();
}
