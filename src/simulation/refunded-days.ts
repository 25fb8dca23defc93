import { type RawBuilder, sql } from 'kysely';
import { type Day, type DayRange, hull } from '../kernel/day.js';
import { hasPartOf } from '../ledger/input/deals-of-rep.js';
import { type Transaction } from '../platform/database/unit-of-work.js';

/**
 * The days with those on which the people's deals closed whose refunds lie in the days, and those of the given deals: a
 * refund takes back what a calculation of these days pays.
 */
export async function widenToSources(
  tx: Transaction,
  days: DayRange,
  repIds: readonly string[],
  dealIds: readonly string[] = [],
): Promise<DayRange> {
  return widen(
    tx,
    days,
    sql`
    select min(d.close_date) as "from", max(d.close_date) as "to" from deals d
    where d.workspace_id = ${tx.workspaceId} and d.deleted_at is null and ${hasPartOf(tx.workspaceId, sql`d`, repIds)}
      and (d.deal_id = any(${dealIds}::text[]) or d.deal_id in (
        select deal_id from deal_refunds
        where workspace_id = ${tx.workspaceId} and day between ${days.from}::date and ${days.to}::date))`,
  );
}

/** The days with those of the refunds of the people's deals that closed in the days. */
export async function widenToRefunds(tx: Transaction, days: DayRange, repIds: readonly string[]): Promise<DayRange> {
  return widen(
    tx,
    days,
    sql`
    select min(r.day) as "from", max(r.day) as "to"
    from deal_refunds r join deals d on d.workspace_id = r.workspace_id and d.deal_id = r.deal_id
    where r.workspace_id = ${tx.workspaceId} and d.deleted_at is null
      and d.close_date between ${days.from}::date and ${days.to}::date
      and ${hasPartOf(tx.workspaceId, sql`d`, repIds)}`,
  );
}

async function widen(tx: Transaction, days: DayRange, found: RawBuilder<unknown>): Promise<DayRange> {
  const { rows } = await sql<{ from: Day | null; to: Day | null }>`${found}`.execute(tx.db);
  return rows.reduce<DayRange>(
    (wide, { from, to }) => (from === null || to === null ? wide : hull(wide, { from, to })),
    days,
  );
}
