import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { dryRunQuery } from '../../../simulation/write-effect.js';
import { optionalDrawEffect, runDrawChange } from '../../payables/change-draw.js';
import { drawExample, drawNotFound } from '../draw.js';
import { storeDraw } from '../draw-facts.js';
import { findDraw } from '../draw-views.js';

const params = z.strictObject({ drawId: pathIds.drawId });

export const deleteDraw = operation({
  id: 'deleteDraw',
  summary:
    'Remove a draw of which no approved statement has a day: open statements are as if it had never been entered',
  method: 'delete',
  path: '/v1/draws/:drawId',
  access: 'admin',
  params,
  query: dryRunQuery,
  response: z.object({
    deleted: z.boolean().describe('Always true: an unknown draw gets status 404'),
    drawId: z.string().describe('Id of the draw (UUID)'),
    effect: optionalDrawEffect,
  }),
  failures: { draw_not_found: 404, statement_locked: 409 },
  example: {
    params: { drawId: drawExample.drawId },
    response: { deleted: true, drawId: drawExample.drawId },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { drawId: rawId }, query: { dryRun } }, caller, uses) {
    return runDrawChange(uses, caller, dryRun, async (tx) => {
      const present = await findDraw(tx, rawId);
      if (present === null) throw drawNotFound();
      const { drawId, repId } = present;
      return {
        repIds: [repId],
        store: async () => {
          await storeDraw(tx, caller, { before: present, after: null });
          await tx.changeTerms({ repIds: [repId] });
          return { deleted: true, drawId };
        },
      };
    });
  },
});
