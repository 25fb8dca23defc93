import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { assertEffectiveDayOrder } from '../../kernel/day-order.js';
import { invalid } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { effects, firstDay, lastDay } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { day } from '../../platform/operations/schemas.js';
import {
  type Assignment,
  assignment,
  assignmentExample,
  assignmentNotFound,
  assignmentOverlap,
} from '../assignment.js';
import { moveAssignment, overlappingReps, recalculateAssigned } from '../assignment-store.js';
import { assignmentSubject } from '../assignment-subject.js';
import { findAssignment } from '../assignment-views.js';

const params = z.strictObject({ assignmentId: pathIds.assignmentId });
const body = z.strictObject({
  effectiveStart: day.nullish().describe('First day on the plan, YYYY-MM-DD; null for no earliest day'),
  effectiveEnd: day.nullish().describe('Last day on the plan, YYYY-MM-DD; null for no end'),
});

export const updateAssignment = operation({
  id: 'updateAssignment',
  summary: 'Move the first or last day of an assignment; events outside the new days are reversed',
  method: 'patch',
  path: '/v1/assignments/:assignmentId',
  access: 'admin',
  params,
  body,
  response: assignment,
  failures: { assignment_not_found: 404, assignment_overlap: 409 },
  tool: {
    name: 'update_assignment',
    title: 'Change the dates of an assignment',
    hints: effects.sets,
    description: {
      purpose: 'Move the first or the last day of an assignment.',
      useWhen: 'a rep joins or leaves a plan on another day than was thought.',
      notFor:
        'moving a rep to another plan (end this assignment, then create_assignments) or undoing one made by mistake (delete_assignment).',
      changes:
        'commission on deals that now lie outside is reversed, on those that now lie inside it is earned; approved statements stay.',
    },
    arguments: {
      assignmentId: 'The assignment (UUID of list_assignments)',
      effectiveStart: firstDay('New first day'),
      effectiveEnd: lastDay('New last day'),
    },
    summary: ({ effectiveStart, effectiveEnd }) =>
      `The assignment now runs from ${effectiveStart ?? 'the start'} to ${effectiveEnd ?? 'the end'} of the plan where open.`,
  },
  subject: (tx, { params: { assignmentId } }) => assignmentSubject(tx, assignmentId),
  example: {
    params: { assignmentId: sampleIds.assignmentId },
    body: { effectiveEnd: '2026-06-30' },
    response: { ...assignmentExample, effectiveEnd: '2026-06-30' },
  },
  uses: { changes: CommissionChanges },
  async execute({ params: { assignmentId: rawId }, body: change }, caller, { changes }): Promise<Assignment> {
    if (change.effectiveStart === undefined && change.effectiveEnd === undefined) {
      throw invalid({ path: '', message: 'send at least one of effectiveStart, effectiveEnd' });
    }
    return changes.run(caller, 'exclusive', async (tx, recalculate) => {
      const current = await findAssignment(tx, rawId);
      if (current === null) throw assignmentNotFound();
      const { assignmentId, repId, planId } = current;
      const start = change.effectiveStart === undefined ? current.effectiveStart : change.effectiveStart;
      const end = change.effectiveEnd === undefined ? current.effectiveEnd : change.effectiveEnd;
      assertEffectiveDayOrder(start, end);
      if (start === current.effectiveStart && end === current.effectiveEnd) return current;
      const overlapping = await overlappingReps(tx, [repId], { planId, start, end }, assignmentId);
      if (overlapping.length > 0) throw assignmentOverlap(overlapping);
      await moveAssignment(tx, assignmentId, { planId, start, end });
      await recalculateAssigned(tx, recalculate, planId, [repId]);
      return { ...current, effectiveStart: start, effectiveEnd: end };
    });
  },
});
