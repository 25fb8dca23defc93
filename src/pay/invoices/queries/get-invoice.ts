import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { type InvoiceResponse, invoice, invoiceExample, invoiceNotFound, invoiceParams } from '../invoice.js';
import { findInvoiceResponse } from '../missing-rates.js';

export const getInvoice = operation({
  id: 'getInvoice',
  summary: 'Get an invoice of a deal with the payments of the customer',
  method: 'get',
  path: '/v1/deals/:dealId/invoices/:invoiceId',
  access: 'admin',
  payroll: true,
  params: invoiceParams,
  response: invoice,
  failures: { invoice_not_found: 404 },
  example: {
    params: { dealId: sampleIds.dealId, invoiceId: invoiceExample.invoiceId },
    response: invoiceExample,
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params }, caller, { unitOfWork }): Promise<InvoiceResponse> {
    const found = await unitOfWork.read(caller, (tx) => findInvoiceResponse(tx, params));
    if (found === null) throw invoiceNotFound();
    return found;
  },
});
