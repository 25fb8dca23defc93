import { z } from 'zod';
import { recordAuditEntry } from '../../../audit/audit-entry.js';
import { Failure, invalid } from '../../../kernel/failure.js';
import { workspaceToday } from '../../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { failpoint } from '../../../platform/failpoint.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { day, text } from '../../../platform/operations/schemas.js';
import { recordEvents } from '../../../platform/outbound/outgoing-events.js';
import { decideBatch } from '../batch-store.js';
import { findBatch, listLines, readBatch } from '../batch-views.js';
import {
  batchNotFound,
  batchParams,
  batchWithLinesExample,
  linesQuery,
  type PayoutBatch,
  type PayoutBatchWithLines,
  payoutBatchWithLines,
} from '../payout-batch.js';

const body = z.strictObject({
  status: z.enum(['paid', 'cancelled']).describe('paid is final; cancelled makes the amounts unpaid again'),
  paidOn: day.optional().describe('Day of the payment, YYYY-MM-DD; today by default. Only with paid'),
  reference: text(200).optional().describe('Reference of the payment, such as that of the payroll run. Only with paid'),
});

function assertOpen({ batchId, status }: PayoutBatch): void {
  if (status === 'open') return;
  if (status === 'paid')
    throw new Failure(
      'already_paid',
      'The batch is paid, which is final. Later differences are paid by another batch.',
      {
        batchId,
      },
    );
  throw new Failure('invalid_transition', 'The batch is cancelled. Create another one.', { status });
}

async function recordPaid(tx: Transaction, { batchId }: PayoutBatch, paidOn: string): Promise<void> {
  const lines = await listLines(tx, batchId);
  await recordEvents(
    tx,
    lines.map(({ repId, period, currency, amount }) => ({
      type: 'payout.paid' as const,
      repId,
      data: { batchId, repId, period, currency, amount, paidOn },
    })),
  );
}

export const updatePayoutBatch = operation({
  id: 'updatePayoutBatch',
  summary: 'Mark a payout batch as paid, which is final, or cancel it',
  method: 'patch',
  path: '/v1/payout-batches/:batchId',
  access: 'admin',
  payroll: true,
  stepUp: 'always',
  params: batchParams,
  query: z.strictObject({ lines: linesQuery }),
  body,
  response: payoutBatchWithLines,
  failures: { payout_batch_not_found: 404, already_paid: 409, invalid_transition: 409 },
  example: {
    params: { batchId: batchWithLinesExample.batchId },
    body: { status: 'paid', paidOn: '2026-03-05', reference: 'Run 2026-03' },
    response: {
      ...batchWithLinesExample,
      status: 'paid',
      paidOn: '2026-03-05',
      reference: 'Run 2026-03',
      decidedAt: '2026-03-05T09:00:00.000Z',
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute(
    { params: { batchId }, query: { lines }, body: change },
    caller,
    { unitOfWork, clock },
  ): Promise<PayoutBatchWithLines> {
    const { status, reference } = change;
    if (status === 'cancelled' && (change.paidOn !== undefined || reference !== undefined))
      throw invalid({ path: 'status', message: 'cancelled has no paidOn and no reference' });
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      const batch = await findBatch(tx, batchId);
      if (batch === null) throw batchNotFound();
      assertOpen(batch);
      const paidOn = status === 'paid' ? (change.paidOn ?? (await workspaceToday(tx, clock))) : null;
      await decideBatch(tx, batch.batchId, { status, paidOn, reference: reference ?? null, at: clock.now() });
      await failpoint('payout.afterDecide');
      if (paidOn !== null) await recordPaid(tx, batch, paidOn);
      await failpoint('payout.afterEvents');
      await recordAuditEntry(tx, caller, {
        trigger: status === 'paid' ? 'payout_batch_paid' : 'payout_batch_cancelled',
        scope: 'payout',
        period: batch.period,
        details: { batchId: batch.batchId, sha256: batch.sha256, totals: batch.totals, paidOn },
        at: clock.now(),
      });
      await failpoint('payout.beforeCommit');
      return readBatch(tx, (await findBatch(tx, batchId)) as PayoutBatch, lines);
    });
  },
});
