import { type RawBuilder, sql } from 'kysely';
import { loadPayPeriodSegments } from '../../access/workspaces/workspace-views.js';
import { type DayRange } from '../../kernel/day.js';
import { monthsTable, statementPeriodsTable } from '../../ledger/input/as-of.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { drawsTable } from '../draws/draw-views.js';

/**
 * Whether approved statements have not paid all that the row of `reps r` has earned until the end of the days, or a draw is
 * granted on them: people are listed until then, also after they have left. False while payouts are off.
 */
export async function hasOpenPay(tx: Transaction, { from, to }: DayRange): Promise<RawBuilder<boolean>> {
  const [first] = (await loadPayPeriodSegments(tx)) ?? [];
  if (first === undefined) return sql`false`;
  return sql`(
    exists (
      select from (
        select m.currency, m.commission + m.bonus + m.adjustments as amount from ${monthsTable(tx)} m
        where m.workspace_id = r.workspace_id and m.rep_id = r.rep_id
          and m.month between date_trunc('month', ${first.from}::date) and ${to}::date
        union all
        select t ->> 'currency', (t ->> 'added')::numeric - (t ->> 'recovered')::numeric - (t ->> 'payable')::numeric
          + coalesce((t ->> 'drawn')::numeric, 0) - coalesce((t ->> 'repaid')::numeric, 0)
        from ${statementPeriodsTable(tx)} paid
        join statements s on s.workspace_id = paid.workspace_id and s.rep_id = paid.rep_id and s.period = paid.period
          and s.version = paid.current_version
        cross join jsonb_array_elements(s.payable -> 'totals') t
        where paid.workspace_id = r.workspace_id and paid.rep_id = r.rep_id and paid.status = 'approved'
      ) open
      group by currency having sum(amount) <> 0)
    or exists (
      select from ${drawsTable(tx)} d
      where d.workspace_id = r.workspace_id and d.rep_id = r.rep_id
        and d.from_day <= ${to}::date and coalesce(d.to_day, 'infinity') >= ${from}::date))`;
}
