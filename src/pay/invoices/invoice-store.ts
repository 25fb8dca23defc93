import { sql } from 'kysely';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { type InvoiceTerms } from './invoice.js';

export interface InvoiceKey {
  readonly dealId: string;
  readonly invoiceId: string;
}

/** Stores the invoice with its payments in place of the present one, and the new state in the history. */
export async function replaceInvoice(
  tx: Transaction,
  { dealId, invoiceId }: InvoiceKey,
  terms: InvoiceTerms,
): Promise<void> {
  const key = { workspace_id: tx.workspaceId, deal_id: dealId, invoice_id: invoiceId };
  const columns = {
    amount: terms.amount,
    gross_amount: terms.grossAmount,
    currency: terms.currency,
    issued_on: terms.issuedOn,
    status: terms.status,
    updated_at: sql<Date>`now()`,
  };
  await tx.db
    .insertInto('invoices')
    .values({ ...key, ...columns })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'deal_id', 'invoice_id']).doUpdateSet(columns))
    .execute();
  const { payments } = terms;
  await sql`
    delete from customer_payments where workspace_id = ${tx.workspaceId} and deal_id = ${dealId}
      and invoice_id = ${invoiceId} and payment_id <> all(${payments.map(({ paymentId }) => paymentId)}::text[])`.execute(
    tx.db,
  );
  if (payments.length > 0)
    await sql`
      insert into customer_payments as p (workspace_id, deal_id, invoice_id, payment_id, amount, paid_on)
      select ${tx.workspaceId}::uuid, ${dealId}, ${invoiceId}, payment_id, amount, paid_on
      from ${unnestRows(payments, [
        ['payment_id', 'text', ({ paymentId }) => paymentId],
        ['amount', 'numeric', ({ amount }) => String(amount)],
        ['paid_on', 'date', ({ paidOn }) => paidOn],
      ])}
      on conflict (workspace_id, deal_id, invoice_id, payment_id)
        do update set amount = excluded.amount, paid_on = excluded.paid_on
        where (p.amount, p.paid_on) is distinct from (excluded.amount, excluded.paid_on)`.execute(tx.db);
  await failpoint('invoice.afterReplace');
  await recordInvoice(tx, { dealId, invoiceId }, terms);
}

export async function removeInvoice(tx: Transaction, key: InvoiceKey): Promise<void> {
  await tx.db
    .deleteFrom('invoices')
    .where('workspace_id', '=', tx.workspaceId)
    .where('deal_id', '=', key.dealId)
    .where('invoice_id', '=', key.invoiceId)
    .execute();
  await recordInvoice(tx, key, null);
}

async function recordInvoice(
  tx: Transaction,
  { dealId, invoiceId }: InvoiceKey,
  content: InvoiceTerms | null,
): Promise<void> {
  await tx.db
    .insertInto('invoice_history')
    .values({
      workspace_id: tx.workspaceId,
      deal_id: dealId,
      invoice_id: invoiceId,
      content: content === null ? null : JSON.stringify(content),
    })
    .execute();
}
