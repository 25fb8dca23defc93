import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { assertEffectiveDayOrder } from '../../kernel/day-order.js';
import { invalid } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { effects, firstDay, lastDay } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { day, uuid } from '../../platform/operations/schemas.js';
import {
  type Assignment,
  assignment,
  assignmentExample,
  assignmentNotFound,
  assignmentOverlap,
} from '../assignment.js';
import { findRampWarnings, readRamp } from '../assignment-ramp.js';
import { changeAssignment, overlappingReps, type RampedPlacement, recalculateAssigned } from '../assignment-store.js';
import { assignmentSubject } from '../assignment-subject.js';
import { findAssignment } from '../assignment-views.js';

const params = z.strictObject({ assignmentId: pathIds.assignmentId });
const body = z.strictObject({
  effectiveStart: day.nullish().describe('First day on the plan, YYYY-MM-DD; null for no earliest day'),
  effectiveEnd: day.nullish().describe('Last day on the plan, YYYY-MM-DD; null for no end'),
  rampId: uuid.nullish().describe('Id of the ramp of the quotas (UUID); null for none'),
  rampFrom: day
    .nullish()
    .describe('First day of the ramp, YYYY-MM-DD; null for the first day on the plan, or else the hire date'),
});

export const updateAssignment = operation({
  id: 'updateAssignment',
  summary: 'Move the first or last day of an assignment, or change its ramp; events outside the new days are reversed',
  method: 'patch',
  path: '/v1/assignments/:assignmentId',
  access: 'admin',
  params,
  body,
  response: assignment,
  failures: { assignment_not_found: 404, ramp_not_found: 404, assignment_overlap: 409 },
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
      rampId: { always: undefined },
      rampFrom: { always: undefined },
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
    if (Object.values(change).every((value) => value === undefined))
      throw invalid({ path: '', message: 'send at least one of effectiveStart, effectiveEnd, rampId, rampFrom' });
    return changes.run(caller, 'exclusive', async (tx, recalculate) => {
      const current = await findAssignment(tx, rawId);
      if (current === null) throw assignmentNotFound();
      const { assignmentId, repId, planId } = current;
      const before = toPlacement(current);
      const after = await applyChange(tx, before, change);
      const isMoved = after.start !== before.start || after.end !== before.end;
      const isRampChanged = after.rampId !== before.rampId || after.rampFrom !== before.rampFrom;
      if (!isMoved && !isRampChanged) return current;
      const overlapping = await overlappingReps(tx, [repId], after, assignmentId);
      if (overlapping.length > 0) throw assignmentOverlap(overlapping);
      await changeAssignment(tx, assignmentId, after);
      if (isMoved) await recalculateAssigned(tx, recalculate, planId, [repId]);
      else await recalculate.reps([repId], 'ramp');
      const changed = (await findAssignment(tx, assignmentId)) as Assignment;
      const warnings = await findRampWarnings(tx, after);
      return warnings.length === 0 ? changed : { ...changed, warnings: [...warnings] };
    });
  },
});

function toPlacement({ planId, effectiveStart, effectiveEnd, rampId, rampFrom }: Assignment): RampedPlacement {
  return { planId, start: effectiveStart, end: effectiveEnd, rampId: rampId ?? null, rampFrom: rampFrom ?? null };
}

/** The placement after the change. Without a ramp there is no first day of it. */
async function applyChange(
  tx: Transaction,
  before: RampedPlacement,
  change: z.output<typeof body>,
): Promise<RampedPlacement> {
  const { effectiveStart: start = before.start, effectiveEnd: end = before.end, rampId = before.rampId } = change;
  assertEffectiveDayOrder(start, end);
  const { rampFrom = rampId === null ? null : before.rampFrom } = change;
  return { planId: before.planId, start, end, ...(await readRamp(tx, { rampId, rampFrom })) };
}
