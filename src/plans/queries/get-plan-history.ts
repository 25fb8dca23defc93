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
import { planTermParts } from '../plan-tool-text.js';
import { findPlanVersion, listPlanVersions, planViewer, visiblePlan } from '../plan-views.js';

const params = z.strictObject({ planId: pathIds.planId });
const query = z.strictObject({ assigned: assignedQuery });

export const getPlanHistory = operation({
  id: 'getPlanHistory',
  summary: 'All versions of a plan, newest first',
  method: 'get',
  path: '/v1/plans/:planId/history',
  access: 'connection',
  params,
  query,
  response: z.array(planVersion),
  failures: { plan_not_found: 404 },
  tool: {
    name: 'get_plan_history',
    title: 'Get plan history',
    hints: effects.reads,
    description: {
      purpose: 'All versions of one plan, newest first.',
      useWhen: 'a person asks what changed.',
      notFor: 'the current plan (get_plan).',
      changes: 'nothing.',
    },
    arguments: { planId: 'planId or planVersionId', assigned: { always: '100' } },
    list: 'versions',
    detail: { defaultForm: 'summary', summaryOmits: planTermParts.map((part) => `versions.${part}`) },
    summary: (versions) => `Versions: ${versions.length}.`,
  },
  example: { params: { planId: sampleIds.planId }, response: [planExample] },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { planId: planRef }, query: { assigned } }, caller, { unitOfWork, clock }) {
    const onlyForRep = planViewer(caller);
    const withoutDrafts = readsAsWidget(caller);
    return unitOfWork.read(caller, async (tx) => {
      const today = await workspaceToday(tx, clock);
      const version = await findPlanVersion(tx, planRef, { onlyForRep, withoutDrafts, today, maxAssigned: 0 });
      if (version === null) throw planNotFound();
      const versions = await listPlanVersions(tx, {
        planId: version.planId,
        everyVersion: true,
        includeDeleted: true,
        onlyForRep,
        team: caller.team,
        withoutDrafts,
        today,
        maxAssigned: assigned,
      });
      return versions.map((plan) => visiblePlan(plan, caller));
    });
  },
});
