import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { asOfQuery } from '../../../platform/operations/schemas.js';
import { ramp, rampExample } from '../ramp.js';
import { listRamps as loadRamps } from '../ramp-views.js';

export const listRamps = operation({
  id: 'listRamps',
  summary: 'Ramps by name, with the number of assignments that have them',
  method: 'get',
  path: '/v1/ramps',
  access: 'admin',
  query: z.strictObject({ asOf: asOfQuery }),
  response: z.object({
    ramps: z.array(ramp).describe('Ramps by name'),
    count: z.int().describe('Number of ramps'),
  }),
  failures: {},
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
  example: { response: { ramps: [rampExample], count: 1 } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { asOf } }, caller, { unitOfWork }) {
    const ramps = await unitOfWork.run(caller, { lock: 'none', access: 'read', asOf }, (tx) => loadRamps(tx));
    return { ramps, count: ramps.length };
  },
});
