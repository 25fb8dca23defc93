import { sampleIds } from '../../../kernel/sample-ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { removing } from '../change-refunds.js';
import { refundExample, refundParams } from '../refund.js';
import { type DeletedRefund, deletedRefund, refundQuery, runRefundChange } from '../refund-response.js';

export const deleteRefund = operation({
  id: 'deleteRefund',
  summary: 'Remove a refund of a deal: commission is as if it had never been entered',
  method: 'delete',
  path: '/v1/deals/:dealId/refunds/:refundId',
  access: 'admin',
  params: refundParams,
  query: refundQuery,
  response: deletedRefund,
  failures: { refund_not_found: 404 },
  example: {
    params: { dealId: sampleIds.dealId, refundId: refundExample.refundId },
    response: { dealId: sampleIds.dealId, refundId: refundExample.refundId, warnings: [], jobId: sampleIds.jobId },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ params, query: { dryRun } }, caller, uses): Promise<DeletedRefund> {
    const write = removing(params);
    return runRefundChange(uses, caller, { write, dryRun, read: async () => ({ ...params, warnings: [] }) });
  },
});
