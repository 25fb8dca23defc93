import { z } from 'zod';
import { mapInSlices } from '../../../kernel/waiting.js';
import { narrowedReps } from '../../../people/reps/rep.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation, Page } from '../../../platform/operations/operation.js';
import { commaList, optionalPage, uuid } from '../../../platform/operations/schemas.js';
import { type Acceptance, acceptance, acceptanceExample, acceptanceStatus, planRefQuery } from '../acceptance.js';
import { listRequests, statusOf, toAcceptance } from '../acceptance-views.js';

const query = z.strictObject({
  planRef: planRefQuery,
  repId: uuid.optional().describe('Only the acceptances of this rep (UUID)'),
  status: commaList(acceptanceStatus, 3)
    .optional()
    .describe('Only acceptances with these statuses, separated by commas'),
  ...optionalPage('acceptances'),
});

export const listAcceptances = operation({
  id: 'listAcceptances',
  summary: 'List who has accepted the plans that need it, and who has not answered. Reps see their own',
  method: 'get',
  path: '/v1/acceptances',
  access: 'rep',
  query,
  response: z.object({
    acceptances: z.array(acceptance).describe('One for each version and person, by plan and name'),
    waiting: z.int().describe('How many wait, on all pages'),
    accepted: z.int().describe('How many are accepted, also where the list is of other statuses'),
    declined: z.int().describe('How many are declined'),
  }),
  failures: {},
  tool: {
    name: 'list_acceptances',
    title: 'List acceptances',
    hints: effects.reads,
    description: {
      purpose: 'Who has accepted the plans that need it.',
      useWhen: 'pay is held as plan_not_accepted.',
      notFor: 'the terms (get_plan).',
      changes: 'nothing.',
    },
    arguments: { planRef: 'Only this plan or version', repId: { always: undefined }, status: { always: undefined } },
    list: 'acceptances',
    summary: ({ waiting, accepted, declined }) => `Waiting: ${waiting}; accepted: ${accepted}; declined: ${declined}.`,
  },
  example: { response: { acceptances: [acceptanceExample], waiting: 1, accepted: 0, declined: 0 } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { planRef, repId, status, limit, offset } }, caller, { unitOfWork }) {
    const repIds = narrowedReps(caller, repId);
    const requests = await unitOfWork.read(caller, (tx) => listRequests(tx, planRef, repIds));
    const numberOf = (one: Acceptance['status']) => requests.filter((each) => statusOf(each) === one).length;
    const listed = status === undefined ? requests : requests.filter((each) => status.includes(statusOf(each)));
    const page = listed.slice(offset, limit === undefined ? undefined : offset + limit);
    return new Page(
      {
        acceptances: await mapInSlices(page, toAcceptance),
        waiting: numberOf('waiting'),
        accepted: numberOf('accepted'),
        declined: numberOf('declined'),
      },
      listed.length,
    );
  },
});
