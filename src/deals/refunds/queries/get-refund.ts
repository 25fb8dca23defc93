import { z } from 'zod';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { asOfQuery } from '../../../platform/operations/schemas.js';
import { refund, refundExample, refundNotFound, refundParams, type StoredRefund } from '../refund.js';
import { findRefund } from '../refund-views.js';

export const getRefund = operation({
  id: 'getRefund',
  summary: 'Get a refund of a deal with its waivers',
  method: 'get',
  path: '/v1/deals/:dealId/refunds/:refundId',
  access: 'admin',
  payroll: true,
  params: refundParams,
  query: z.strictObject({ asOf: asOfQuery }),
  response: refund,
  failures: { refund_not_found: 404 },
  example: {
    params: { dealId: sampleIds.dealId, refundId: refundExample.refundId },
    response: { ...refundExample, waivers: [] },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params, query: { asOf } }, caller, { unitOfWork }): Promise<StoredRefund> {
    const found = await unitOfWork.run(caller, { lock: 'none', access: 'read', asOf }, (tx) => findRefund(tx, params));
    if (found === null) throw refundNotFound();
    return found;
  },
});
