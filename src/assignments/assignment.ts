import { z } from 'zod';
import { Failure } from '../kernel/failure.js';
import { sampleIds } from '../kernel/sample-ids.js';

export const assignment = z.object({
  assignmentId: z.string(),
  repId: z.string(),
  repName: z.string(),
  planId: z.string(),
  planName: z.string(),
  effectiveStart: z.string().nullable(),
  effectiveEnd: z.string().nullable(),
});
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
