import { z } from 'zod';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { loadTermsSubject } from '../../../plans/plan-subject.js';
import { describeWarnings, planArguments } from '../../../plans/plan-tool-text.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { effects, firstDay, lastDay } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { type Assignment, assignment, assignmentExample } from '../assignment.js';
import { findRampWarnings } from '../assignment-ramp.js';
import { listAffectedReps } from '../assignment-store.js';
import { listAssignments } from '../assignment-views.js';
import { assignReps, newAssignments } from '../new-assignments.js';
import { warnOfUnsetQuotas } from '../unset-quotas.js';

export const createAssignments = operation({
  id: 'createAssignments',
  summary: 'Assign reps to a plan, one assignment each, all or none',
  method: 'post',
  path: '/v1/assignments',
  access: 'admin',
  body: newAssignments,
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
      notFor: 'changing the days of an assignment (update_assignment).',
      changes: 'commission of these reps is calculated for the days of the assignment, also for deals already won.',
    },
    arguments: {
      repIds: 'The reps (of list_reps)',
      planId: planArguments.planId,
      effectiveStart: firstDay('First day on the plan'),
      effectiveEnd: lastDay('Last day on the plan'),
      rampId: 'Ramp of their quotas (of list_ramps)',
      rampFrom: 'First day of the ramp',
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
    return changes.run(caller, 'exclusive', async (tx, recalculate) => {
      const { repIds, placement, assignmentIds } = await assignReps(tx, request);
      await recalculate.reps(await listAffectedReps(tx, placement.planId, repIds), 'assignment_change');
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
