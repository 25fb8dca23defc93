import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { findBatch, readBatch } from '../batch-views.js';
import {
  batchNotFound,
  batchParams,
  batchWithLinesExample,
  linesQuery,
  type PayoutBatchWithLines,
  payoutBatchWithLines,
} from '../payout-batch.js';

export const getPayoutBatch = operation({
  id: 'getPayoutBatch',
  summary: 'Get a payout batch with what it pays each person',
  method: 'get',
  path: '/v1/payout-batches/:batchId',
  access: 'admin',
  payroll: true,
  params: batchParams,
  query: z.strictObject({ lines: linesQuery }),
  response: payoutBatchWithLines,
  failures: { payout_batch_not_found: 404 },
  example: { params: { batchId: batchWithLinesExample.batchId }, response: batchWithLinesExample },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { batchId }, query: { lines } }, caller, { unitOfWork }): Promise<PayoutBatchWithLines> {
    return unitOfWork.read(caller, async (tx) => {
      const batch = await findBatch(tx, batchId);
      if (batch === null) throw batchNotFound();
      return readBatch(tx, batch, lines);
    });
  },
});
