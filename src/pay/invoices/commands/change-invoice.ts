import { assertDealExists } from '../../../deals/deal-views.js';
import { deleteOf, factsAtPath, putOf } from '../../../imports/fact-operations.js';
import { withReleases } from '../../payables/record-releases.js';
import {
  assertPaymentsUnique,
  invoice,
  invoiceExample,
  invoiceNotFound,
  invoiceParams,
  invoiceTerms,
} from '../invoice.js';
import { invoiceFacts } from '../invoice-facts.js';
import { findInvoiceResponse } from '../missing-rates.js';

const invoices = factsAtPath({
  facts: withReleases(invoiceFacts),
  path: '/v1/deals/:dealId/invoices/:invoiceId',
  params: invoiceParams,
  terms: invoiceTerms,
  response: invoice,
  example: { ...invoiceExample, payments: [...invoiceExample.payments] },
  failures: {},
  notFound: invoiceNotFound,
  find: findInvoiceResponse,
  async assertChangeable(tx, { dealId }, { terms }) {
    if (terms === null) return;
    assertPaymentsUnique(terms);
    await assertDealExists(tx, dealId);
  },
  trigger: 'recalculation',
});

export const putInvoice = putOf(invoices, {
  id: 'putInvoice',
  summary:
    'Store an invoice of a deal with all of its payments: rules that pay as the customer pays release commission',
  failures: { deal_not_found: 404 },
  body: { amount: 60_000, issuedOn: '2026-01-31', payments: [...invoiceExample.payments] },
});

export const deleteInvoice = deleteOf(invoices, {
  id: 'deleteInvoice',
  summary: 'Remove an invoice with its payments: what they released is taken back by the next open statement',
  unknown: 'an unknown invoice',
});
