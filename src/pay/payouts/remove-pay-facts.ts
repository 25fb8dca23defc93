import { sql } from 'kysely';
import { type RemovePayFacts } from '../../deals/purge-deal.js';
import { Failure } from '../../kernel/failure.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { removeInvoicesOf } from '../invoices/remove-invoices.js';

export const removePayFacts: RemovePayFacts = async (tx, dealId) => {
  await assertNotPaid(tx, dealId);
  return removeInvoicesOf(tx, dealId);
};

/** What is in a batch can be explained only with the refunds and payments that decided it. */
async function assertNotPaid(tx: Transaction, dealId: string): Promise<void> {
  const { rows } = await sql<{ batchId: string; period: string }>`
    with facts as materialized (
      select day, 'refund:' || deal_id || ':' || refund_id as deal_key from deal_refunds
      where workspace_id = ${tx.workspaceId} and deal_id = ${dealId}
      union all
      select paid_on, deal_id from customer_payments
      where workspace_id = ${tx.workspaceId} and deal_id = ${dealId}
    )
    select b.batch_id as "batchId", b.period from payout_batches b
    join payout_batch_lines l on l.workspace_id = b.workspace_id and l.batch_id = b.batch_id
    join statements s on s.workspace_id = l.workspace_id and s.rep_id = l.rep_id and s.period = l.period
      and s.version = l.version
    join statement_periods p on p.workspace_id = l.workspace_id and p.rep_id = l.rep_id and p.period = l.period
    where b.workspace_id = ${tx.workspaceId} and b.status <> 'cancelled'
      and p.to_day >= (select min(day) from facts)
      and l.rep_id in (
        select rep_id from commission_events
        where workspace_id = ${tx.workspaceId} and deal_key in (select ${dealId} union select deal_key from facts))
      and jsonb_path_exists(s.payable, '$.lines[*].dealId ? (@ == $id)', jsonb_build_object('id', ${dealId}::text))
    order by b.created_at limit 1`.execute(tx.db);
  const [batch] = rows;
  if (batch === undefined) return;
  throw new Failure(
    'already_paid',
    `The payout batch of ${batch.period} contains what refunds or customer payments of this deal have decided, so they are kept. Delete the deal without hard.`,
    { batchId: batch.batchId },
  );
}
