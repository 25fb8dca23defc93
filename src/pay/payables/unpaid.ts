import { type RawBuilder, sql } from 'kysely';
import { type Period } from '../../kernel/period.js';
import { statementPeriodsTable } from '../../ledger/input/as-of.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { batchedLines } from './statement-payouts.js';

/**
 * What of the amounts that statements of the period pay is in no batch: rows of `rep_id`, `currency` and an `amount` above 0. The amounts
 * are a query of such rows.
 */
export function unpaidOf(tx: Transaction, period: Period, amounts: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select p.rep_id, p.currency, p.amount - coalesce(batched.amount, 0) as amount
    from (${amounts}) p
    left join (
      select l.rep_id, l.currency, sum(l.amount) as amount from ${batchedLines}
      where l.workspace_id = ${tx.workspaceId} and l.period = ${period}
        and b.created_at <= ${tx.until}::timestamptz
      group by l.rep_id, l.currency
    ) batched on batched.rep_id = p.rep_id and batched.currency = p.currency
    where p.amount > coalesce(batched.amount, 0)`;
}

/** What a statement pays, as rows of `currency` and `amount`, from its totals and what it converts; null while a rate is missing. */
export function paidAmounts(totals: RawBuilder<unknown>, pay: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select total ->> 'currency' as currency, (total ->> 'payable')::numeric as amount
    from jsonb_array_elements(${totals}) total where ${pay} is null
    union all
    select ${pay} ->> 'currency', (${pay} ->> 'amount')::numeric where ${pay} is not null`;
}

/** The people whose approved statement pays something that no batch contains. */
export async function unpaidReps(tx: Transaction, period: Period): Promise<string[]> {
  const approved = sql`
    select s.rep_id, paid.currency, paid.amount
    from ${statementPeriodsTable(tx)} h
    join statements s on s.workspace_id = h.workspace_id and s.rep_id = h.rep_id and s.period = h.period
      and s.version = h.current_version
    cross join lateral (${paidAmounts(sql`s.payable -> 'totals'`, sql`s.payable -> 'pay'`)}) paid
    where h.workspace_id = ${tx.workspaceId} and h.period = ${period} and h.status = 'approved'`;
  const { rows } = await sql<{ repId: string }>`
    select distinct rep_id as "repId" from (${unpaidOf(tx, period, approved)}) unpaid`.execute(tx.db);
  return rows.map(({ repId }) => repId);
}
