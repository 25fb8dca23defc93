import { z } from 'zod';
import { type Caller, peopleBehind } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { newId } from '../../kernel/ids.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { currency, day, money, uuid } from '../../platform/operations/schemas.js';
import { assertRepExists } from '../../reps/rep-views.js';
import { assertDrawTerms, type Draw, draw, drawExample, recoveryTerms } from '../draw.js';
import { assertNoOverlap, assertOpenDays, assertPayoutsOn, insertDraw } from '../draw-store.js';
import { findDraw } from '../draw-views.js';

const body = z.strictObject({
  repId: uuid.describe('Id of the rep (UUID)'),
  kind: z
    .enum(['guarantee', 'advance'])
    .describe('guarantee: pay is topped up to the amount; advance: the amount is paid in addition'),
  recoverable: z.boolean().describe('Whether the person pays it back from later pay'),
  amount: money
    .refine((amount) => amount > 0, 'must be more than 0')
    .describe('Amount per pay period, in `currency`; prorated by days'),
  currency: currency.optional().describe('ISO 4217 code; the currency of the workspace by default'),
  from: day.describe('First day, YYYY-MM-DD'),
  to: day.nullable().default(null).describe('Last day, YYYY-MM-DD; null for none'),
  recovery: recoveryTerms.prefault({}),
});

function assertNotOwn(caller: Caller, repId: string): void {
  if (peopleBehind(caller).includes(repId))
    throw new Failure('forbidden', 'You cannot enter a draw of your own. Another admin must do it.');
}

export const createDraw = operation({
  id: 'createDraw',
  summary: 'Enter a draw: a guaranteed income or an advance of a person, paid with the statements of its days',
  method: 'post',
  path: '/v1/draws',
  access: 'admin',
  body,
  response: draw,
  status: 201,
  failures: { rep_not_found: 404, draw_overlap: 409, statement_locked: 409, payouts_off: 409 },
  example: {
    body: {
      repId: drawExample.repId,
      kind: drawExample.kind,
      recoverable: drawExample.recoverable,
      amount: drawExample.amount,
      from: drawExample.from,
      to: drawExample.to,
      recovery: { start: 'after_end', maxPercent: 50 },
    },
    response: drawExample,
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ body: requested }, caller, { unitOfWork }): Promise<Draw> {
    assertDrawTerms(requested);
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      await assertRepExists(tx, requested.repId);
      assertNotOwn(caller, requested.repId);
      await assertPayoutsOn(tx);
      const workspace = await loadWorkspaceTerms(tx);
      const terms = { drawId: newId(), ...requested, currency: requested.currency ?? workspace.currency };
      await assertNoOverlap(tx, terms);
      await assertOpenDays(tx, terms.repId, terms);
      await insertDraw(tx, terms, caller.actor);
      return (await findDraw(tx, terms.drawId)) as Draw;
    });
  },
});
