import { z } from 'zod';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { narrowedReps, repIdQuery } from '../../../people/reps/rep.js';
import { workspaceToday } from '../../../people/reps/rep-views.js';
import { effects } from '../../../platform/mcp/tool.js';
import { listOf } from '../../../platform/operations/list-of.js';
import { Page } from '../../../platform/operations/operation.js';
import { asOfQuery, countAllPages, optionalPage } from '../../../platform/operations/schemas.js';
import { loadDrawStates, paidDraw } from '../../payables/draw-statements.js';
import { drawExample } from '../draw.js';
import { countDraws, listDraws as loadDraws } from '../draw-views.js';

const query = z.strictObject({
  repId: repIdQuery.optional().describe('Only draws of this rep, by id (UUID); reps may see only their own'),
  asOf: asOfQuery,
  ...optionalPage('draws'),
});

export const listDraws = listOf(
  {
    id: 'listDraws',
    summary: 'Guarantees and advances of people, with what statements granted and recovered of them',
    path: '/v1/draws',
    access: 'rep',
    payroll: true,
    query,
    list: { name: 'draws', items: z.array(paidDraw).describe('Draws by rep, earliest first') },
    failures: { rep_not_found: 404 },
    tool: {
      name: 'list_draws',
      title: 'List draws',
      hints: effects.reads,
      description: {
        purpose: 'Guaranteed incomes and advances of people, with how they are paid back.',
        useWhen: 'a statement pays more than it releases.',
        notFor: 'payables (list_payables).',
        changes: 'nothing.',
      },
      arguments: { repId: 'This person', asOf: { always: undefined } },
      listsWithin: ['draws'],
      summary: ({ count }) => `Draws: ${count}.${count === 0 ? ' create_draw enters one, for admins.' : ''}`,
    },
    example: {
      query: { repId: sampleIds.repId },
      items: [
        {
          ...drawExample,
          owed: 800,
          lines: [
            {
              period: '2026-01',
              kind: 'draw',
              amount: 800,
              owed: 800,
              formula: 'guaranteed 2,000.00 (31 of 31 days of 2,000.00), released 1,200.00, topped up 800.00',
            },
          ],
        },
      ],
    },
  },
  async (tx, { query: { repId, asOf, limit, offset } }, caller, clock) => {
    const page = { limit, offset };
    const repIds = narrowedReps(caller, repId);
    const found = await loadDraws(tx, { repIds, page });
    const count = await countAllPages(page, found.length, () => countDraws(tx, { repIds }));
    const people = [...new Set(found.map((draw) => draw.repId))];
    const today = await workspaceToday(tx, asOf === undefined ? clock : { now: () => asOf });
    const states = await loadDrawStates(tx, people, today);
    const draws = found.map((draw) => ({ ...draw, ...(states.get(draw.drawId) ?? { owed: 0, lines: [] }) }));
    return new Page(draws, count);
  },
);
