import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { putting } from '../change-refunds.js';
import { refundExample, refundParams, refundTerms } from '../refund.js';
import { type ChangedRefund, changedRefund, describeRefund, refundQuery, runRefundChange } from '../refund-response.js';

export const putRefund = operation({
  id: 'putRefund',
  summary: 'Store a refund of a deal: what the customer got back, or never paid, takes commission back by the plan',
  method: 'put',
  path: '/v1/deals/:dealId/refunds/:refundId',
  access: 'admin',
  params: refundParams,
  query: refundQuery,
  body: refundTerms,
  response: changedRefund,
  failures: { deal_not_found: 404, refund_exceeds_deal: 400 },
  example: {
    params: { dealId: sampleIds.dealId, refundId: refundExample.refundId },
    body: { day: refundExample.day, cause: refundExample.cause, reason: refundExample.reason },
    response: { ...refundExample, waivers: [], warnings: [], jobId: sampleIds.jobId },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ params, query: { dryRun }, body: terms }, caller, uses): Promise<ChangedRefund> {
    const write = putting(params, terms);
    return runRefundChange(uses, caller, { write, dryRun, read: (tx) => describeRefund(tx, params) });
  },
});
