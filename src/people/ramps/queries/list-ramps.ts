import { z } from 'zod';
import { effects } from '../../../platform/mcp/tool.js';
import { listOf } from '../../../platform/operations/list-of.js';
import { Page } from '../../../platform/operations/operation.js';
import { asOfQuery, countAllPages, optionalPage } from '../../../platform/operations/schemas.js';
import { ramp, rampExample } from '../ramp.js';
import { countRamps, listRamps as loadRamps } from '../ramp-views.js';

export const listRamps = listOf(
  {
    id: 'listRamps',
    summary: 'Ramps by name, with the number of assignments that have them',
    path: '/v1/ramps',
    access: 'admin',
    query: z.strictObject({ asOf: asOfQuery, ...optionalPage('ramps') }),
    list: { name: 'ramps', items: z.array(ramp).describe('Ramps by name') },
    tool: {
      name: 'list_ramps',
      title: 'List ramps',
      hints: effects.reads,
      description: {
        purpose: 'Ramps of new people: steps of months with percentages.',
        useWhen: 'you need a rampId.',
        notFor: 'targets (list_quotas).',
        changes: 'nothing.',
      },
      arguments: { asOf: { always: undefined } },
      listsWithin: ['ramps'],
      summary: ({ count }) => `Ramps: ${count}.`,
    },
    example: { items: [rampExample] },
  },
  async (tx, { query: { limit, offset } }) => {
    const page = { limit, offset };
    const ramps = await loadRamps(tx, page);
    return new Page(ramps, await countAllPages(page, ramps.length, () => countRamps(tx)));
  },
);
