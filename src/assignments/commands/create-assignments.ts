import { z } from 'zod';
import { assertEffectiveDayOrder } from '../../kernel/day-order.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { planNotFound } from '../../plans/plan.js';
import { loadTermsSubject } from '../../plans/plan-subject.js';
import { describeWarnings, planArguments } from '../../plans/plan-tool-text.js';
import { findPlanId } from '../../plans/plan-views.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects, firstDay, lastDay } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { day, uuid } from '../../platform/operations/schemas.js';
import { repNotFound } from '../../reps/rep.js';
import { unknownReps } from '../../reps/rep-views.js';
import { type Assignment, assignment, assignmentExample, assignmentOverlap } from '../assignment.js';
import { findRampWarnings, readRamp } from '../assignment-ramp.js';
import { insertAssignments, overlappingReps, recalculateAssigned } from '../assignment-store.js';
import { listAssignments } from '../assignment-views.js';
import { warnOfUnsetQuotas } from '../unset-quotas.js';

const body = z.strictObject({
  repIds: z.array(uuid).min(1).max(10_000).describe('Ids of the reps (UUID) to put on the plan'),
  planId: uuid.describe('Id of the plan (UUID)'),
  effectiveStart: day.nullish().describe('First day on the plan, YYYY-MM-DD; null or absent for no earliest day'),
  effectiveEnd: day.nullish().describe('Last day on the plan, YYYY-MM-DD; null or absent for no end'),
  rampId: uuid.nullish().describe('Id of the ramp of the quotas (UUID); null or absent for none'),
  rampFrom: day
    .nullish()
    .describe('First day of the ramp, YYYY-MM-DD; null or absent for the first day on the plan, or else the hire date'),
});

export const createAssignments = operation({
  id: 'createAssignments',
  summary: 'Assign reps to a plan, one assignment each, all or none',
  method: 'post',
  path: '/v1/assignments',
  access: 'admin',
  body,
  response: z.array(assignment),
  status: 201,
  failures: { plan_not_found: 404, rep_not_found: 404, ramp_not_found: 404, assignment_overlap: 409 },
  tool: {
    name: 'create_assignments',
    title: 'Put reps on a plan',
    hints: effects.adds,
    description: {
      purpose: 'Assign one rep or several to a plan, all of them or none.',
      useWhen:
        'people are to be paid by a plan. Look at list_assignments first: who is on two plans is paid by both for the same deal. Managers whom a cascade rule pays are assigned too.',
      notFor: 'changing the days of an assignment (use update_assignment).',
      changes: 'commission of these reps is calculated for the days of the assignment, also for deals already won.',
    },
    arguments: {
      repIds: 'The reps (UUIDs of list_reps)',
      planId: planArguments.planId,
      effectiveStart: firstDay('First day on the plan'),
      effectiveEnd: lastDay('Last day on the plan'),
      rampId: { always: undefined },
      rampFrom: { always: undefined },
    },
    list: 'assignments',
    summary: (assignments) =>
      `Reps assigned: ${assignments.length}. Commission is recalculated automatically.${describeWarnings({
        warnings: assignments.flatMap(({ warnings = [] }) => warnings),
      })}`,
  },
  subject: (tx, { body: { planId, repIds } }) => loadTermsSubject(tx, planId, repIds),
  example: {
    body: { repIds: [sampleIds.repId], planId: sampleIds.planId, effectiveStart: '2026-01-01' },
    response: [assignmentExample],
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ body: request }, caller, { changes, clock }): Promise<Assignment[]> {
    const repIds = [...new Set(request.repIds)];
    const start = request.effectiveStart ?? null;
    const end = request.effectiveEnd ?? null;
    assertEffectiveDayOrder(start, end);
    return changes.run(caller, 'exclusive', async (tx, recalculate) => {
      const planId = await findPlanId(tx, request.planId);
      if (planId === undefined) throw planNotFound();
      const unknown = await unknownReps(tx, repIds);
      if (unknown.length > 0) throw repNotFound(unknown);
      const placement = { planId, start, end, ...(await readRamp(tx, request)) };
      const overlapping = await overlappingReps(tx, repIds, placement);
      if (overlapping.length > 0) throw assignmentOverlap(overlapping);
      const assignmentIds = await insertAssignments(tx, repIds, placement);
      await recalculateAssigned(tx, recalculate, planId, repIds);
      const byId = new Map(
        (await listAssignments(tx, { assignmentIds })).map((created) => [created.assignmentId, created]),
      );
      const ofRamp = await findRampWarnings(tx, placement);
      const ofQuotas = await warnOfUnsetQuotas(tx, repIds, placement, clock);
      return assignmentIds.map((assignmentId) => {
        const created = byId.get(assignmentId) as Assignment;
        const warnings = [...ofRamp, ...(ofQuotas.get(created.repId) ?? [])];
        return warnings.length === 0 ? created : { ...created, warnings };
      });
    });
  },
});
