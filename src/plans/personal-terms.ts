import { z } from 'zod';
import { type AssignedDays } from '../engine/effective-quota.js';
import { absenceTerms } from '../people/absences/absence.js';
import { rampTerms } from '../people/ramps/ramp.js';
import { day } from '../platform/operations/schemas.js';

/** The terms of a made-up absence. */
export const simulatedAbsence = {
  from: absenceTerms.from,
  to: absenceTerms.to,
  quotaRelief: absenceTerms.quotaRelief.default(100),
  variableRelief: absenceTerms.variableRelief.default(100),
};

/** A made-up ramp. */
export const simulatedRamp = z.strictObject({
  from: day
    .optional()
    .describe('First day of the ramp, YYYY-MM-DD; by default the first day on the plan, or else the hire date'),
  steps: rampTerms.steps,
});

export function toRamp(ramp: z.output<typeof simulatedRamp> | undefined): AssignedDays['ramp'] {
  return ramp === undefined ? undefined : { from: ramp.from ?? null, steps: ramp.steps };
}
