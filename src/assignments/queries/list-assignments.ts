import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { findPlanId } from '../../plans/plan-views.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';
import { uuid } from '../../platform/schemas.js';
import { visibleRep } from '../../reps/rep.js';
import { assignment } from '../assignment.js';
import { listAssignments as loadAssignments } from '../assignment-views.js';

const query = z.strictObject({ repId: uuid.optional(), planId: uuid.optional() });

@injectable()
export class ListAssignments {
  constructor(@inject(UnitOfWork) private readonly unitOfWork: UnitOfWork) {}

  async execute({ query: { repId: asked, planId: planRef } }: Input<unknown, z.infer<typeof query>>, caller: Caller) {
    const repId = visibleRep(caller, asked);
    return this.unitOfWork.run(caller, 'reads', async (trx) => {
      if (planRef === undefined) return loadAssignments(trx, caller.workspaceId, { repId });
      const planId = await findPlanId(trx, caller.workspaceId, planRef);
      return planId === undefined ? [] : loadAssignments(trx, caller.workspaceId, { repId, planId });
    });
  }
}

export const listAssignments = operation({
  id: 'listAssignments',
  summary: 'Who is on which plan from when to when',
  method: 'get',
  path: '/v1/assignments',
  access: 'rep',
  query,
  response: z.array(assignment),
  failures: {},
  handler: ListAssignments,
});
