import { sampleIds } from '../../../kernel/sample-ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { waiving } from '../change-refunds.js';
import { refundExample, refundParams, waiverTerms } from '../refund.js';
import { type ChangedRefund, changedRefund, describeRefund, refundQuery, runRefundChange } from '../refund-response.js';

const waiver = { repId: sampleIds.repId, percent: 50, reason: 'The customer was acquired' };

export const waiveRefund = operation({
  id: 'waiveRefund',
  summary: 'Let a person, or everyone, keep a part of what a refund would take back',
  method: 'post',
  path: '/v1/deals/:dealId/refunds/:refundId/waive',
  access: 'admin',
  params: refundParams,
  query: refundQuery,
  body: waiverTerms,
  response: changedRefund,
  failures: { refund_not_found: 404, rep_not_found: 404 },
  example: {
    params: { dealId: sampleIds.dealId, refundId: refundExample.refundId },
    body: waiver,
    response: { ...refundExample, waivers: [{ ...waiver, repName: 'Ben' }], warnings: [], jobId: sampleIds.jobId },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ params, query: { dryRun }, body: terms }, caller, uses): Promise<ChangedRefund> {
    const write = waiving(params, terms, caller);
    return runRefundChange(uses, caller, { write, dryRun, read: (tx) => describeRefund(tx, params) });
  },
});
