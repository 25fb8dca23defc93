import { z } from 'zod';
import { sampleIds } from '../../kernel/sample-ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { asOfQuery, uuid } from '../../platform/operations/schemas.js';
import { draw, drawExample } from '../draw.js';
import { listDraws as loadDraws } from '../draw-views.js';

const query = z.strictObject({
  repId: uuid.optional().describe('Only draws of this rep (UUID)'),
  asOf: asOfQuery,
});

export const listDraws = operation({
  id: 'listDraws',
  summary: 'Guarantees and advances of people, with what was forgiven of them',
  method: 'get',
  path: '/v1/draws',
  access: 'admin',
  payroll: true,
  query,
  response: z.object({
    draws: z.array(draw).describe('Draws by rep, earliest first'),
    count: z.int().describe('Number of draws'),
  }),
  failures: {},
  tool: {
    name: 'list_draws',
    title: 'List draws',
    hints: effects.reads,
    description: {
      purpose: 'Guaranteed incomes and advances of people, with how they are paid back.',
      useWhen: 'a statement pays more than it releases, or keeps a part of it.',
      notFor: 'what is paid of commission (use list_payables).',
      changes: 'nothing.',
    },
    arguments: { repId: 'Only of this person (UUID of list_reps)', asOf: { always: undefined } },
    listsWithin: ['draws'],
    summary: ({ count }) => `Draws: ${count}.`,
  },
  example: { query: { repId: sampleIds.repId }, response: { draws: [drawExample], count: 1 } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { repId, asOf } }, caller, { unitOfWork }) {
    const repIds = repId === undefined ? null : [repId];
    const draws = await unitOfWork.run(caller, { lock: 'none', access: 'read', asOf }, (tx) =>
      loadDraws(tx, { repIds }),
    );
    return { draws, count: draws.length };
  },
});
