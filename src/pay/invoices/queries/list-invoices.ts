import { z } from 'zod';
import { dealId } from '../../../deals/deal.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { invoice, invoiceExample } from '../invoice.js';
import { listInvoices as loadInvoices } from '../invoice-views.js';
import { markMissingRates } from '../missing-rates.js';

const params = z.strictObject({ dealId: dealId.describe('Id of the deal in the CRM') });

export const listInvoices = operation({
  id: 'listInvoices',
  summary: 'List the invoices of a deal with the payments of the customer, by day',
  method: 'get',
  path: '/v1/deals/:dealId/invoices',
  access: 'admin',
  payroll: true,
  params,
  response: z.object({
    invoices: z.array(invoice).describe('The invoices of the deal'),
    count: z.int().describe('Number of invoices'),
  }),
  failures: {},
  example: { params: { dealId: sampleIds.dealId }, response: { invoices: [invoiceExample], count: 1 } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { dealId: requested } }, caller, { unitOfWork }) {
    const invoices = await unitOfWork.read(caller, async (tx) =>
      markMissingRates(tx, await loadInvoices(tx, [requested])),
    );
    return { invoices, count: invoices.length };
  },
});
