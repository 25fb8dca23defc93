import { sampleIds } from '../../../kernel/sample-ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { listEarners, putting } from '../change-refunds.js';
import { refundExample, refundParams, refundTerms } from '../refund.js';
import { type ChangedRefund, changedRefund, describeRefund, refundQuery, runRefundChange } from '../refund-response.js';
import { findRefund } from '../refund-views.js';

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
  failures: {
    deal_not_found: 404,
    line_not_found: 404,
    refund_exceeds_deal: 400,
    refund_exceeds_line: 400,
    line_not_refundable: 400,
  },
  tool: {
    name: 'put_refund',
    title: 'Enter a refund',
    hints: effects.sets,
    description: {
      purpose:
        'Enter what the customer of a deal got back or never paid, or replace the refund with the same refundId.',
      useWhen: 'a customer has cancelled, or money was returned. Call it with dryRun true first.',
      notFor: 'a deal that was never won (its stage in the CRM says so).',
      changes: 'plans with a clawback policy take commission back on the day of the refund; approved statements stay.',
    },
    arguments: {
      dealId: 'Id of the deal in the CRM',
      refundId: 'Id of the refund, chosen by you',
      day: 'Day of the refund',
      cause: 'Why the customer pays less',
      reason: 'For those who read it later',
      amount: 'In the currency of the deal; the whole deal when absent',
      lines: {
        description: 'Lines that are given back, in place of amount: [{lineId, amount?}]',
        schema: () => ({ type: 'array', items: { type: 'object' } }),
      },
      dryRun: 'true: only say the effect',
    },
    summary: ({ dealId, refundId, warnings }) =>
      [`Refund ${refundId} of deal ${dealId}.`, ...warnings.map(({ message }) => message)].join(' '),
  },
  subject: async (tx, { params }) => ({
    paid: await listEarners(tx, params.dealId),
    state: await findRefund(tx, params),
  }),
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
