import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { Failure } from '../../kernel/failure.js';
import { newId } from '../../kernel/ids.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { type AdjustmentRow, adjustmentExample } from '../adjustment.js';
import { deleteAdjustment as remove } from '../adjustment-store.js';
import { findAdjustment, findTrueUpPeriod } from '../adjustment-views.js';
import { assertNotOwnStatement } from '../approvers.js';
import { assertWithinLimit } from '../proposals/limits.js';
import { lockRep } from '../rep-lane.js';
import { recordStatementEntry } from '../statement-store.js';
import { assertDayIsOpen } from '../statement-views.js';

const params = z.strictObject({ repId: pathIds.repId, adjustmentId: pathIds.adjustmentId });

/** An earned true-up on an open day is what an approved statement owes: without it, that would be paid by nothing. */
async function assertPaysNoDifference(tx: Transaction, { eventId, status }: AdjustmentRow): Promise<void> {
  if (status !== 'earned') return;
  const source = await findTrueUpPeriod(tx, eventId);
  if (source === null) return;
  throw new Failure(
    'statement_locked',
    `This true-up pays what the approved statement for ${source} owes. Unlock that statement, which takes it back.`,
    { period: source },
  );
}

export const deleteAdjustment = operation({
  id: 'deleteAdjustment',
  summary: 'Permanently delete an adjustment, clawback or true-up. Commission events cannot be deleted',
  method: 'delete',
  path: '/v1/statements/:repId/adjust/:adjustmentId',
  access: 'admin',
  params,
  response: z.object({ deleted: z.boolean().describe('Whether the adjustment existed and was deleted') }),
  failures: { rep_not_found: 404, statement_locked: 409, adjustment_limit: 409 },
  example: { params: { repId: sampleIds.repId, adjustmentId: adjustmentExample.eventId }, response: { deleted: true } },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  /** Commission events and rows of other reps count as not found. */
  async execute({ params: { repId, adjustmentId } }, caller, { unitOfWork, clock }) {
    const { actor } = caller;
    return unitOfWork.run(caller, { lock: 'shared', access: 'write' }, async (tx) => {
      await lockRep(tx, repId);
      assertNotOwnStatement(caller, repId);
      const row = await findAdjustment(tx, repId, adjustmentId);
      if (row === null) return { deleted: false };
      await assertDayIsOpen(tx, repId, row.earnedOn);
      if (row.kind === 'true_up') await assertPaysNoDifference(tx, row);
      else await assertWithinLimit(tx, { ...row, amount: '0', day: row.earnedOn, replaces: row.eventId });
      const runId = newId();
      await remove(tx, { repId, runId, actor }, row);
      await recordStatementEntry(tx, caller, {
        runId,
        trigger: 'adjustment_deleted',
        repId,
        period: row.period,
        dealId: row.dealKey,
        eventsWritten: 1,
        details: { eventId: row.eventId, kind: row.kind, amount: row.amount, reason: row.reason },
        at: clock.now(),
      });
      return { deleted: true };
    });
  },
});
