import { z } from 'zod';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { asOfQuery } from '../../../platform/operations/schemas.js';
import { dealParams, refund, refundExample } from '../refund.js';
import { listRefunds as loadRefunds } from '../refund-views.js';

export const listRefunds = operation({
  id: 'listRefunds',
  summary: 'List the refunds of a deal with their waivers, in the order in which they count',
  method: 'get',
  path: '/v1/deals/:dealId/refunds',
  access: 'admin',
  payroll: true,
  params: dealParams,
  query: z.strictObject({ asOf: asOfQuery }),
  response: z.object({
    refunds: z.array(refund).describe('The refunds of the deal'),
    count: z.int().describe('Number of refunds'),
  }),
  failures: {},
  example: {
    params: { dealId: sampleIds.dealId },
    response: { refunds: [{ ...refundExample, waivers: [] }], count: 1 },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { dealId }, query: { asOf } }, caller, { unitOfWork }) {
    const refunds = await unitOfWork.run(caller, { lock: 'none', access: 'read', asOf }, (tx) =>
      loadRefunds(tx, [dealId]),
    );
    return { refunds, count: refunds.length };
  },
});
