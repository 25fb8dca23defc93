import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller, mayActAs } from '../../kernel/caller.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';
import { planStatuses, planVersion } from '../plan.js';
import { listPlanVersions } from '../plan-views.js';

const query = z.strictObject({ status: z.enum(planStatuses).optional(), versions: z.literal('all').optional() });

@injectable()
export class ListPlans {
  constructor(@inject(UnitOfWork) private readonly unitOfWork: UnitOfWork) {}

  async execute({ query: { status, versions } }: Input<unknown, z.infer<typeof query>>, caller: Caller) {
    return this.unitOfWork.run(caller, 'reads', (trx) =>
      listPlanVersions(trx, caller.workspaceId, {
        ...(status === undefined ? {} : { status }),
        everyVersion: versions === 'all',
        onlyForRep: mayActAs(caller, 'manager') ? null : caller.repId,
      }),
    );
  }
}

export const listPlans = operation({
  id: 'listPlans',
  summary: 'Plans, one row per identity with its active version preferred, or every version',
  method: 'get',
  path: '/v1/plans',
  access: 'rep',
  query,
  response: z.array(planVersion),
  failures: {},
  handler: ListPlans,
});
