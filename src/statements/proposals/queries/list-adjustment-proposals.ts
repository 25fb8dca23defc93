import { z } from 'zod';
import { maySee, visibleReps } from '../../../kernel/caller.js';
import { notYours, repIdQuery } from '../../../people/reps/rep.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { optionalPeriod } from '../../../platform/operations/schemas.js';
import { proposal, proposalExample } from '../proposal.js';
import { findProposals, presentProposals } from '../proposal-views.js';

const query = z.strictObject({
  status: z
    .enum(['proposed', 'approved', 'rejected'])
    .optional()
    .describe('Only those with this status; all by default'),
  repId: repIdQuery.optional().describe('Only those of this rep, by id (UUID); reps see their own'),
  period: optionalPeriod.describe('Only those of this period; all by default'),
});

export const listAdjustmentProposals = operation({
  id: 'listAdjustmentProposals',
  summary: 'List adjustments above a limit, with who may decide those that wait. Reps see their own',
  method: 'get',
  path: '/v1/adjustments',
  access: 'rep',
  query,
  response: z.object({ adjustments: z.array(proposal).describe('The adjustments, the latest first') }),
  failures: {},
  example: { query: { status: 'proposed' }, response: { adjustments: [proposalExample] } },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: { repId, ...request } }, caller, { unitOfWork, clock }) {
    if (repId !== undefined && !maySee(caller, repId)) throw notYours();
    const repIds = repId === undefined ? visibleReps(caller) : [repId];
    return unitOfWork.read(caller, async (tx) => ({
      adjustments: presentProposals(await findProposals(tx, { ...request, repIds }, clock.now()), caller),
    }));
  },
});
