import { z } from 'zod';
import { pageFields } from '../../../api/resource-fields.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { narrowedReps, repIdQuery } from '../../../people/reps/rep.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { offsetPage, period } from '../../../platform/operations/schemas.js';
import { dispute, disputeExample, disputeStatuses } from '../dispute.js';
import { listDisputes as load } from '../dispute-views.js';

const query = z.strictObject({
  status: z.enum(disputeStatuses).optional().describe('Only disputes with this status'),
  repId: repIdQuery.optional().describe("Only this rep's disputes, by id (UUID); reps see only their own"),
  period: period.optional().describe('Only disputes of this period'),
  ...offsetPage('disputes', 500, 100),
});

export const listDisputes = operation({
  id: 'listDisputes',
  summary: 'List disputes, latest first: reps their own, managers and admins those of everyone they see',
  method: 'get',
  path: '/v1/disputes',
  access: 'rep',
  payroll: true,
  query,
  response: z.object({
    disputes: z.array(dispute).describe('The disputes of the page, latest first'),
    ...pageFields,
  }),
  failures: {},
  tool: {
    name: 'list_disputes',
    title: 'List disputes',
    hints: effects.reads,
    description: {
      purpose: 'Objections to statements, latest first.',
      useWhen: 'an approval is rejected with open_dispute.',
      notFor: 'why a deal paid (get_commissions).',
      changes: 'nothing.',
    },
    arguments: {
      status: 'This status',
      repId: 'This rep',
      period: 'This period',
    },
    list: 'disputes',
    summary: ({ count }) => `Disputes that match: ${count}.`,
  },
  example: {
    query: { repId: sampleIds.repId, status: 'open' },
    response: { disputes: [disputeExample], count: 1, limit: 100, offset: 0 },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: request }, caller, { unitOfWork }) {
    const { status, repId, period: requestedPeriod, limit, offset } = request;
    const filter = { status, period: requestedPeriod, repIds: narrowedReps(caller, repId) };
    const found = await unitOfWork.read(caller, (tx) => load(tx, caller, filter, { limit, offset }));
    return { ...found, limit, offset };
  },
});
