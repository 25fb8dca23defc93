import { type RawBuilder, sql } from 'kysely';
import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { newId } from '../kernel/ids.js';
import { type Period, periodOf } from '../kernel/period.js';
import { recordHistory } from '../ledger/output/event-history.js';
import { refreshMonths } from '../ledger/output/totals.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { recordChangedCommission } from '../platform/outbound/outgoing-events.js';
import { type AdjustmentRow } from './adjustment.js';
import { type TrueUpLine } from './true-up-line.js';

/** The ledger and the audit run that a change belongs to. The caller holds the rep's lane. */
export interface Entry {
  readonly workspaceId: string;
  readonly repId: string;
  readonly runId: string;
  readonly actor: string;
}

interface NewAdjustment {
  readonly kind: 'adjustment' | 'clawback' | 'true_up';
  readonly amount: string;
  readonly currency: string;
  readonly period: Period;
  readonly earnedOn: Day;
  readonly dealId: string | null;
  readonly reason: string | null;
}

/** Inserts an adjustment, a clawback or a true-up with its history. Returns its id. */
export async function insertAdjustment(trx: Work, entry: Entry, row: NewAdjustment): Promise<string> {
  const eventId = newId();
  await withHistory(
    trx,
    'inserted',
    sql`
    insert into commission_events (workspace_id, rep_id, event_id, kind, status, deal_key, category, amount, currency,
      period, earned_on, idempotency_key, reason, actor, run_id)
    values (${entry.workspaceId}, ${entry.repId}, ${eventId}, ${row.kind}, 'earned', ${row.dealId}, 'adjustment',
      ${row.amount}, ${row.currency}, ${row.period}, ${row.earnedOn}, ${newId()}, ${row.reason}, ${entry.actor},
      ${entry.runId})
    returning *`,
  );
  await recordChange(trx, entry, [eventId]);
  await refreshMonth(trx, entry, row.earnedOn);
  return eventId;
}

/** Stores the lines that a true-up consists of. */
export async function insertTrueUpLines(
  trx: Work,
  { workspaceId, repId }: Entry,
  {
    eventId,
    period,
    lines,
  }: { readonly eventId: string; readonly period: Period; readonly lines: readonly TrueUpLine[] },
): Promise<void> {
  await trx
    .insertInto('true_ups')
    .values({ workspace_id: workspaceId, event_id: eventId, rep_id: repId, period, lines: JSON.stringify(lines) })
    .execute();
}

export async function updateAdjustment(
  trx: Work,
  entry: Entry,
  row: AdjustmentRow,
  change: { readonly amount: string; readonly reason: string | null },
): Promise<void> {
  await withHistory(
    trx,
    'changed',
    sql`
    update commission_events set amount = ${change.amount}, reason = ${change.reason}, actor = ${entry.actor},
      run_id = ${entry.runId}, idempotency_key = ${newId()}, revision = revision + 1, updated_at = now()
    where workspace_id = ${entry.workspaceId} and rep_id = ${entry.repId} and event_id = ${row.eventId}
    returning *`,
  );
  if (!Decimal.of(change.amount).equals(Decimal.of(row.amount))) await recordChange(trx, entry, [row.eventId]);
  await refreshMonth(trx, entry, row.earnedOn);
}

export async function deleteAdjustment(trx: Work, entry: Entry, row: AdjustmentRow): Promise<void> {
  // The revision is incremented first, because the history records the deletion as a revision.
  await trx
    .updateTable('commission_events')
    .set({ revision: row.revision + 1, actor: entry.actor, run_id: entry.runId })
    .where('workspace_id', '=', entry.workspaceId)
    .where('rep_id', '=', entry.repId)
    .where('event_id', '=', row.eventId)
    .execute();
  await withHistory(
    trx,
    'deleted',
    sql`
    delete from commission_events
    where workspace_id = ${entry.workspaceId} and rep_id = ${entry.repId} and event_id = ${row.eventId}
    returning *`,
  );
  if (row.status === 'earned') await recordChange(trx, entry, [row.eventId]);
  await refreshMonth(trx, entry, row.earnedOn);
}

/**
 * Reverses the true-ups of the period, also those that were carried forward, and returns their number. The period must be
 * a draft again.
 */
export async function reverseTrueUps(trx: Work, entry: Entry, period: Period): Promise<number> {
  const days = await trueUpDays(trx, entry, period);
  const count = await withHistory(
    trx,
    'reversed',
    sql`
    update commission_events set status = 'reversed', actor = ${entry.actor}, run_id = ${entry.runId},
      revision = revision + 1, updated_at = now()
    where workspace_id = ${entry.workspaceId} and rep_id = ${entry.repId} and kind = 'true_up' and status = 'earned'
      and event_id in (select event_id from true_ups where workspace_id = ${entry.workspaceId}
        and rep_id = ${entry.repId} and period = ${period})
    returning *`,
  );
  if (count === 0) return 0;
  await recordChange(trx, entry, null);
  for (const day of days) await refreshMonth(trx, entry, day);
  return count;
}

/** The days of the earned true-ups that pay the difference of the period. */
export async function trueUpDays(
  trx: Work,
  { workspaceId, repId }: Pick<Entry, 'workspaceId' | 'repId'>,
  period: Period,
): Promise<Day[]> {
  const { rows } = await sql<{ day: Day }>`
    select distinct e.earned_on as day from true_ups t
    join commission_events e on e.workspace_id = t.workspace_id and e.rep_id = t.rep_id and e.event_id = t.event_id
    where t.workspace_id = ${workspaceId} and t.rep_id = ${repId} and t.period = ${period} and e.status = 'earned'
    order by 1`.execute(trx);
  return rows.map(({ day }) => day);
}

/** Stores the outgoing events of the change. */
async function recordChange(
  trx: Work,
  { workspaceId, repId, runId }: Entry,
  eventIds: readonly string[] | null,
): Promise<void> {
  await recordChangedCommission(trx, workspaceId, [{ repId, runId, eventIds }]);
}

async function withHistory(
  trx: Work,
  change: Parameters<typeof recordHistory>[0],
  write: RawBuilder<unknown>,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`with written as (${write}) ${recordHistory(change)} from written`.execute(
    trx,
  );
  return Number(numAffectedRows);
}

async function refreshMonth(trx: Work, { workspaceId, repId }: Entry, earnedOn: Day): Promise<void> {
  await refreshMonths(trx, workspaceId, [{ repId, month: periodOf(earnedOn, 'monthly') }]);
}
