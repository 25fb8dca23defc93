import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { peopleBehind } from '../../kernel/caller.js';
import { addDays, type Day, latestDay } from '../../kernel/day.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { day } from '../../platform/operations/schemas.js';
import { assertDrawTerms, type Draw, draw, drawExample, drawNotFound, recoveryTerms } from '../draw.js';
import { assertNoOverlap, assertOpenDays, updateDrawRow } from '../draw-store.js';
import { findDraw } from '../draw-views.js';

const params = z.strictObject({ drawId: pathIds.drawId });
const body = z.strictObject({
  to: day.nullable().optional().describe('Last day of the draw, YYYY-MM-DD; null for none'),
  recovery: recoveryTerms.optional(),
});

/** The days on which one of the two ends grants something and the other does not. */
function changedDays(before: Day | null, after: Day | null) {
  const [first = latestDay, last = latestDay] = [before ?? latestDay, after ?? latestDay].sort();
  return { from: addDays(first, 1), to: last };
}

export const updateDraw = operation({
  id: 'updateDraw',
  summary: 'End or extend a draw, or change how it is paid back',
  method: 'patch',
  path: '/v1/draws/:drawId',
  access: 'admin',
  params,
  body,
  response: draw,
  failures: { draw_not_found: 404, draw_overlap: 409, statement_locked: 409 },
  example: {
    params: { drawId: drawExample.drawId },
    body: { to: '2026-04-30' },
    response: { ...drawExample, to: '2026-04-30' },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { drawId }, body: change }, caller, { unitOfWork }): Promise<Draw> {
    if (change.to === undefined && change.recovery === undefined)
      throw invalid({ path: '', message: 'give at least one of to, recovery' });
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      const present = await findDraw(tx, drawId);
      if (present === null) throw drawNotFound();
      if (peopleBehind(caller).includes(present.repId))
        throw new Failure('forbidden', 'You cannot change a draw of your own. Another admin must do it.');
      const to = change.to === undefined ? present.to : change.to;
      const terms = { ...present, to, recovery: change.recovery ?? present.recovery };
      assertDrawTerms(terms);
      if (to !== present.to) {
        await assertNoOverlap(tx, terms);
        await assertOpenDays(tx, terms.repId, changedDays(present.to, to));
      }
      await updateDrawRow(tx, terms);
      return terms;
    });
  },
});
