import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { Failure } from '../kernel/failure.js';
import { sampleIds } from '../kernel/sample-ids.js';

export const assignment = z
  .object({
    assignmentId: fields.assignmentId,
    repId: fields.repId,
    repName: fields.repName,
    planId: fields.planId,
    planName: fields.planName,
    effectiveStart: fields.effectiveStart.nullable(),
    effectiveEnd: fields.effectiveEnd.nullable(),
    rampId: fields.rampId.optional().describe('Id of the ramp (UUID); absent without one'),
    rampFrom: z
      .string()
      .optional()
      .describe(
        'First day of the ramp, YYYY-MM-DD; absent if that is the first day on the plan, or else the hire date',
      ),
  })
  .describe('A rep is on a plan from one day to another');
export type Assignment = z.infer<typeof assignment>;

export function assignmentNotFound(): Failure {
  return new Failure('assignment_not_found', 'There is no such assignment in this workspace.');
}

export function assignmentOverlap(repIds: readonly string[]): Failure {
  const who = repIds.length === 1 ? `Rep ${repIds[0]} is` : `${repIds.length} reps are`;
  return new Failure(
    'assignment_overlap',
    `${who} on this plan on some of these days already. Change the dates, or update the existing assignment.`,
    { repIds },
  );
}

export const assignmentExample = {
  assignmentId: sampleIds.assignmentId,
  repId: sampleIds.repId,
  repName: 'Ben',
  planId: sampleIds.planId,
  planName: 'AE',
  effectiveStart: '2026-01-01',
  effectiveEnd: null,
};
