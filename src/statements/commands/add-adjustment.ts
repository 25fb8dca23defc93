import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { dealId } from '../../deals/deal.js';
import { commissionEvent, toEventResponse } from '../../earnings/commission-event.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { currency, money, period, text } from '../../platform/operations/schemas.js';
import { type AdjustmentRow, adjustmentExample } from '../adjustment.js';
import { findAdjustment } from '../adjustment-views.js';
import { lockRep } from '../rep-lane.js';
import { writeAdjustment } from '../write-adjustment.js';

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

export const addAdjustment = operation({
  id: 'addAdjustment',
  summary: "Add an adjustment or clawback to a rep's period, in the workspace's currency or another",
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
    response: adjustmentExample,
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { repId }, body: request }, caller, { unitOfWork, clock }) {
    return unitOfWork.run(caller, { lock: 'shared', access: 'write' }, async (tx) => {
      await lockRep(tx, repId);
      const adjustment = { ...request, dealId: request.dealId ?? null };
      const eventId = await writeAdjustment(tx, caller, repId, adjustment, clock.now());
      return toEventResponse((await findAdjustment(tx, repId, eventId)) as AdjustmentRow, null);
    });
  },
});
