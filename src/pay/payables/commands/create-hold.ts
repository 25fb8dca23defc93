import { z } from 'zod';
import { dealId } from '../../../deals/deal.js';
import { assertDayOrder } from '../../../kernel/day-order.js';
import { invalid } from '../../../kernel/failure.js';
import { newId } from '../../../kernel/ids.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { assertRepExists } from '../../../people/reps/rep-views.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { failpoint } from '../../../platform/failpoint.js';
import { operation } from '../../../platform/operations/operation.js';
import { day, text, uuid } from '../../../platform/operations/schemas.js';
import { recordEvents } from '../../../platform/outbound/outgoing-events.js';
import { assertNotOwnPay, type Hold, hold, holdChange, holdExample } from '../hold.js';
import { insertHold } from '../hold-store.js';
import { findHold, listHeldReps } from '../hold-views.js';

const body = z.strictObject({
  repId: uuid.nullable().default(null).describe('Only pay of this rep (UUID); null for everyone'),
  dealId: dealId.nullable().default(null).describe('Only pay for this deal; null for all, and for adjustments'),
  ruleName: text(200).nullable().default(null).describe('Only pay of rules of this name; null for all'),
  from: day.describe('First day of the hold, YYYY-MM-DD'),
  to: holdChange.to.default(null),
  reason: text(1000).describe('Why, for the people whose pay is held to read'),
});

export const createHold = operation({
  id: 'createHold',
  summary: 'Hold the pay of a rep, for a deal or of a rule: statements that end within the hold pay nothing for it',
  method: 'post',
  path: '/v1/payables/holds',
  access: 'admin',
  payroll: true,
  body,
  response: hold,
  status: 201,
  failures: { rep_not_found: 404 },
  example: {
    body: { repId: sampleIds.repId, dealId: sampleIds.dealId, from: holdExample.from, reason: holdExample.reason },
    response: holdExample,
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ body: requested }, caller, { unitOfWork }): Promise<Hold> {
    if (requested.repId === null && requested.dealId === null && requested.ruleName === null)
      throw invalid({ path: '', message: 'give at least one of repId, dealId, ruleName' });
    assertDayOrder(['from', requested.from], ['to', requested.to]);
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      if (requested.repId !== null) await assertRepExists(tx, requested.repId);
      await assertNotOwnPay(tx, caller, requested);
      const terms = { holdId: newId(), ...requested };
      await insertHold(tx, { ...terms, createdBy: caller.actor });
      await failpoint('hold.afterInsert');
      const { holdId, dealId: held, ruleName, from, to } = terms;
      const repIds = await listHeldReps(tx, terms);
      const events = repIds.map((repId) => {
        const data = { holdId, repId, dealId: held, ruleName, from, to };
        return { type: 'payable.held' as const, repId, data };
      });
      await recordEvents(tx, events);
      return (await findHold(tx, holdId)) as Hold;
    });
  },
});
