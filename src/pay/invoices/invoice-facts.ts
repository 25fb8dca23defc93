import { factOf, factsOf } from '../../platform/files/facts.js';
import { type InvoiceTerms } from './invoice.js';
import { type InvoiceKey, storeInvoices } from './invoice-store.js';
import { listInvoices } from './invoice-views.js';

/** An invoice as a file states it, with all of its payments in the order in which they are stored. */
export interface InvoiceFact extends InvoiceKey, InvoiceTerms {}

export const invoiceFacts = factsOf<InvoiceFact>({
  key: ['dealId', 'invoiceId'],
  terms: ['amount', 'grossAmount', 'currency', 'issuedOn', 'status', 'payments'],
  load: async (tx, invoices) =>
    (await listInvoices(tx, [...new Set(invoices.map(({ dealId }) => dealId))])).map(
      ({ updatedAt: _, payments, ...invoice }) => ({
        ...invoice,
        payments: inOrder(payments),
      }),
    ),
  async store(tx, changes) {
    await storeInvoices(
      tx,
      changes.map((change) => {
        const { dealId, invoiceId, ...terms } = factOf(change);
        return { dealId, invoiceId, terms: change.after === null ? null : terms };
      }),
    );
    return [];
  },
});

/** The payments in one order, so that invoices can be compared. */
export function inOrder(payments: InvoiceTerms['payments']): InvoiceTerms['payments'] {
  return [...payments].sort((a, b) => (a.paymentId < b.paymentId ? -1 : 1));
}
