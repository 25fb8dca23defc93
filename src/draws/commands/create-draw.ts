import { newId } from '../../kernel/ids.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { type ChangedDraw, changedDraw, runDrawChange } from '../../payables/change-draw.js';
import { findDrawWarnings } from '../../payables/draw-warnings.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { assertRepExists } from '../../reps/rep-views.js';
import { dryRunQuery } from '../../simulation/write-effect.js';
import { assertDrawTerms, assertNotOwnDraw, type Draw, drawExample, drawTerms } from '../draw.js';
import { assertNoOverlap, assertOpenDays, assertPayoutsOn, insertDraw } from '../draw-store.js';
import { findDraw } from '../draw-views.js';

export const createDraw = operation({
  id: 'createDraw',
  summary: 'Enter a draw: a guaranteed income or an advance of a person, paid with the statements of its days',
  method: 'post',
  path: '/v1/draws',
  access: 'admin',
  query: dryRunQuery,
  body: drawTerms,
  response: changedDraw,
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
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: { dryRun }, body: requested }, caller, uses): Promise<ChangedDraw> {
    assertDrawTerms(requested);
    return runDrawChange(uses, caller, dryRun, async (tx) => {
      await assertRepExists(tx, requested.repId);
      assertNotOwnDraw(caller, requested.repId);
      await assertPayoutsOn(tx);
      const workspace = await loadWorkspaceTerms(tx);
      const terms = { drawId: newId(), ...requested, currency: requested.currency ?? workspace.currency };
      await assertNoOverlap(tx, terms);
      await assertOpenDays(tx, terms.repId, terms);
      return {
        repIds: [terms.repId],
        store: async () => {
          await insertDraw(tx, terms, caller.actor);
          return { ...((await findDraw(tx, terms.drawId)) as Draw), ...(await findDrawWarnings(tx, terms)) };
        },
      };
    });
  },
});
