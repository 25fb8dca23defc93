import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { planStatuses, writtenPlan } from '../plan.js';
import { planExample } from '../plan-examples.js';
import { loadPlanSubject } from '../plan-subject.js';
import { forceTests } from '../plan-tests.js';
import { describePlan, describeWarnings, planTermParts } from '../plan-tool-text.js';
import { previewedChange } from '../previewed-change.js';
import { tableFailures } from '../table-checks.js';
import { changePlan } from './update-plan.js';

const params = z.strictObject({ planRef: pathIds.planRef });
const body = z.strictObject({
  status: z.enum(planStatuses).describe('New status; archived and draft pay nothing'),
  force: forceTests,
});

export const setPlanStatus = operation({
  id: 'setPlanStatus',
  summary: 'Set the status of a plan (planId) or of one version (planVersionId), in place; history and events stay',
  method: 'patch',
  path: '/v1/plans/:planRef/status',
  access: 'admin',
  params,
  body,
  response: writtenPlan,
  failures: {
    ...tableFailures,
    plan_tests_failed: 400,
    plan_too_complex: 400,
    plan_not_found: 404,
    plan_name_taken: 409,
    calculation_pending: 409,
  },
  tool: {
    name: 'set_plan_status',
    title: 'Set plan status',
    hints: effects.sets,
    description: {
      purpose: 'Set a plan, or one version of it, to draft, active, archived or deleted, in place.',
      useWhen:
        'a draft has been simulated and agreed on (active), or a plan shall pay no more (archived). deleted hides it; any status can be set again.',
      notFor: 'ending a plan on a day (update_plan with effectiveEnd) or removing it permanently (delete_plan).',
      changes:
        'planId sets the plan: unless it is active nothing new is earned, and what was earned stays. planVersionId sets that version only: archiving the version in force is a roll-back, so the version before it is in force again (rolledBackTo) and open periods change.',
    },
    arguments: {
      planRef: 'planId of list_plans for the plan, or a planVersionId for that version',
      status: 'The new status',
      force: { always: false },
    },
    previewedBy: previewedChange,
    detail: { defaultForm: 'summary', summaryOmits: planTermParts },
    summary: (plan) => `${describePlan(plan)}${describeWarnings(plan)}`,
  },
  subject: (tx, { params: { planRef } }) => loadPlanSubject(tx, planRef),
  example: {
    params: { planRef: sampleIds.planId },
    body: { status: 'archived' },
    response: { ...planExample, planStatus: 'archived', status: 'archived', timeline: [], inForce: null, warnings: [] },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  execute: changePlan,
});
