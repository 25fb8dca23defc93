import { z } from 'zod';
import { dealId } from '../../../deals/deal.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { listOf } from '../../../platform/operations/list-of.js';
import { invoice, invoiceExample } from '../invoice.js';
import { listInvoices as loadInvoices } from '../invoice-views.js';
import { markMissingRates } from '../missing-rates.js';

const params = z.strictObject({ dealId: dealId.describe('Id of the deal in the CRM') });

export const listInvoices = listOf(
  {
    id: 'listInvoices',
    summary: 'List the invoices of a deal with the payments of the customer, by day',
    path: '/v1/deals/:dealId/invoices',
    access: 'admin',
    payroll: true,
    params,
    list: { name: 'invoices', items: z.array(invoice).describe('The invoices of the deal') },
    example: { params: { dealId: sampleIds.dealId }, items: [invoiceExample] },
  },
  async (tx, { params: { dealId: requested } }) => markMissingRates(tx, await loadInvoices(tx, [requested])),
);
