import { z } from 'zod';
import { visibleReps } from '../../../kernel/caller.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { type Acceptance, acceptance, acceptanceExample, planRefQuery } from '../acceptance.js';
import { listRequestedAcceptances } from '../acceptance-views.js';

const query = z.strictObject({ planRef: planRefQuery });

export const listAcceptances = operation({
  id: 'listAcceptances',
  summary: 'List who has accepted the plans that need it, and who has not answered. Reps see their own',
  method: 'get',
  path: '/v1/acceptances',
  access: 'rep',
  query,
  response: z.object({
    acceptances: z.array(acceptance).describe('One for each version and person, by plan and name'),
    waiting: z.int().describe('How many wait'),
    accepted: z.int().describe('How many are accepted'),
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
    arguments: { planRef: 'Only this plan or version' },
    list: 'acceptances',
    summary: ({ waiting, accepted, declined }) => `Waiting: ${waiting}; accepted: ${accepted}; declined: ${declined}.`,
  },
  example: { response: { acceptances: [acceptanceExample], waiting: 1, accepted: 0, declined: 0 } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { planRef } }, caller, { unitOfWork }) {
    const repId = caller.accessLevel === 'rep' ? (caller.repId ?? undefined) : undefined;
    const acceptances = await unitOfWork.read(caller, (tx) =>
      listRequestedAcceptances(tx, { planRef, repId }, visibleReps(caller)),
    );
    const count = (status: Acceptance['status']) => acceptances.filter((each) => each.status === status).length;
    return { acceptances, waiting: count('waiting'), accepted: count('accepted'), declined: count('declined') };
  },
});
