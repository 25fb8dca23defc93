import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { dealId } from '../../deals/deal.js';
import { findDeal } from '../../deals/deal-views.js';
import { commissionEvent, toEventResponse } from '../../earnings/commission-event.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { findRepName } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation, Reply } from '../../platform/operations/operation.js';
import { currency, money, period, text } from '../../platform/operations/schemas.js';
import { type AdjustmentRow, adjustmentExample } from '../adjustment.js';
import { findAdjustment } from '../adjustment-views.js';
import { findLimit } from '../proposals/limits.js';
import { propose } from '../proposals/propose.js';
import { lockRep } from '../rep-lane.js';
import { type CheckedAdjustment, checkAdjustment, writeAdjustment } from '../write-adjustment.js';

const params = z.strictObject({ repId: pathIds.repId });
const body = z.strictObject({
  amount: money
    .refine((amount) => amount !== 0, 'must not be 0')
    .describe('Amount in `currency`, not 0; negative to take money back'),
  currency: currency.optional().describe('ISO 4217 code; the currency of the workspace when absent'),
  reason: text(500).describe('Why, for the rep to read'),
  period: period.describe('Period that the amount belongs to'),
  kind: z.enum(['adjustment', 'clawback']).default('adjustment').describe('clawback: takes money back'),
  dealId: dealId.optional().describe('Deal that the amount is about, by its id in the CRM'),
});

const addedAdjustment = commissionEvent.extend({
  status: z
    .enum(['earned', 'reversed', 'proposed'])
    .describe('proposed: the amount is above a limit, and counts once another person has approved it'),
  adjustmentId: z
    .string()
    .optional()
    .describe(
      'Id of the proposal (UUID), which is also its eventId until it is approved; absent for an amount that counts',
    ),
});

/** The proposal in the form of the event that it becomes. */
async function toProposedEvent(
  tx: Transaction,
  { adjustmentId, repId, at }: { readonly adjustmentId: string; readonly repId: string; readonly at: Date },
  { kind, amount, currency: code, period: of, dealId: deal, reason, earnedOn }: CheckedAdjustment,
): Promise<z.input<typeof addedAdjustment>> {
  return {
    eventId: adjustmentId,
    adjustmentId,
    repId,
    repName: (await findRepName(tx, repId)) ?? '',
    dealId: deal,
    dealName: deal === null ? null : ((await findDeal(tx, deal))?.name ?? null),
    planId: null,
    planName: null,
    ruleId: null,
    ruleName: null,
    kind,
    category: 'adjustment',
    status: 'proposed',
    amount: Number(amount),
    base: null,
    tierName: null,
    credit: 0,
    currency: code,
    period: of,
    earnedOn,
    reason,
    updatedAt: at.toISOString(),
  };
}

export const addAdjustment = operation({
  id: 'addAdjustment',
  summary:
    "Add an adjustment or clawback to a rep's period, in the workspace's currency or another. Above a limit of adjustmentLimits it is proposed (202), and counts once another person has approved it",
  method: 'post',
  path: '/v1/statements/:repId/adjust',
  access: 'admin',
  params,
  body,
  response: addedAdjustment,
  otherStatus: 202,
  failures: { rep_not_found: 404, deal_not_found: 404, statement_locked: 400, clawback_must_be_negative: 400 },
  example: {
    params: { repId: sampleIds.repId },
    body: { amount: 250, reason: 'Contest in February', period: '2026-02' },
    response: adjustmentExample,
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { repId }, body: request }, caller, { unitOfWork, clock }) {
    return unitOfWork.run(caller, { lock: 'shared', access: 'write' }, async (tx) => {
      await lockRep(tx, repId);
      const adjustment = { ...request, dealId: request.dealId ?? null };
      const at = clock.now();
      const checked = await checkAdjustment(tx, caller, repId, adjustment, at);
      const limit = await findLimit(tx, { repId, ...checked, day: checked.earnedOn, replaces: null });
      if (limit !== null) {
        const adjustmentId = await propose(tx, caller, repId, checked, limit, at);
        return new Reply(202, await toProposedEvent(tx, { adjustmentId, repId, at }, checked));
      }
      const eventId = await writeAdjustment(tx, caller, repId, checked, at);
      return toEventResponse((await findAdjustment(tx, repId, eventId)) as AdjustmentRow, null);
    });
  },
});
