import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { findPlanId } from '../..//plans/plan-views.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';
import { period, uuid } from '../../platform/schemas.js';
import { visibleRep } from '../../reps/rep.js';
import { quota } from '../quota.js';
import { listQuotas as loadQuotas } from '../quota-views.js';

const query = z.strictObject({ repId: uuid.optional(), planId: uuid.optional(), period: period.optional() });

@injectable()
export class ListQuotas {
  constructor(@inject(UnitOfWork) private readonly unitOfWork: UnitOfWork) {}

  async execute({ query: asked }: Input<unknown, z.infer<typeof query>>, caller: Caller) {
    const repId = visibleRep(caller, asked.repId);
    const filter = { period: asked.period, ...(repId === null ? {} : { repIds: [repId] }) };
    return this.unitOfWork.run(caller, 'reads', async (trx) => {
      if (asked.planId === undefined) return loadQuotas(trx, caller.workspaceId, filter);
      const planId = await findPlanId(trx, caller.workspaceId, asked.planId);
      return planId === undefined ? [] : loadQuotas(trx, caller.workspaceId, { ...filter, planId });
    });
  }
}

export const listQuotas = operation({
  id: 'listQuotas',
  summary: 'Quotas with what has been reached of them',
  method: 'get',
  path: '/v1/quotas',
  access: 'rep',
  query,
  response: z.array(quota),
  failures: {},
  handler: ListQuotas,
});
