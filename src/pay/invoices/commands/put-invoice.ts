import { assertDealExists } from '../../../deals/deal-views.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { recordReleases, watchReleases } from '../../payables/record-releases.js';
import {
  assertPaymentsUnique,
  type Invoice,
  type InvoiceResponse,
  invoice,
  invoiceExample,
  invoiceParams,
  invoiceTerms,
} from '../invoice.js';
import { storeInvoices } from '../invoice-store.js';
import { findInvoice } from '../invoice-views.js';
import { markMissingRates } from '../missing-rates.js';

export const putInvoice = operation({
  id: 'putInvoice',
  summary:
    'Store an invoice of a deal with all of its payments: rules that pay as the customer pays release commission',
  method: 'put',
  path: '/v1/deals/:dealId/invoices/:invoiceId',
  access: 'admin',
  params: invoiceParams,
  body: invoiceTerms,
  response: invoice,
  failures: { deal_not_found: 404 },
  example: {
    params: { dealId: sampleIds.dealId, invoiceId: invoiceExample.invoiceId },
    body: { amount: 60_000, issuedOn: '2026-01-31', payments: [...invoiceExample.payments] },
    response: invoiceExample,
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params, body: terms }, caller, { unitOfWork, clock }): Promise<InvoiceResponse> {
    assertPaymentsUnique(terms);
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      await assertDealExists(tx, params.dealId);
      const before = await watchReleases(tx, [params.dealId], clock);
      await storeInvoices(tx, [{ ...params, terms }]);
      await recordReleases(tx, before);
      const [stored] = await markMissingRates(tx, [(await findInvoice(tx, params)) as Invoice]);
      return stored as InvoiceResponse;
    });
  },
});
