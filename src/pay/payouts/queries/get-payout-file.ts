import { z } from 'zod';
import { Failure } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { Download, operation } from '../../../platform/operations/operation.js';
import { findBatch, loadContent } from '../batch-views.js';
import { batchExample, batchNotFound, batchParams } from '../payout-batch.js';

export const getPayoutFile = operation({
  id: 'getPayoutFile',
  summary: 'Get the payroll file of a payout batch that is not cancelled, as it was when the batch was created',
  method: 'get',
  path: '/v1/payout-batches/:batchId/file',
  access: 'admin',
  payroll: true,
  stepUp: 'always',
  params: batchParams,
  response: z.string(),
  files: ['text/csv'],
  failures: { payout_batch_not_found: 404, invalid_transition: 409, payout_file_erased: 410 },
  example: { params: { batchId: batchExample.batchId } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { batchId } }, caller, { unitOfWork }): Promise<Download> {
    return unitOfWork.read(caller, async (tx) => {
      const batch = await findBatch(tx, batchId);
      if (batch === null) throw batchNotFound();
      if (batch.status === 'cancelled')
        throw new Failure('invalid_transition', 'The batch is cancelled, so its file must not be paid.', {
          status: batch.status,
        });
      const content = await loadContent(tx, batch.batchId);
      if (content === null)
        throw new Failure('payout_file_erased', 'The file was deleted, because the data of a person in it was erased.');
      return new Download('text/csv; charset=utf-8', batch.filename, content, { 'X-Content-SHA256': batch.sha256 });
    });
  },
});
