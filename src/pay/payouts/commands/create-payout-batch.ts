import { z } from 'zod';
import { recordAuditEntry } from '../../../audit/audit-entry.js';
import { layouts } from '../../../exports/payroll-layouts.js';
import { Failure } from '../../../kernel/failure.js';
import { withDryRun } from '../../../platform/database/dry-run.js';
import { type Transaction, UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { failpoint } from '../../../platform/failpoint.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { currency as currencyCode, flag, period } from '../../../platform/operations/schemas.js';
import { isPayPeriod } from '../../payables/payout-settings.js';
import { insertBatch } from '../batch-store.js';
import { countBatches, findBatch, listBatches, readBatch } from '../batch-views.js';
import { collectLines, sumLines, writeBatchFile } from '../collect-lines.js';
import { batchWithLinesExample, linesQuery, type PayoutBatch, payoutBatchWithLines } from '../payout-batch.js';

const query = z.strictObject({
  dryRun: flag.default(false).describe('true: return the batch with its file, and store nothing'),
  lines: linesQuery,
});

const body = z.strictObject({
  period: period.describe('The pay period'),
  layout: z.enum(layouts).default('generic').describe('Layout of the file'),
  currency: currencyCode.optional().describe('Only what is paid in this currency; all currencies by default'),
});
type Requested = z.output<typeof body>;

const createdBatch = payoutBatchWithLines.extend({
  content: z.string().optional().describe('The payroll file; only with dryRun, after which no batch has the id'),
});
type CreatedBatch = z.input<typeof createdBatch>;

/** Approvals are checked under the workspace's lock, so no statement is unlocked meanwhile. */
async function assertMayCreate(tx: Transaction, { period: requestedPeriod, currency }: Requested): Promise<void> {
  if (!(await isPayPeriod(tx, requestedPeriod)))
    throw new Failure('not_a_pay_period', `${requestedPeriod} is no pay period of this workspace.`);
  const open = (await listBatches(tx, { period: requestedPeriod, status: 'open' })).find(
    ({ totals }) => currency === undefined || totals.some((total) => total.currency === currency),
  );
  if (open === undefined) return;
  throw new Failure(
    'batch_open',
    `A payout batch of ${requestedPeriod} waits to be paid. Mark it as paid, or cancel it first.`,
    { batchId: open.batchId },
  );
}

function nothingToPay({ period: requestedPeriod, currency }: Requested): Failure {
  const amount = currency === undefined ? 'an amount' : `an amount in ${currency}`;
  return new Failure('nothing_to_pay', `No approved statement of ${requestedPeriod} has ${amount} that is unpaid.`);
}

export const createPayoutBatch = operation({
  id: 'createPayoutBatch',
  summary: 'Collect what approved statements of a pay period pay and no batch contains, with the payroll file',
  method: 'post',
  path: '/v1/payout-batches',
  access: 'admin',
  payroll: true,
  stepUp: 'always',
  query,
  body,
  response: createdBatch,
  status: 201,
  failures: { not_a_pay_period: 409, batch_open: 409, nothing_to_pay: 409 },
  example: { body: { period: '2026-02', layout: 'generic' }, response: batchWithLinesExample },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute(
    { query: { dryRun, lines: maxLines }, body: requested },
    caller,
    { unitOfWork, clock },
  ): Promise<CreatedBatch> {
    const { period: requestedPeriod, layout, currency } = requested;
    return withDryRun<CreatedBatch>(dryRun, (end) =>
      unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
        await assertMayCreate(tx, requested);
        const lines = (await collectLines(tx, requestedPeriod)).filter(
          (line) => currency === undefined || line.currency === currency,
        );
        if (lines.length === 0) throw nothingToPay(requested);
        const part = (await countBatches(tx, requestedPeriod)) + 1;
        const file = await writeBatchFile(tx, { period: requestedPeriod, layout, part }, lines);
        const batchId = await insertBatch(
          tx,
          caller,
          { period: requestedPeriod, layout, currency: currency ?? null, file },
          lines,
        );
        await failpoint('payout.afterInsert');
        await recordAuditEntry(tx, caller, {
          trigger: 'payout_batch_created',
          scope: 'payout',
          period: requestedPeriod,
          details: { batchId, sha256: file.sha256, totals: sumLines(lines) },
          at: clock.now(),
        });
        const batch = await readBatch(tx, (await findBatch(tx, batchId)) as PayoutBatch, maxLines);
        return end(dryRun ? { ...batch, content: file.content.toString() } : batch);
      }),
    );
  },
});
