import { z } from 'zod';
import { listOf } from '../../../platform/operations/list-of.js';
import { period } from '../../../platform/operations/schemas.js';
import { listBatches } from '../batch-views.js';
import { batchExample, batchStatuses, payoutBatch } from '../payout-batch.js';

const query = z.strictObject({
  period: period.optional().describe('Only batches of this pay period'),
  status: z.enum(batchStatuses).optional().describe('Only batches with this status'),
});

export const listPayoutBatches = listOf(
  {
    id: 'listPayoutBatches',
    summary: 'List payout batches, the latest first',
    path: '/v1/payout-batches',
    access: 'admin',
    payroll: true,
    query,
    list: { name: 'batches', items: z.array(payoutBatch).describe('The batches, the latest first, at most 500') },
    example: { query: { period: '2026-02' }, items: [batchExample] },
  },
  (tx, { query: filter }) => listBatches(tx, filter),
);
