import { type RawBuilder, sql } from 'kysely';
import { type DayRange } from '../../kernel/day.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** The reason for a calculation. */
export type Trigger =
  | 'recalculation'
  | 'deal_change'
  | 'deal_deletion'
  | 'credits'
  | 'lines'
  | 'import'
  | 'sync'
  | 'plan_change'
  | 'assignment_change'
  | 'quota_change'
  | 'hierarchy_change'
  | 'rep_change'
  | 'person'
  | 'absence'
  | 'calendar'
  | 'ramp'
  | 'fx_rate'
  | 'rate_table'
  | 'refund'
  | 'mapping_change'
  | 'workspace_change'
  | 'cascade'
  | 'rank'
  | 'periodic'
  | 'statement_unlock'
  | 'true_up'
  | 'reset';

export interface CalculationRequest {
  readonly repId: string;
  readonly days: DayRange;
  readonly trigger: Trigger;
  readonly dealId?: string | undefined;
  readonly jobId?: string | undefined;
  /** Whether the days before the first one in its attainment period have been calculated. */
  readonly continues?: boolean | undefined;
  /** The sync of a CRM that has changed the deals: the request waits for its end. */
  readonly syncRunId?: string | undefined;
}

/**
 * Stores calculation requests in the transaction of the change that makes them necessary (an outbox). Rows are only
 * inserted here and deleted by the run that calculates them, so no lock is needed, and a request that arrives during a
 * calculation survives it. Slices use {@link Recalculate}, which also wakes the lanes.
 */
export async function requestCalculation(tx: Transaction, requests: readonly CalculationRequest[]): Promise<void> {
  if (requests.length > 0) await insertOf(tx, requests).execute(tx.db);
}

/** {@link requestCalculation} for a transaction in which nothing reads the requests. */
export function requestCalculationWithCommit(tx: Transaction, requests: readonly CalculationRequest[]): void {
  if (requests.length > 0) tx.writeWithCommit(insertOf(tx, requests));
}

function insertOf(tx: Transaction, requests: readonly CalculationRequest[]): RawBuilder<unknown> {
  // A recalculation changes nothing that decides pay.
  for (const request of requests) if (request.trigger !== 'recalculation') tx.movedPay.push(request);
  return sql`
    insert into calculation_requests (workspace_id, rep_id, from_day, to_day, trigger, deal_id, job_id, sync_run_id, continues)
    select ${tx.workspaceId}, rep_id, from_day, to_day, trigger, deal_id, job_id, sync_run_id, continues
    from ${unnestRows(requests, [
      ['rep_id', 'uuid', (request) => request.repId],
      ['from_day', 'date', (request) => request.days.from],
      ['to_day', 'date', (request) => request.days.to],
      ['trigger', 'text', (request) => request.trigger],
      ['deal_id', 'text', (request) => request.dealId ?? null],
      ['job_id', 'uuid', (request) => request.jobId ?? null],
      ['sync_run_id', 'uuid', (request) => request.syncRunId ?? null],
      ['continues', 'boolean', (request) => String(request.continues ?? false)],
    ])}`;
}

/** Every rep who is or was on the plan. */
export async function loadRepsOfPlan(tx: Transaction, planId: string): Promise<string[]> {
  const reps = await tx.db
    .selectFrom('assignments')
    .select('rep_id')
    .distinct()
    .where('workspace_id', '=', tx.workspaceId)
    .where('plan_id', '=', planId)
    .execute();
  return reps.map((rep) => rep.rep_id);
}

export async function loadRepsOfWorkspace(tx: Transaction): Promise<string[]> {
  const reps = await tx.db.selectFrom('reps').select('rep_id').where('workspace_id', '=', tx.workspaceId).execute();
  return reps.map((rep) => rep.rep_id);
}

/**
 * Whether a request waits for a sync that advances. The lane is not woken for it, but a run of the lane processes it: an
 * approval, for example, calculates everything first.
 */
const waitsForSync = sql<boolean>`exists (
  select from crm_sync_runs s
  where s.workspace_id = q.workspace_id and s.sync_run_id = q.sync_run_id and s.failing_since is null)`;

/** The reps with requests that waited for the end of the sync. */
export async function loadRepsOfSync(tx: Transaction, syncRunId: string): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('calculation_requests')
    .select('rep_id')
    .distinct()
    .where('workspace_id', '=', tx.workspaceId)
    .where('sync_run_id', '=', syncRunId)
    .execute();
  return rows.map((row) => row.rep_id);
}

/** The reps that have requests and whose last calculation did not fail; failed lanes are retried by the sweep. */
export async function loadRepsToWake(tx: Transaction, repIds: readonly string[]): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('lanes as l')
    .select('l.rep_id')
    .where('l.workspace_id', '=', tx.workspaceId)
    .where('l.rep_id', 'in', repIds)
    .where('l.attempts', '=', 0)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('calculation_requests as q')
          .select('q.request_id')
          .whereRef('q.workspace_id', '=', 'l.workspace_id')
          .whereRef('q.rep_id', '=', 'l.rep_id')
          .where((where) => where.not(waitsForSync)),
      ),
    )
    .execute();
  return rows.map((row) => row.rep_id);
}

/** Selects the reps who have requests that wait for no sync run. */
export async function loadRepsWithRequests(tx: Transaction, repIds: readonly string[]): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('calculation_requests as q')
    .select('q.rep_id')
    .distinct()
    .where('q.workspace_id', '=', tx.workspaceId)
    .where('q.rep_id', 'in', repIds)
    .where((where) => where.not(waitsForSync))
    .execute();
  return rows.map((row) => row.rep_id);
}
