import { sql } from 'kysely';
import { unnestRows } from '../../platform/database/columns.js';
import { storeKeyed } from '../../platform/database/store-keyed.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { type InvoiceTerms } from './invoice.js';

export interface InvoiceKey {
  readonly dealId: string;
  readonly invoiceId: string;
}

/** An invoice with its payments. Null for none. */
interface StoredInvoice extends InvoiceKey {
  readonly terms: InvoiceTerms | null;
}

const keyColumns = [
  ['deal_id', 'text', ({ dealId }: InvoiceKey) => dealId],
  ['invoice_id', 'text', ({ invoiceId }: InvoiceKey) => invoiceId],
] as const;

/** Stores each invoice with its payments in place of the present one, and the new state in the history. */
export function storeInvoices(tx: Transaction, invoices: readonly StoredInvoice[]): Promise<void> {
  return storeKeyed<InvoiceKey, InvoiceTerms>(invoices, {
    remove: (keys) => removeInvoices(tx, keys),
    replace: (replaced) => replaceInvoices(tx, replaced),
    record: (stored) => recordInvoices(tx, stored),
  });
}

async function removeInvoices(tx: Transaction, keys: readonly InvoiceKey[]): Promise<void> {
  await sql`
    delete from invoices t using ${unnestRows(keys, keyColumns)}
    where t.workspace_id = ${tx.workspaceId} and t.deal_id = input.deal_id and t.invoice_id = input.invoice_id`.execute(
    tx.db,
  );
}

async function recordInvoices(tx: Transaction, invoices: readonly StoredInvoice[]): Promise<void> {
  await sql`
    insert into invoice_history (workspace_id, deal_id, invoice_id, content)
    select ${tx.workspaceId}::uuid, deal_id, invoice_id, content
    from ${unnestRows(invoices, [
      ...keyColumns,
      ['content', 'jsonb', ({ terms }) => (terms === null ? null : JSON.stringify(terms))],
    ])}`.execute(tx.db);
}

async function replaceInvoices(
  tx: Transaction,
  invoices: readonly (InvoiceKey & { readonly terms: InvoiceTerms })[],
): Promise<void> {
  await sql`
    insert into invoices (workspace_id, deal_id, invoice_id, amount, gross_amount, currency, issued_on, status)
    select ${tx.workspaceId}::uuid, deal_id, invoice_id, amount, gross_amount, currency, issued_on, status
    from ${unnestRows(invoices, [
      ...keyColumns,
      ['amount', 'numeric', ({ terms }) => String(terms.amount)],
      ['gross_amount', 'numeric', ({ terms }) => (terms.grossAmount === null ? null : String(terms.grossAmount))],
      ['currency', 'text', ({ terms }) => terms.currency],
      ['issued_on', 'date', ({ terms }) => terms.issuedOn],
      ['status', 'text', ({ terms }) => terms.status],
    ])}
    on conflict (workspace_id, deal_id, invoice_id) do update set amount = excluded.amount,
      gross_amount = excluded.gross_amount, currency = excluded.currency, issued_on = excluded.issued_on,
      status = excluded.status, updated_at = now()`.execute(tx.db);
  const payments = invoices.flatMap(({ terms, ...key }) => terms.payments.map((payment) => ({ ...key, ...payment })));
  const paid = unnestRows(payments, [...keyColumns, ['payment_id', 'text', ({ paymentId }) => paymentId]]);
  await sql`
    delete from customer_payments t using ${unnestRows(invoices, keyColumns)}
    where t.workspace_id = ${tx.workspaceId} and t.deal_id = input.deal_id and t.invoice_id = input.invoice_id
      and (t.deal_id, t.invoice_id, t.payment_id) not in (select deal_id, invoice_id, payment_id from ${paid})`.execute(
    tx.db,
  );
  if (payments.length > 0)
    await sql`
      insert into customer_payments as p (workspace_id, deal_id, invoice_id, payment_id, amount, paid_on)
      select ${tx.workspaceId}::uuid, deal_id, invoice_id, payment_id, amount, paid_on
      from ${unnestRows(payments, [
        ...keyColumns,
        ['payment_id', 'text', ({ paymentId }) => paymentId],
        ['amount', 'numeric', ({ amount }) => String(amount)],
        ['paid_on', 'date', ({ paidOn }) => paidOn],
      ])}
      on conflict (workspace_id, deal_id, invoice_id, payment_id)
        do update set amount = excluded.amount, paid_on = excluded.paid_on
        where (p.amount, p.paid_on) is distinct from (excluded.amount, excluded.paid_on)`.execute(tx.db);
  await failpoint('invoice.afterReplace');
}
