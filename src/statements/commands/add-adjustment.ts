import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { commissionEvent, eventAnswer } from '../../commissions/commission-event.js';
import { dealId } from '../../deals/deal.js';
import { assertDealExists } from '../../deals/deal-views.js';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { type Day, dayInZone } from '../../kernel/day.js';
import { newId } from '../../kernel/ids.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { loadWorkspaceTerms } from '../../ledger/rep-terms.js';
import { UnitOfWork, type Work } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { type Input, operation } from '../../platform/operation.js';
import { money, period, text } from '../../platform/schemas.js';
import {
  type AdjustmentRow,
  adjustmentDay,
  adjustmentExample,
  assertClawbackNegative,
  exactAmount,
} from '../adjustment.js';
import { insertAdjustment } from '../adjustment-store.js';
import { findAdjustment } from '../adjustment-views.js';
import { assertNotOwnStatement } from '../approvers.js';
import { lockRep } from '../rep-lane.js';
import { statementLocked } from '../statement.js';
import { recordStatementEntry } from '../statement-store.js';
import { listFrozenPeriods } from '../statement-views.js';

const params = z.strictObject({ repId: pathIds.repId });
const body = z.strictObject({
  amount: money
    .refine((amount) => amount !== 0, 'must not be 0')
    .describe('Amount in the currency of the workspace, not 0; negative to take money back'),
  reason: text(500).describe('Why, for the rep to read'),
  period: period.describe('Period that the amount belongs to'),
  kind: z.enum(['adjustment', 'clawback']).default('adjustment').describe('clawback: takes money back'),
  dealId: dealId.optional().describe('Deal that the amount is about, by its id in the CRM'),
});
type Body = z.infer<typeof body>;

@injectable()
export class AddAdjustment {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ params: { repId }, body: request }: Input<{ repId: string }, unknown, Body>, caller: Caller) {
    assertClawbackNegative(request.kind, request.amount);
    const { workspaceId, actor } = caller;
    return this.unitOfWork.run(caller, { lock: 'shared', access: 'write' }, async (trx) => {
      await lockRep(trx, workspaceId, repId);
      assertNotOwnStatement(caller, repId);
      const { currency, timeZone } = await loadWorkspaceTerms(trx, workspaceId);
      const amount = exactAmount(request.amount, currency);
      const earnedOn = await openDay(trx, caller, repId, request, dayInZone(this.clock.now(), timeZone));
      const deal = request.dealId ?? null;
      if (deal !== null) await assertDealExists(trx, workspaceId, deal);
      const runId = newId();
      const eventId = await insertAdjustment(
        trx,
        { workspaceId, repId, runId, actor },
        {
          kind: request.kind,
          amount,
          currency,
          period: request.period,
          earnedOn,
          dealId: deal,
          reason: request.reason,
        },
      );
      await failpoint('adjust.afterInsert');
      await recordStatementEntry(trx, caller, {
        runId,
        trigger: 'adjustment_added',
        repId,
        period: request.period,
        dealId: deal,
        eventsWritten: 1,
        details: { eventId, kind: request.kind, amount, currency, reason: request.reason },
        at: this.clock.now(),
      });
      return eventAnswer((await findAdjustment(trx, workspaceId, repId, eventId)) as AdjustmentRow, null);
    });
  }
}

async function openDay(trx: Work, caller: Caller, repId: string, request: Body, today: Day): Promise<Day> {
  const day = adjustmentDay(request.period, today, await listFrozenPeriods(trx, caller.workspaceId, repId));
  if (day === null) throw statementLocked(request.period);
  return day;
}

export const addAdjustment = operation({
  id: 'addAdjustment',
  summary: "Add an adjustment or clawback to a rep's period, in the workspace's currency",
  method: 'post',
  path: '/v1/statements/:repId/adjust',
  access: 'admin',
  params,
  body,
  response: commissionEvent,
  failures: { rep_not_found: 404, deal_not_found: 404, statement_locked: 400, clawback_must_be_negative: 400 },
  example: {
    params: { repId: sampleIds.repId },
    body: { amount: 250, reason: 'Contest in February', period: '2026-02' },
    answer: adjustmentExample,
  },
  handler: AddAdjustment,
});
