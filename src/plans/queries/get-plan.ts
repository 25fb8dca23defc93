import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { readsAsWidget } from '../../people/reps/rep.js';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { assignedQuery, planNotFound, planVersion } from '../plan.js';
import { planExample } from '../plan-examples.js';
import { describePlan, planTermParts } from '../plan-tool-text.js';
import { findPlanVersion, planViewer, visiblePlan } from '../plan-views.js';

const params = z.strictObject({ planId: pathIds.planId });
const query = z.strictObject({ assigned: assignedQuery });

export const getPlan = operation({
  id: 'getPlan',
  summary: "One plan version with rules and tiers, by its id or by its plan's",
  method: 'get',
  path: '/v1/plans/:planId',
  access: 'connection',
  params,
  query,
  response: planVersion,
  failures: { plan_not_found: 404 },
  tool: {
    name: 'get_plan',
    title: 'Get plan',
    hints: effects.reads,
    description: {
      purpose: 'One plan version with its conditions, rules, tiers, rule ids and assigned reps.',
      useWhen: 'you explain or change a plan, or need a rule id.',
      notFor: 'older versions (get_plan_history).',
      formats: 'Rule ids change with every version.',
      changes: 'nothing.',
    },
    arguments: { planId: 'planId (its version in force) or a planVersionId', assigned: { always: '100' } },
    detail: { defaultForm: 'full', summaryOmits: planTermParts },
    summary: (plan) => `${describePlan(plan)} Rules: ${plan.rules.length}; assigned reps: ${plan.assignedCount}.`,
  },
  example: { params: { planId: sampleIds.planId }, response: planExample },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { planId }, query: { assigned } }, caller, { unitOfWork, clock }) {
    const onlyForRep = planViewer(caller);
    const withoutDrafts = readsAsWidget(caller);
    const plan = await unitOfWork.read(caller, async (tx) => {
      const today = await workspaceToday(tx, clock);
      return findPlanVersion(tx, planId, {
        onlyForRep,
        team: caller.team,
        withoutDrafts,
        today,
        maxAssigned: assigned,
      });
    });
    if (plan === null) throw planNotFound();
    return visiblePlan(plan, caller);
  },
});
