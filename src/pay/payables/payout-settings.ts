import { sql } from 'kysely';
import { type PayPeriodSegment } from '../../access/workspaces/workspace-tables.js';
import { loadPayPeriodSegments } from '../../access/workspaces/workspace-views.js';
import { type Day } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { type Period } from '../../kernel/period.js';
import { loadCalendar } from '../../ledger/input/calendar.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { PayPeriods } from './pay-periods.js';

/** The pay periods of the workspace; null while payouts are off. */
export async function loadPayPeriods(tx: Transaction): Promise<PayPeriods | null> {
  const segments = await loadPayPeriodSegments(tx);
  return segments === null ? null : new PayPeriods(segments, await loadCalendar(tx));
}

/** Whether the workspace has payouts, and the period is one of its pay periods. */
export async function isPayPeriod(tx: Transaction, period: Period): Promise<boolean> {
  return (await loadPayPeriods(tx))?.includes(period) === true;
}

/** How much of what a statement releases it may keep, in percent, by rep. */
export async function loadRecoveryLimits(
  tx: Transaction,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, Decimal>> {
  const { rows } = await sql<{ repId: string; percent: string }>`
    select r.rep_id as "repId", coalesce(r.recovery_percent, w.recovery_percent, 100)::text as percent
    from reps r join workspaces w on w.workspace_id = r.workspace_id
    where r.workspace_id = ${tx.workspaceId} and r.rep_id = any(${repIds}::uuid[])`.execute(tx.db);
  return new Map(rows.map(({ repId, percent }) => [repId, Decimal.of(percent)]));
}

export async function savePayouts(tx: Transaction, segments: readonly PayPeriodSegment[] | null): Promise<void> {
  await tx.db
    .updateTable('workspaces')
    .set({ payouts: segments === null ? null : JSON.stringify(segments) })
    .where('workspace_id', '=', tx.workspaceId)
    .execute();
}

/** The periods with days on or after the day for which a statement is approved, the latest first. */
export async function listApprovedAfter(
  tx: Transaction,
  day: Day,
): Promise<{ readonly period: string; readonly to: Day }[]> {
  const { rows } = await sql<{ period: string; to: Day }>`
    select distinct period, to_day as "to" from statement_periods
    where workspace_id = ${tx.workspaceId} and status = 'approved' and to_day >= ${day}::date
    order by to_day desc, period`.execute(tx.db);
  return rows;
}
