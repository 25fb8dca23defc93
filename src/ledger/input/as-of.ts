import { type RawBuilder, sql } from 'kysely';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { monthColumns, monthSums } from '../output/totals.js';

/**
 * The commission events as a table expression: the current rows, or in a transaction with `asOf` the rows as they were
 * at that instant, from the history. A history row has the time at which its transaction began.
 */
export function eventsTable(tx: Transaction): RawBuilder<unknown> {
  if (tx.asOf === null) return sql`commission_events`;
  return sql`(
    select * from (
      select distinct on (rep_id, event_id) *, changed_at as updated_at from commission_event_history
      where workspace_id = ${tx.workspaceId} and changed_at <= ${tx.until}::timestamptz
      order by rep_id, event_id, revision desc
    ) latest where change <> 'deleted')`;
}

/** The monthly totals as a table expression: the current rows, or in a transaction with `asOf` sums of the history. */
export function monthsTable(tx: Transaction): RawBuilder<unknown> {
  if (tx.asOf === null) return sql`rep_months`;
  return sql`(
    with sums (${monthColumns}) as (
      select ${monthSums} from ${eventsTable(tx)} e where status = 'earned'
      group by workspace_id, rep_id, 3, currency
    )
    select * from sums)`;
}

/** The states of statements as a table expression: the current rows, or in a transaction with `asOf` the earlier ones. */
export function statementPeriodsTable(tx: Transaction): RawBuilder<unknown> {
  if (tx.asOf === null) return sql`statement_periods`;
  return sql`(
    select distinct on (rep_id, period) * from statement_period_history
    where workspace_id = ${tx.workspaceId} and changed_at <= ${tx.until}::timestamptz
    order by rep_id, period, position desc)`;
}
