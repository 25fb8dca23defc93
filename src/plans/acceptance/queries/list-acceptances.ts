import { z } from 'zod';
import { visibleReps } from '../../../kernel/caller.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { pathId } from '../../../platform/operations/schemas.js';
import { type Acceptance, acceptance, acceptanceExample } from '../acceptance.js';
import { listAskedVersions, readAcceptances } from '../acceptance-views.js';

const query = z.strictObject({
  planRef: pathId.optional().describe('Only this plan, or this version of one (UUID); all by default'),
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
    waiting: z.int().describe('How many wait'),
    accepted: z.int().describe('How many are accepted'),
    declined: z.int().describe('How many are declined'),
  }),
  failures: {},
  example: { response: { acceptances: [acceptanceExample], waiting: 1, accepted: 0, declined: 0 } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { planRef } }, caller, { unitOfWork }) {
    return unitOfWork.read(caller, async (tx) => {
      const repId = caller.accessLevel === 'rep' ? (caller.repId ?? undefined) : undefined;
      const acceptances: Acceptance[] = [];
      for (const version of await listAskedVersions(tx, { planRef, repId }))
        for (const { document: _, ...read } of await readAcceptances(tx, version, visibleReps(caller)))
          acceptances.push(read);
      const count = (status: Acceptance['status']) => acceptances.filter((each) => each.status === status).length;
      return { acceptances, waiting: count('waiting'), accepted: count('accepted'), declined: count('declined') };
    });
  },
});
