import { type RawBuilder, sql } from 'kysely';
import { anyOf } from '../../platform/database/columns.js';
import { latestRows } from '../../platform/database/latest-rows.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Invoice } from './invoice.js';
import { type InvoiceKey } from './invoice-store.js';

/** The invoices of the deals, by deal and id, or of the whole workspace; at the transaction's `asOf` if it has one. */
export async function listInvoices(tx: Transaction, dealIds: readonly string[]): Promise<Invoice[]> {
  if (dealIds.length === 0) return [];
  return selectInvoices(tx, sql`deal_id = ${anyOf('text', dealIds)}`);
}

export async function findInvoice(tx: Transaction, { dealId, invoiceId }: InvoiceKey): Promise<Invoice | null> {
  const [found] = await selectInvoices(tx, sql`deal_id = ${dealId} and invoice_id = ${invoiceId}`);
  return found ?? null;
}

interface InvoiceRow extends Omit<Invoice, 'updatedAt'> {
  readonly updatedAt: Date;
}

async function selectInvoices(tx: Transaction, condition: RawBuilder<unknown>): Promise<Invoice[]> {
  const { rows } = await (tx.asOf === null ? selectPresent(tx, condition) : selectEarlier(tx, condition)).execute(
    tx.db,
  );
  return rows.map((row) => ({ ...row, updatedAt: row.updatedAt.toISOString() }));
}

function selectPresent(tx: Transaction, condition: RawBuilder<unknown>): RawBuilder<InvoiceRow> {
  return sql<InvoiceRow>`
    select deal_id as "dealId", invoice_id as "invoiceId", amount::float8 as amount,
      gross_amount::float8 as "grossAmount", currency, issued_on as "issuedOn", status, updated_at as "updatedAt",
      coalesce((
        select jsonb_agg(jsonb_build_object('paymentId', p.payment_id, 'amount', p.amount::float8, 'paidOn', p.paid_on)
          order by p.paid_on, p.payment_id)
        from customer_payments p
        where p.workspace_id = i.workspace_id and p.deal_id = i.deal_id and p.invoice_id = i.invoice_id
      ), '[]') as payments
    from invoices i where workspace_id = ${tx.workspaceId} and ${condition}
    order by deal_id, issued_on, invoice_id`;
}

function selectEarlier(tx: Transaction, condition: RawBuilder<unknown>): RawBuilder<InvoiceRow> {
  return sql<InvoiceRow>`
    select deal_id as "dealId", invoice_id as "invoiceId", changed_at as "updatedAt", c.*
    from ${latestRows(tx, 'invoice_history', ['deal_id', 'invoice_id'], [condition])}
    cross join lateral jsonb_to_record(content) c (amount float8, "grossAmount" float8, currency text, "issuedOn" date,
      status text, payments jsonb)
    where content is not null
    order by deal_id, "issuedOn", invoice_id`;
}
