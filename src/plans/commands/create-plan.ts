import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';
import { currency, day, text } from '../../platform/schemas.js';
import {
  assertDateOrder,
  assertFieldMapping,
  assertUpstreamKnown,
  fieldMapping,
  type PlanVersion,
  planConfig,
  planNotFound,
  planTerms,
  planVersion,
} from '../plan.js';
import { insertPlan, insertVersion, isNameTaken, ruleNames } from '../plan-store.js';
import { findPlanVersion } from '../plan-views.js';
import { assertTierOwnersKnown } from '../tier-owners.js';

const body = z.strictObject({
  name: text(200),
  config: planConfig,
  effectiveStart: day.nullish(),
  effectiveEnd: day.nullish(),
  fieldMapping: fieldMapping.nullish(),
  currency: currency.nullish(),
  status: z.enum(['draft', 'active', 'archived']).default('active'),
});

@injectable()
export class CreatePlan {
  constructor(@inject(UnitOfWork) private readonly unitOfWork: UnitOfWork) {}

  async execute({ body: plan }: Input<unknown, unknown, z.infer<typeof body>>, caller: Caller): Promise<PlanVersion> {
    const terms = planTerms(plan.config);
    const effectiveStart = plan.effectiveStart ?? null;
    const effectiveEnd = plan.effectiveEnd ?? null;
    assertDateOrder(effectiveStart, effectiveEnd);
    assertFieldMapping(plan.fieldMapping ?? null);
    return this.unitOfWork.run(caller, 'configuration', async (trx) => {
      if (await isNameTaken(trx, caller.workspaceId, plan.name)) {
        throw new Failure(
          'plan_name_taken',
          `A plan named ${plan.name} exists. Change it with PATCH, or give another name.`,
        );
      }
      assertUpstreamKnown(terms, await ruleNames(trx, caller.workspaceId));
      await assertTierOwnersKnown(trx, caller.workspaceId, terms);
      const planId = await insertPlan(trx, caller.workspaceId, plan.name);
      const planVersionId = await insertVersion(
        trx,
        caller.workspaceId,
        {
          planId,
          status: plan.status,
          effectiveStart,
          effectiveEnd,
          currency: plan.currency ?? null,
          fieldMapping: plan.fieldMapping ?? null,
          config: plan.config,
        },
        terms,
      );
      const created = await findPlanVersion(trx, caller.workspaceId, planVersionId, null);
      if (created === null) throw planNotFound();
      return created;
    });
  }
}

export const createPlan = operation({
  id: 'createPlan',
  summary: 'Create a plan; it is active at once unless its status says draft',
  method: 'post',
  path: '/v1/plans',
  access: 'admin',
  body,
  response: planVersion,
  status: 201,
  failures: { plan_name_taken: 409, rep_not_found: 404 },
  handler: CreatePlan,
});
