import { sql } from 'kysely';
import { type Transaction } from '../../platform/database/unit-of-work.js';

interface Removed {
  readonly invoices: number;
  readonly payments: number;
}

/** Removes the invoices of the deal with their payments. */
export async function removeInvoicesOf(tx: Transaction, dealId: string): Promise<Removed> {
  const { rows } = await sql<Removed>`
    with removed as (
      delete from invoices where workspace_id = ${tx.workspaceId} and deal_id = ${dealId} returning invoice_id
    ), ended as (
      insert into invoice_history (workspace_id, deal_id, invoice_id, content)
      select ${tx.workspaceId}::uuid, ${dealId}, invoice_id, null from removed
    )
    select (select count(*)::int from removed) as invoices, (
      select count(*)::int from customer_payments
      where workspace_id = ${tx.workspaceId} and deal_id = ${dealId}) as payments`.execute(tx.db);
  return rows[0] as Removed;
}
