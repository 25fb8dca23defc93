import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { planWarnings } from '../../plans/plan-warnings.js';

const rampStepDays = z
  .object({
    from: z.string().describe('First day of the step, YYYY-MM-DD'),
    to: z.string().describe('Last day of the step, YYYY-MM-DD'),
    quotaPercent: z.number().describe('Percentage of the target'),
    variablePercent: z.number().describe('Percentage of the variable target'),
    ratePercent: z.number().describe('Percentage of the commission of deals that close in the step'),
  })
  .describe('A step of a ramp with its days');

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
    rampName: z.string().optional().describe('Name of the ramp; absent without one'),
    rampSteps: z
      .array(rampStepDays)
      .optional()
      .describe('Steps of the ramp with their days; none if nothing says when it starts; absent without a ramp'),
    warnings: planWarnings
      .optional()
      .describe(
        'After a change: quota_missing, if the rep has no quota that the plan needs now, and no_effect_without_proration, if the ramp changes nothing; absent without warnings',
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
