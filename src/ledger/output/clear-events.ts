import { type RawBuilder, sql } from 'kysely';
import { allDays } from '../../kernel/day.js';
import { newId } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { countedRows } from '../input/counted-rows.js';
import { detachRecalculations } from '../requests/calculation-jobs.js';
import { requestWriteBack } from '../requests/write-back-requests.js';
import { recordHistory } from './event-history.js';
import { recordChangedCommission } from './record-changed-commission.js';
import { recountMonths } from './totals.js';

/** The number of deleted events, and of events that approved periods protected. */
interface ClearedEvents {
  readonly deleted: number;
  readonly skippedLocked: number;
  /** The run id of the history rows and of the audit entry. */
  readonly runId: string;
}

/** Locks every lane of the workspace, in order, so that no calculation writes events during the deletion. */
export async function lockAllLanes(tx: Transaction): Promise<void> {
  await tx.db
    .selectFrom('lanes')
    .select('rep_id')
    .where('workspace_id', '=', tx.workspaceId)
    .orderBy('rep_id')
    .forNoKeyUpdate()
    .execute();
}

/**
 * Deletes the events `e` that match the condition, each with a history row, and recomputes counters and totals.
 * Events of approved periods stay, also those that were carried forward. The caller holds all lanes.
 */
export async function clearEvents(tx: Transaction, condition: RawBuilder<unknown>): Promise<ClearedEvents> {
  const runId = newId();
  // An earned true-up in an open period pays the difference of an approved one.
  const locked = sql`(e.kind = 'true_up' and e.status = 'earned' or exists (
    select from statement_periods s where s.workspace_id = e.workspace_id and s.rep_id = e.rep_id
      and s.status = 'approved' and e.earned_on between s.from_day and s.to_day))`;
  const { rows: protectedRows } = await sql<{ count: number }>`
    select count(*)::int as count from commission_events e
    where e.workspace_id = ${tx.workspaceId} and ${condition} and ${locked}`.execute(tx.db);
  const { rows: cleared } = await sql<{ repId: string; events: number; paid: boolean }>`
    with deleted as materialized (
      delete from commission_events e where e.workspace_id = ${tx.workspaceId} and ${condition} and not ${locked} returning e.*
    ), history as (${recordHistory('deleted', sql`revision + 1`, sql`${runId}::uuid`)} from deleted)
    select rep_id as "repId", count(*)::int as events, bool_or(status = 'earned' and amount <> 0) as paid
    from deleted group by rep_id`.execute(tx.db);
  const changed = cleared.filter(({ paid }) => paid).map(({ repId }) => ({ repId, runId, eventIds: null }));
  await recordChangedCommission(tx, changed);
  requestWriteBack(
    tx,
    changed.map(({ repId }) => ({ repId, days: allDays })),
  );
  await failpoint('clear.afterDelete');
  await tx.db
    .updateTable('lanes')
    .set({
      cleared_at: sql`now()`,
      incomplete: true,
      fresh_revision: null,
      fresh_until: null,
      fresh_through: null,
      fresh_code: null,
      fresh_deals: null,
      fresh_skipped: null,
    })
    .where('workspace_id', '=', tx.workspaceId)
    .execute();
  // The events with which calculations would continue are deleted.
  await tx.db
    .updateTable('calculation_requests')
    .set({ continues: false })
    .where('workspace_id', '=', tx.workspaceId)
    .where('continues', '=', true)
    .execute();
  await recountQuotas(tx);
  await recountMonths(tx);
  await detachRecalculations(tx);
  const deleted = cleared.reduce((sum, { events }) => sum + events, 0);
  return { deleted, skippedLocked: protectedRows[0]?.count ?? 0, runId };
}

async function recountQuotas(tx: Transaction): Promise<void> {
  await sql`
    update quotas q set current_value = counted.credit, updated_at = now()
    from (
      select q.quota_id, coalesce(sum(c.credit), 0) as credit
      from quotas q left join ${countedRows(tx.workspaceId)} on c.rep_id = q.rep_id
        and c.plan_id = q.plan_id and c.attainment_key = q.attainment_key and c.period = q.period
      where q.workspace_id = ${tx.workspaceId}
      group by q.quota_id
    ) counted
    where q.workspace_id = ${tx.workspaceId} and q.quota_id = counted.quota_id
      and q.current_value <> counted.credit`.execute(tx.db);
}
