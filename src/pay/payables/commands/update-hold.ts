import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { assertDayOrder } from '../../../kernel/day-order.js';
import { invalid } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { assertNotOwnPay, type Hold, hold, holdChange, holdExample, holdNotFound } from '../hold.js';
import { updateHoldRow } from '../hold-store.js';
import { findHold } from '../hold-views.js';

const params = z.strictObject({ holdId: pathIds.holdId });
const body = z.strictObject(holdChange).partial();

export const updateHold = operation({
  id: 'updateHold',
  summary: 'End a hold, or change its last day or its note: the first statement after it pays what was missed',
  method: 'patch',
  path: '/v1/payables/holds/:holdId',
  access: 'admin',
  payroll: true,
  params,
  body,
  response: hold,
  failures: { hold_not_found: 404 },
  example: {
    params: { holdId: holdExample.holdId },
    body: { to: '2026-04-01', note: 'The customer has signed.' },
    response: { ...holdExample, to: '2026-04-01', note: 'The customer has signed.' },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { holdId }, body: change }, caller, { unitOfWork }): Promise<Hold> {
    if (Object.values(change).every((value) => value === undefined))
      throw invalid({ path: '', message: 'give at least one of to, note' });
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      const present = await findHold(tx, holdId);
      if (present === null) throw holdNotFound();
      await assertNotOwnPay(tx, caller, present);
      const to = change.to === undefined ? present.to : change.to;
      const note = change.note === undefined ? present.note : change.note;
      assertDayOrder(['from', present.from], ['to', to]);
      await updateHoldRow(tx, { ...present, to }, { note });
      return { ...present, to, note };
    });
  },
});
