import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { invalid } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { effects, lastDay } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { day } from '../../../platform/operations/schemas.js';
import { dryRunQuery } from '../../../simulation/write-effect.js';
import { type ChangedDraw, changedDraw, runDrawChange } from '../../payables/change-draw.js';
import { findDrawWarnings } from '../../payables/draw-warnings.js';
import { assertDrawTerms, describeDraw, drawExample, drawNotFound, recoveryArgument, recoveryTerms } from '../draw.js';
import { storeDraw } from '../draw-facts.js';
import { findDraw } from '../draw-views.js';

const params = z.strictObject({ drawId: pathIds.drawId });
const body = z.strictObject({
  to: day.nullable().optional().describe('Last day of the draw, YYYY-MM-DD; null for none'),
  recovery: recoveryTerms.optional(),
});

export const updateDraw = operation({
  id: 'updateDraw',
  summary: 'End or extend a draw, or change how it is paid back',
  method: 'patch',
  path: '/v1/draws/:drawId',
  access: 'admin',
  params,
  query: dryRunQuery,
  body,
  response: changedDraw,
  failures: { draw_not_found: 404, draw_overlap: 409, statement_locked: 409 },
  tool: {
    name: 'update_draw',
    title: 'Change draw',
    hints: effects.sets,
    description: {
      purpose: 'End or extend a draw, or change how it is paid back.',
      useWhen: 'it ends on another day. Call it with dryRun true first.',
      notFor: 'another amount (end this draw, then create_draw).',
      changes: 'what open statements pay; approved statements stay.',
    },
    arguments: {
      drawId: 'The draw (of list_draws)',
      to: lastDay('Last day'),
      recovery: { ...recoveryArgument, description: 'As in create_draw' },
      dryRun: 'true: only say the effect',
    },
    summary: describeDraw,
  },
  subject: async (tx, { params: { drawId } }) => {
    const present = await findDraw(tx, drawId);
    return { paid: present === null ? [] : [present.repId], state: present };
  },
  example: {
    params: { drawId: drawExample.drawId },
    body: { to: '2026-04-30' },
    response: { ...drawExample, to: '2026-04-30' },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { drawId }, query: { dryRun }, body: change }, caller, uses): Promise<ChangedDraw> {
    if (change.to === undefined && change.recovery === undefined)
      throw invalid({ path: '', message: 'give at least one of to, recovery' });
    return runDrawChange(uses, caller, dryRun, async (tx) => {
      const present = await findDraw(tx, drawId);
      if (present === null) throw drawNotFound();
      const to = change.to === undefined ? present.to : change.to;
      const terms = { ...present, to, recovery: change.recovery ?? present.recovery };
      assertDrawTerms(terms);
      return {
        repIds: [terms.repId],
        store: async () => {
          await storeDraw(tx, caller, { before: present, after: terms });
          await tx.changeTerms({ repIds: [terms.repId] });
          return { ...terms, ...(await findDrawWarnings(tx, terms)) };
        },
      };
    });
  },
});
