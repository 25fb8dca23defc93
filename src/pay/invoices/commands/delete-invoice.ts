import { z } from 'zod';
import { fields } from '../../../api/resource-fields.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { recordReleases, watchReleases } from '../../payables/record-releases.js';
import { invoiceExample, invoiceNotFound, invoiceParams } from '../invoice.js';
import { storeInvoices } from '../invoice-store.js';
import { findInvoice } from '../invoice-views.js';

export const deleteInvoice = operation({
  id: 'deleteInvoice',
  summary: 'Remove an invoice with its payments: what they released is taken back by the next open statement',
  method: 'delete',
  path: '/v1/deals/:dealId/invoices/:invoiceId',
  access: 'admin',
  params: invoiceParams,
  response: z.object({
    deleted: z.boolean().describe('Always true: an unknown invoice gets status 404'),
    dealId: fields.dealId,
    invoiceId: z.string().describe('Id of the invoice'),
  }),
  failures: { invoice_not_found: 404 },
  example: {
    params: { dealId: sampleIds.dealId, invoiceId: invoiceExample.invoiceId },
    response: { deleted: true, dealId: sampleIds.dealId, invoiceId: invoiceExample.invoiceId },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params }, caller, { unitOfWork, clock }) {
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      if ((await findInvoice(tx, params)) === null) throw invoiceNotFound();
      const before = await watchReleases(tx, [params.dealId], clock);
      await storeInvoices(tx, [{ ...params, terms: null }]);
      await recordReleases(tx, before);
      return { deleted: true, ...params };
    });
  },
});
