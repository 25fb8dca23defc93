import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { period } from '../../../platform/operations/schemas.js';
import { listBatches } from '../batch-views.js';
import { batchExample, batchStatuses, payoutBatch } from '../payout-batch.js';

const query = z.strictObject({
  period: period.optional().describe('Only batches of this pay period'),
  status: z.enum(batchStatuses).optional().describe('Only batches with this status'),
});

export const listPayoutBatches = operation({
  id: 'listPayoutBatches',
  summary: 'List payout batches, the latest first',
  method: 'get',
  path: '/v1/payout-batches',
  access: 'admin',
  payroll: true,
  query,
  response: z.object({
    batches: z.array(payoutBatch).describe('The batches, the latest first, at most 500'),
    count: z.int().describe('Number of batches'),
  }),
  failures: {},
  example: { query: { period: '2026-02' }, response: { batches: [batchExample], count: 1 } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: filter }, caller, { unitOfWork }) {
    const batches = await unitOfWork.read(caller, (tx) => listBatches(tx, filter));
    return { batches, count: batches.length };
  },
});
