import { sql } from 'kysely';
import { type DayRange } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { isRefundKeyColumn } from '../ledger/input/deal-keys.js';
import { type Transaction } from '../platform/database/unit-of-work.js';

export interface OpenTotal {
  readonly repId: string;
  readonly currency: string;
  readonly amount: Decimal;
  /** The part of refunds, which is negative or 0. */
  readonly ofRefunds: Decimal;
}

/** Commission of the plan in open periods, by rep and currency. */
export async function loadOpenTotals(tx: Transaction, planId: string, { from, to }: DayRange): Promise<OpenTotal[]> {
  const { rows } = await sql<{ repId: string; currency: string; amount: string; ofRefunds: string }>`
    select e.rep_id as "repId", e.currency, sum(e.amount)::text as amount,
      coalesce(sum(e.amount) filter (where ${isRefundKeyColumn(sql`e.deal_key`)}), 0)::text as "ofRefunds"
    from commission_events e
    where e.workspace_id = ${tx.workspaceId} and e.plan_id = ${planId} and e.kind = 'commission_earned'
      and e.status = 'earned' and e.earned_on between ${from}::date and ${to}::date and not exists (
        select from statement_periods s
        where s.workspace_id = e.workspace_id and s.rep_id = e.rep_id and s.status = 'approved'
          and e.earned_on between s.from_day and s.to_day)
    group by e.rep_id, e.currency`.execute(tx.db);
  return rows.map((row) => ({
    ...row,
    amount: Decimal.of(row.amount),
    ofRefunds: Decimal.of(row.ofRefunds),
  }));
}
