import { type z } from 'zod';
import { newId } from '../../../kernel/ids.js';
import { loadWorkspaceTerms } from '../../../ledger/input/rep-terms.js';
import { assertRepExists } from '../../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { effects, lastDay } from '../../../platform/mcp/tool.js';
import { exactAmount } from '../../../platform/operations/money-digits.js';
import { operation } from '../../../platform/operations/operation.js';
import { dryRunQuery } from '../../../simulation/write-effect.js';
import { type ChangedDraw, changedDraw, runDrawChange } from '../../payables/change-draw.js';
import { findDrawWarnings } from '../../payables/draw-warnings.js';
import {
  assertDrawTerms,
  assertNotOwnDraw,
  type Draw,
  describeDraw,
  drawExample,
  drawTerms,
  recoveryArgument,
} from '../draw.js';
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
  tool: {
    name: 'create_draw',
    title: 'Create draw',
    hints: effects.adds,
    description: {
      purpose: 'Enter a draw of a person: a guaranteed income or an advance.',
      useWhen: 'a person is guaranteed pay. Call it with dryRun true first.',
      notFor: 'a draw that exists (update_draw).',
      changes: 'what the statements of its days pay; approved statements stay.',
    },
    arguments: {
      repId: 'The person (of list_reps)',
      kind: 'guarantee: pay is topped up to the amount; advance: paid in addition',
      recoverable: 'true: paid back from later pay',
      amount: 'Amount for each pay period',
      currency: 'ISO 4217 code; that of the workspace by default',
      from: 'First day, YYYY-MM-DD',
      to: lastDay('Last day'),
      recovery: recoveryArgument,
      dryRun: 'true: only say the effect',
    },
    summary: describeDraw,
  },
  subject: async (_tx, { body: { repId } }) => ({ paid: [repId], state: null }),
  assertPossible: async (tx, { body }) => void (await possibleTerms(tx, body)),
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
      assertNotOwnDraw(caller, requested.repId);
      const terms = await possibleTerms(tx, requested);
      return {
        repIds: [terms.repId],
        store: async () => {
          await insertDraw(tx, terms, caller.actor);
          await tx.changeTerms({ repIds: [terms.repId] });
          return { ...((await findDraw(tx, terms.drawId)) as Draw), ...(await findDrawWarnings(tx, terms)) };
        },
      };
    });
  },
});

/** The terms of the new draw, if they can be stored as things are. */
async function possibleTerms(tx: Transaction, requested: z.output<typeof drawTerms>) {
  await assertRepExists(tx, requested.repId);
  await assertPayoutsOn(tx);
  const { currency } = await loadWorkspaceTerms(tx);
  const terms = { drawId: newId(), ...requested, currency: requested.currency ?? currency };
  exactAmount(terms.amount, terms.currency);
  await assertNoOverlap(tx, terms);
  await assertOpenDays(tx, terms.repId, terms);
  return terms;
}
