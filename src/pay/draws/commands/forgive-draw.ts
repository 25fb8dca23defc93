import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { workspaceToday } from '../../../people/reps/rep-views.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { exactAmount } from '../../../platform/operations/money-digits.js';
import { operation } from '../../../platform/operations/operation.js';
import { money, text } from '../../../platform/operations/schemas.js';
import { dryRunQuery } from '../../../simulation/write-effect.js';
import { optionalDrawEffect, runDrawChange } from '../../payables/change-draw.js';
import { type DrawEffect } from '../../payables/draw-effect.js';
import { assertNotOwnDraw, type Draw, draw, drawExample, drawNotFound } from '../draw.js';
import { insertForgiveness } from '../draw-store.js';
import { findDraw } from '../draw-views.js';

const params = z.strictObject({ drawId: pathIds.drawId });
const body = z.strictObject({
  amount: money
    .refine((amount) => amount > 0, 'must be more than 0')
    .describe(
      'What need not be paid back, in the currency of the draw; more than is owed counts for what it grants later',
    ),
  reason: text(1000).describe('Why, for the audit log'),
});

export const forgiveDraw = operation({
  id: 'forgiveDraw',
  summary: 'Forgive a part of what a person owes of a draw: statements that end from today on no longer recover it',
  method: 'post',
  path: '/v1/draws/:drawId/forgive',
  access: 'admin',
  params,
  query: dryRunQuery,
  body,
  response: draw.extend({ effect: optionalDrawEffect }),
  failures: { draw_not_found: 404 },
  example: {
    params: { drawId: drawExample.drawId },
    body: { amount: 300, reason: 'Agreed when she took over the region' },
    response: {
      ...drawExample,
      forgiven: [{ amount: 300, day: '2026-05-04', reason: 'Agreed when she took over the region', by: 'api-key' }],
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute(
    { params: { drawId }, query: { dryRun }, body: { amount, reason } },
    caller,
    uses,
  ): Promise<Draw & { readonly effect?: DrawEffect }> {
    return runDrawChange(uses, caller, dryRun, async (tx) => {
      const present = await findDraw(tx, drawId);
      if (present === null) throw drawNotFound();
      assertNotOwnDraw(caller, present.repId);
      exactAmount(amount, present.currency);
      const day = await workspaceToday(tx, uses.clock);
      return {
        repIds: [present.repId],
        store: async () => {
          await insertForgiveness(tx, { drawId: present.drawId, amount, day, reason, by: caller.actor });
          return (await findDraw(tx, drawId)) as Draw;
        },
      };
    });
  },
});
