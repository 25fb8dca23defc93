import { z } from 'zod';
import { fields, pathIds } from '../../api/resource-fields.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { planNotFound } from '../plan.js';
import { hasAssignments, deletePlan as removePlan } from '../plan-store.js';
import { loadPlanSubject } from '../plan-subject.js';
import { findPlanId } from '../plan-views.js';

const params = z.strictObject({ planId: pathIds.planId });

export const deletePlan = operation({
  id: 'deletePlan',
  summary: 'Remove a plan permanently, with all versions, rules, tiers and quotas; events stay until a cleanup',
  method: 'delete',
  path: '/v1/plans/:planId',
  access: 'admin',
  params,
  response: z.object({
    deleted: z.boolean().describe('Always true: an unknown plan gets status 404'),
    planId: fields.planId,
  }),
  failures: { plan_not_found: 404, plan_has_assignments: 409 },
  tool: {
    name: 'delete_plan',
    title: 'Delete plan permanently',
    hints: effects.sets,
    description: {
      purpose: 'Remove a plan permanently, with all its versions, rules, tiers and quotas.',
      useWhen: 'a person asks to remove a plan that was created by mistake, and has confirmed it.',
      notFor: 'plans that people were paid by: use set_plan_status.',
      changes:
        'cannot be undone. Fails with plan_has_assignments while reps are assigned. Commission that was earned stays.',
    },
    arguments: { planId: 'planId of list_plans; any planVersionId also stands for the whole plan' },
    confirmed: true,
    summary: ({ planId }) => `Plan ${planId} was removed, with all versions and quotas.`,
  },
  subject: (tx, { params: { planId } }) => loadPlanSubject(tx, planId),
  example: { params: { planId: sampleIds.planId }, response: { deleted: true, planId: sampleIds.planId } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { planId: planRef } }, caller, { unitOfWork }) {
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      const planId = await findPlanId(tx, planRef);
      if (planId === undefined) throw planNotFound();
      if (await hasAssignments(tx, planId)) {
        throw new Failure(
          'plan_has_assignments',
          'Reps are assigned to this plan. Remove the assignments first, or set its status to archived.',
        );
      }
      await removePlan(tx, planId);
      return { deleted: true, planId };
    });
  },
});
