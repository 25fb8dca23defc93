import { z } from 'zod';
import { assertEffectiveDayOrder } from '../../kernel/day-order.js';
import { planNotFound } from '../../plans/plan.js';
import { findPlanId } from '../../plans/plan-views.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { day, uuid } from '../../platform/operations/schemas.js';
import { repNotFound } from '../reps/rep.js';
import { unknownReps } from '../reps/rep-views.js';
import { assignmentOverlap } from './assignment.js';
import { readRamp } from './assignment-ramp.js';
import { insertAssignments, overlappingReps } from './assignment-store.js';

/** The people, and the days and the ramp with which they are assigned. */
export const newAssignments = z.strictObject({
  repIds: z.array(uuid).min(1).max(10_000).describe('Ids of the reps (UUID) to put on the plan'),
  planId: uuid.describe('Id of the plan (UUID)'),
  effectiveStart: day.nullish().describe('First day on the plan, YYYY-MM-DD; null or absent for no earliest day'),
  effectiveEnd: day.nullish().describe('Last day on the plan, YYYY-MM-DD; null or absent for no end'),
  rampId: uuid.nullish().describe('Id of the ramp of the quotas (UUID); null or absent for none'),
  rampFrom: day
    .nullish()
    .describe('First day of the ramp, YYYY-MM-DD; null or absent for the first day on the plan, or else the hire date'),
});

/** Assigns the people, all or none. */
export async function assignReps(tx: Transaction, request: z.output<typeof newAssignments>) {
  const repIds = [...new Set(request.repIds)];
  const start = request.effectiveStart ?? null;
  const end = request.effectiveEnd ?? null;
  assertEffectiveDayOrder(start, end);
  const planId = await findPlanId(tx, request.planId);
  if (planId === undefined) throw planNotFound();
  const unknown = await unknownReps(tx, repIds);
  if (unknown.length > 0) throw repNotFound(unknown);
  const placement = { planId, start, end, ...(await readRamp(tx, request)) };
  const overlapping = await overlappingReps(tx, repIds, placement);
  if (overlapping.length > 0) throw assignmentOverlap(overlapping);
  const assignmentIds = await insertAssignments(tx, repIds, placement);
  await tx.changeTerms({ planRef: planId, repIds });
  return { repIds, placement, assignmentIds };
}
