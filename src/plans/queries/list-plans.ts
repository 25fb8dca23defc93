import { z } from 'zod';
import { maySee } from '../../kernel/caller.js';
import { notYours, readsAsWidget } from '../../people/reps/rep.js';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { uuid } from '../../platform/operations/schemas.js';
import { assignedQuery, planStatuses, planVersion } from '../plan.js';
import { planExample } from '../plan-examples.js';
import { planTermParts } from '../plan-tool-text.js';
import { listPlanVersions, planViewer, visiblePlan } from '../plan-views.js';

const query = z.strictObject({
  status: z.enum(planStatuses).optional().describe('This status'),
  versions: z.literal('all').optional().describe('all: every version; by default one version of each plan'),
  repId: uuid.optional().describe('Only plans to which this rep is assigned (UUID)'),
  assigned: assignedQuery,
});

export const listPlans = operation({
  id: 'listPlans',
  summary: 'Plans, one row per identity with the version in force today, or every version',
  method: 'get',
  path: '/v1/plans',
  access: 'connection',
  query,
  response: z.array(planVersion),
  failures: {},
  tool: {
    name: 'list_plans',
    title: 'List plans',
    hints: effects.reads,
    description: {
      purpose: 'Plans, one row each with the version in force today, or every version.',
      useWhen: 'you need a planId or planVersionId.',
      notFor: 'the rules of one (get_plan).',
      changes: 'nothing.',
    },
    arguments: {
      status: 'This status',
      versions: 'all: every version',
      repId: { always: undefined },
      assigned: { always: '100' },
    },
    list: 'plans',
    detail: { defaultForm: 'summary', summaryOmits: planTermParts.map((part) => `plans.${part}`) },
    summary: (plans) => `Rows: ${plans.length}.`,
  },
  example: { query: { status: 'active' }, response: [planExample] },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: { status, versions, repId, assigned } }, caller, { unitOfWork, clock }) {
    if (repId !== undefined && !maySee(caller, repId)) throw notYours();
    const plans = await unitOfWork.read(caller, async (tx) =>
      listPlanVersions(tx, {
        ...(status === undefined ? {} : { status }),
        everyVersion: versions === 'all',
        maxAssigned: assigned,
        onlyForRep: planViewer(caller),
        assignedTo: repId,
        team: caller.team,
        withoutDrafts: readsAsWidget(caller),
        today: await workspaceToday(tx, clock),
      }),
    );
    return plans.map((plan) => visiblePlan(plan, caller));
  },
});
