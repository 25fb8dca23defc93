import { z } from 'zod';
import { pageFields } from '../../../api/resource-fields.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { narrowedReps, repIdQuery } from '../../../people/reps/rep.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { offsetPage, period } from '../../../platform/operations/schemas.js';
import { discrepancy, discrepancyExample, discrepancyStatuses } from '../discrepancy.js';
import { listDiscrepancies as load } from '../discrepancy-views.js';

const query = z.strictObject({
  status: z.enum(discrepancyStatuses).optional().describe('Only discrepancies with this status'),
  repId: repIdQuery.optional().describe("Only this rep's discrepancies, by id (UUID)"),
  period: period.optional().describe('Only discrepancies of this approved period'),
  ...offsetPage('discrepancies', 200, 50),
});

export const listDiscrepancies = operation({
  id: 'listDiscrepancies',
  summary:
    'List differences between approved statements and a new calculation of their periods, latest first. The list is updated seconds after a change',
  method: 'get',
  path: '/v1/discrepancies',
  access: 'manager',
  payroll: true,
  query,
  response: z.object({
    discrepancies: z.array(discrepancy).describe('The discrepancies of the page, latest first'),
    ...pageFields,
  }),
  failures: {},
  tool: {
    name: 'list_discrepancies',
    title: 'List discrepancies',
    hints: effects.reads,
    description: {
      purpose: 'What approved statements owe after later changes, and why.',
      useWhen: 'a change concerns an approved period.',
      notFor: 'planned changes (preview_plan_change).',
      changes: 'nothing.',
    },
    arguments: {
      status: 'This status',
      repId: 'This rep',
      period: 'This period',
    },
    list: 'discrepancies',
    summary: ({ count }) => `Discrepancies that match: ${count}.`,
  },
  example: {
    query: { repId: sampleIds.repId, status: 'open' },
    response: { discrepancies: [discrepancyExample], count: 1, limit: 50, offset: 0 },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: request }, caller, { unitOfWork }) {
    const { status, repId, period: requestedPeriod, limit, offset } = request;
    const filter = { status, period: requestedPeriod, repIds: narrowedReps(caller, repId) };
    const found = await unitOfWork.read(caller, (tx) => load(tx, filter, { limit, offset }));
    return { ...found, limit, offset };
  },
});
