import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { commissionEvent, toEventResponse } from '../../earnings/commission-event.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { newId } from '../../kernel/ids.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { exactAmount } from '../../platform/operations/money-digits.js';
import { operation } from '../../platform/operations/operation.js';
import { money, text } from '../../platform/operations/schemas.js';
import { type AdjustmentRow, adjustmentExample, assertClawbackNegative } from '../adjustment.js';
import { updateAdjustment as write } from '../adjustment-store.js';
import { findAdjustment } from '../adjustment-views.js';
import { assertNotOwnStatement } from '../approvers.js';
import { assertWithinLimit } from '../proposals/limits.js';
import { lockRep } from '../rep-lane.js';
import { recordStatementEntry } from '../statement-store.js';
import { assertDayIsOpen } from '../statement-views.js';

const params = z.strictObject({ repId: pathIds.repId, adjustmentId: pathIds.adjustmentId });
const body = z.strictObject({
  amount: money
    .refine((amount) => amount !== 0, 'must not be 0')
    .optional()
    .describe('New amount in the currency of the adjustment, not 0'),
  reason: text(500).optional().describe('New reason'),
});

export const updateAdjustment = operation({
  id: 'updateAdjustment',
  summary: 'Change the amount or the reason of an adjustment or clawback',
  method: 'patch',
  path: '/v1/statements/:repId/adjust/:adjustmentId',
  access: 'admin',
  params,
  body,
  response: commissionEvent,
  failures: {
    rep_not_found: 404,
    adjustment_not_found: 400,
    statement_locked: 409,
    clawback_must_be_negative: 400,
    adjustment_limit: 409,
  },
  example: {
    params: { repId: sampleIds.repId, adjustmentId: adjustmentExample.eventId },
    body: { amount: 300 },
    response: { ...adjustmentExample, amount: 300 },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { repId, adjustmentId }, body: request }, caller, { unitOfWork, clock }) {
    if (request.amount === undefined && request.reason === undefined)
      throw invalid({ path: '', message: 'no fields to update: set amount, reason or both' });
    const { actor } = caller;
    return unitOfWork.run(caller, { lock: 'shared', access: 'write' }, async (tx) => {
      await lockRep(tx, repId);
      assertNotOwnStatement(caller, repId);
      const row = await findAdjustment(tx, repId, adjustmentId);
      if (row === null || row.kind === 'true_up')
        throw new Failure('adjustment_not_found', 'This rep has no such adjustment or clawback.');
      if (request.amount !== undefined) assertClawbackNegative(row.kind, request.amount);
      await assertDayIsOpen(tx, repId, row.earnedOn);
      const after = {
        amount: request.amount === undefined ? row.amount : exactAmount(request.amount, row.currency),
        reason: request.reason ?? row.reason,
      };
      if (request.amount !== undefined)
        await assertWithinLimit(tx, { ...row, amount: after.amount, day: row.earnedOn, replaces: row.eventId });
      const runId = newId();
      await write(tx, { repId, runId, actor }, row, after);
      await recordStatementEntry(tx, caller, {
        runId,
        trigger: 'adjustment_changed',
        repId,
        period: row.period,
        dealId: row.dealKey,
        eventsWritten: 1,
        details: { eventId: row.eventId, before: { amount: row.amount, reason: row.reason }, after },
        at: clock.now(),
      });
      return toEventResponse((await findAdjustment(tx, repId, adjustmentId)) as AdjustmentRow, null);
    });
  },
});
