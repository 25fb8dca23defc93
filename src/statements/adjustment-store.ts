import { type RawBuilder, sql } from 'kysely';
import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { newId } from '../kernel/ids.js';
import { type Period, toPeriod } from '../kernel/period.js';
import { recordHistory } from '../ledger/output/event-history.js';
import { recordChangedCommission } from '../ledger/output/record-changed-commission.js';
import { refreshMonths } from '../ledger/output/totals.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type AdjustmentRow } from './adjustment.js';
import { type TrueUpLine } from './true-up-line.js';

/** The ledger and the audit run that a change belongs to. The caller holds the rep's lane. */
export interface Entry {
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

/** Inserts an adjustment or a clawback with its history. Returns its id. */
export async function insertAdjustment(tx: Transaction, entry: Entry, row: NewAdjustment): Promise<string> {
  const eventId = await insertEvent(tx, entry, row);
  await recordChange(tx, entry, [eventId]);
  return eventId;
}

/** What pays the difference of a period in one currency, and the lines that it consists of. */
export interface NewTrueUp extends Pick<NewAdjustment, 'amount' | 'currency' | 'period' | 'earnedOn' | 'reason'> {
  readonly source: Period;
  readonly lines: readonly TrueUpLine[];
}

/** Inserts the true-ups of one entry, and returns the ids of their events by currency. */
export async function insertTrueUps(
  tx: Transaction,
  entry: Entry,
  trueUps: readonly NewTrueUp[],
): Promise<ReadonlyMap<string, string>> {
  const eventIds = new Map<string, string>();
  for (const { source, lines, ...row } of trueUps) {
    const eventId = await insertEvent(tx, entry, { kind: 'true_up', dealId: null, ...row });
    await insertTrueUpLines(tx, entry, { eventId, period: source, lines });
    eventIds.set(row.currency, eventId);
  }
  await recordChange(tx, entry, [...eventIds.values()]);
  return eventIds;
}

async function insertEvent(tx: Transaction, entry: Entry, row: NewAdjustment): Promise<string> {
  const eventId = newId();
  await withHistory(
    tx,
    'inserted',
    sql`
    insert into commission_events (workspace_id, rep_id, event_id, kind, status, deal_key, category, amount, currency,
      period, earned_on, idempotency_key, reason, actor, run_id)
    values (${tx.workspaceId}, ${entry.repId}, ${eventId}, ${row.kind}, 'earned', ${row.dealId}, 'adjustment',
      ${row.amount}, ${row.currency}, ${row.period}, ${row.earnedOn}, ${newId()}, ${row.reason}, ${entry.actor},
      ${entry.runId})
    returning *`,
  );
  await refreshMonth(tx, entry, row.earnedOn);
  return eventId;
}

async function insertTrueUpLines(
  tx: Transaction,
  { repId }: Entry,
  { eventId, period, lines }: { readonly eventId: string } & Pick<NewTrueUp, 'lines'> & { readonly period: Period },
): Promise<void> {
  await tx.db
    .insertInto('true_ups')
    .values({ workspace_id: tx.workspaceId, event_id: eventId, rep_id: repId, period, lines: JSON.stringify(lines) })
    .execute();
}

export async function updateAdjustment(
  tx: Transaction,
  entry: Entry,
  row: AdjustmentRow,
  change: { readonly amount: string; readonly reason: string | null },
): Promise<void> {
  await withHistory(
    tx,
    'changed',
    sql`
    update commission_events set amount = ${change.amount}, reason = ${change.reason}, actor = ${entry.actor},
      run_id = ${entry.runId}, idempotency_key = ${newId()}, revision = revision + 1, updated_at = now()
    where workspace_id = ${tx.workspaceId} and rep_id = ${entry.repId} and event_id = ${row.eventId}
    returning *`,
  );
  if (!Decimal.of(change.amount).equals(Decimal.of(row.amount))) await recordChange(tx, entry, [row.eventId]);
  await refreshMonth(tx, entry, row.earnedOn);
}

export async function deleteAdjustment(tx: Transaction, entry: Entry, row: AdjustmentRow): Promise<void> {
  // The revision is incremented first, because the history records the deletion as a revision.
  await tx.db
    .updateTable('commission_events')
    .set({ revision: row.revision + 1, actor: entry.actor, run_id: entry.runId })
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', entry.repId)
    .where('event_id', '=', row.eventId)
    .execute();
  await withHistory(
    tx,
    'deleted',
    sql`
    delete from commission_events
    where workspace_id = ${tx.workspaceId} and rep_id = ${entry.repId} and event_id = ${row.eventId}
    returning *`,
  );
  if (row.status === 'earned') await recordChange(tx, entry, [row.eventId]);
  await refreshMonth(tx, entry, row.earnedOn);
}

/**
 * Reverses the true-ups of the period, also those that were carried forward, and returns their number. The period must be
 * a draft again.
 */
export async function reverseTrueUps(tx: Transaction, entry: Entry, period: Period): Promise<number> {
  const days = await trueUpDays(tx, entry, period);
  const count = await withHistory(
    tx,
    'reversed',
    sql`
    update commission_events set status = 'reversed', actor = ${entry.actor}, run_id = ${entry.runId},
      revision = revision + 1, updated_at = now()
    where workspace_id = ${tx.workspaceId} and rep_id = ${entry.repId} and kind = 'true_up' and status = 'earned'
      and event_id in (select event_id from true_ups where workspace_id = ${tx.workspaceId}
        and rep_id = ${entry.repId} and period = ${period})
    returning *`,
  );
  if (count === 0) return 0;
  await recordChange(tx, entry, null);
  for (const day of days) await refreshMonth(tx, entry, day);
  return count;
}

/** The days of the earned true-ups that pay the difference of the period. */
export async function trueUpDays(tx: Transaction, { repId }: Pick<Entry, 'repId'>, period: Period): Promise<Day[]> {
  const { rows } = await sql<{ day: Day }>`
    select distinct e.earned_on as day from true_ups t
    join commission_events e on e.workspace_id = t.workspace_id and e.rep_id = t.rep_id and e.event_id = t.event_id
    where t.workspace_id = ${tx.workspaceId} and t.rep_id = ${repId} and t.period = ${period} and e.status = 'earned'
    order by 1`.execute(tx.db);
  return rows.map(({ day }) => day);
}

/** Stores the outgoing events of the change, once for each run: a run has one delivery for each endpoint and rep. */
async function recordChange(
  tx: Transaction,
  { repId, runId }: Entry,
  eventIds: readonly string[] | null,
): Promise<void> {
  await recordChangedCommission(tx, [{ repId, runId, eventIds }]);
}

async function withHistory(
  tx: Transaction,
  change: Parameters<typeof recordHistory>[0],
  write: RawBuilder<unknown>,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`with written as (${write}) ${recordHistory(change)} from written`.execute(
    tx.db,
  );
  return Number(numAffectedRows);
}

async function refreshMonth(tx: Transaction, { repId }: Entry, earnedOn: Day): Promise<void> {
  await refreshMonths(tx, [{ repId, month: toPeriod(earnedOn, 'monthly') }]);
}
