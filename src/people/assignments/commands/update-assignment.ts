import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { allDays } from '../../../kernel/day.js';
import { assertEffectiveDayOrder } from '../../../kernel/day-order.js';
import { invalid } from '../../../kernel/failure.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { changedTargets, withChangedTargets } from '../../../plans/quotas/changed-targets.js';
import { type Transaction } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { effects, firstDay, lastDay } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { day, uuid } from '../../../platform/operations/schemas.js';
import { changeOrPreview } from '../../../simulation/preview-write.js';
import { dryRunQuery, personalEffect, toPersonalEffect } from '../../../simulation/write-effect.js';
import {
  type Assignment,
  assignment,
  assignmentExample,
  assignmentNotFound,
  assignmentOverlap,
} from '../assignment.js';
import { findRampWarnings, readRamp } from '../assignment-ramp.js';
import { changeAssignment, listAffectedReps, overlappingReps, type RampedPlacement } from '../assignment-store.js';
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

type Change = z.output<typeof body>;

const response = assignment.extend({
  effect: personalEffect
    .nullable()
    .optional()
    .describe('With dryRun. null: the people have more deals than can be calculated at once'),
  targets: changedTargets,
});

export const updateAssignment = operation({
  id: 'updateAssignment',
  summary: 'Move the first or last day of an assignment, or change its ramp; events outside the new days are reversed',
  method: 'patch',
  path: '/v1/assignments/:assignmentId',
  access: 'admin',
  params,
  body,
  query: dryRunQuery,
  response,
  failures: { assignment_not_found: 404, ramp_not_found: 404, assignment_overlap: 409 },
  tool: {
    name: 'update_assignment',
    title: 'Change the dates of an assignment',
    hints: effects.sets,
    description: {
      purpose: 'Move the first or the last day of an assignment, or change its ramp.',
      useWhen: 'a rep joins or leaves a plan on another day than was thought.',
      notFor:
        'moving a rep to another plan (end this assignment, then create_assignments) or undoing one made by mistake (delete_assignment).',
      changes:
        'commission on deals that now lie outside is reversed, on those that now lie inside it is earned; approved statements stay.',
    },
    arguments: {
      assignmentId: 'The assignment (of list_assignments)',
      effectiveStart: firstDay('New first day'),
      effectiveEnd: lastDay('New last day'),
      rampId: { description: 'New ramp (of list_ramps) or "none"', keywords: { none: null } },
      rampFrom: 'First day of the ramp',
      dryRun: { always: false },
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
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute(
    { params: { assignmentId: id }, query: { dryRun }, body: change },
    caller,
    uses,
  ): Promise<z.input<typeof response>> {
    if (Object.values(change).every((value) => value === undefined))
      throw invalid({ path: '', message: 'send at least one of effectiveStart, effectiveEnd, rampId, rampFrom' });
    return changeOrPreview(uses, caller, { dryRun, toEffect: toPersonalEffect }, async (tx) => {
      const { current, after, isMoved, isRampChanged } = await readChange(tx, id, change);
      const { assignmentId, planId, repId } = current;
      const trigger = isMoved ? 'assignment_change' : 'ramp';
      if (!dryRun && !isMoved && !isRampChanged) return { result: current, affected: new Map(), trigger };
      const store = () => changeAssignment(tx, assignmentId, after);
      const { stored: _, ...targets } = await withChangedTargets(tx, dryRun, repId, store);
      await tx.changeTerms({ planRef: planId, repIds: [repId] });
      const repIds = await listAffectedReps(tx, planId, [repId]);
      return {
        result: { ...(await toResponse(tx, assignmentId, after)), ...targets },
        affected: new Map(repIds.map((affected) => [affected, allDays])),
        trigger,
      };
    });
  },
});

async function readChange(tx: Transaction, id: string, change: Change) {
  const current = await findAssignment(tx, id);
  if (current === null) throw assignmentNotFound();
  const { assignmentId, repId } = current;
  const before = toPlacement(current);
  const after = await applyChange(tx, before, change);
  const isMoved = after.start !== before.start || after.end !== before.end;
  const isRampChanged = after.rampId !== before.rampId || after.rampFrom !== before.rampFrom;
  const overlapping = isMoved ? await overlappingReps(tx, [repId], after, assignmentId) : [];
  if (overlapping.length > 0) throw assignmentOverlap(overlapping);
  return { current, after, isMoved, isRampChanged };
}

async function toResponse(tx: Transaction, assignmentId: string, after: RampedPlacement): Promise<Assignment> {
  const changed = (await findAssignment(tx, assignmentId)) as Assignment;
  const warnings = await findRampWarnings(tx, after);
  return warnings.length === 0 ? changed : { ...changed, warnings: [...warnings] };
}

function toPlacement({ planId, effectiveStart, effectiveEnd, rampId, rampFrom }: Assignment): RampedPlacement {
  return { planId, start: effectiveStart, end: effectiveEnd, rampId: rampId ?? null, rampFrom: rampFrom ?? null };
}

/** The placement after the change. Without a ramp there is no first day of it. */
async function applyChange(tx: Transaction, before: RampedPlacement, change: Change): Promise<RampedPlacement> {
  const { effectiveStart: start = before.start, effectiveEnd: end = before.end, rampId = before.rampId } = change;
  assertEffectiveDayOrder(start, end);
  const { rampFrom = rampId === null ? null : before.rampFrom } = change;
  return { planId: before.planId, start, end, ...(await readRamp(tx, { rampId, rampFrom })) };
}
