import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { percentage, text } from '../../platform/operations/schemas.js';

const percent = percentage(0, 1000);

const step = z
  .strictObject({
    months: z.int().min(1).max(120).describe('Number of months, by day of month from the first day of the ramp'),
    quotaPercent: percent.describe('Percentage of the target that each day counts in prorated quotas'),
    variablePercent: percent
      .default(100)
      .describe('Percentage of the variable target that each day counts, 100 by default'),
    ratePercent: percent
      .default(100)
      .describe('Percentage of the commission of deals that close in the step, 100 by default; not of period bonuses'),
  })
  .describe('A stretch of months with the same percentages');

const maxMonths = 120;

export const rampTerms = {
  name: text(200).describe('Name of the ramp, unique in the workspace'),
  steps: z
    .array(step)
    .min(1)
    .max(60)
    .refine((steps) => countMonths(steps) <= maxMonths, `must last at most ${maxMonths} months`)
    .describe('Steps in their order; after the last one everything counts in full'),
};

/** The argument of tools; in words, since the schema would be three times as long. */
export const stepsArgument = {
  description: 'In their order: [{months, quotaPercent, variablePercent, ratePercent}]; a percentage left out is 100',
  schema: () => ({ type: 'array', items: { type: 'object' } }),
};

const storedStep = z
  .object({
    months: z.int().describe('Number of months'),
    quotaPercent: z.number().describe('Percentage of the target'),
    variablePercent: z.number().describe('Percentage of the variable target'),
    ratePercent: z.number().describe('Percentage of the commission of deals that close in the step'),
  })
  .describe('A stretch of months with the same percentages');

export const ramp = z
  .object({
    rampId: fields.rampId,
    name: z.string().describe('Name of the ramp, unique in the workspace'),
    steps: z.array(storedStep).describe('Steps in their order; after the last one everything counts in full'),
    assignments: z.int().describe('Number of assignments with this ramp'),
  })
  .describe('How the quota of a person grows after the start');
export type Ramp = z.infer<typeof ramp>;

export function countMonths(steps: readonly { readonly months: number }[]): number {
  return steps.reduce((total, { months }) => total + months, 0);
}

export function rampNotFound(): Failure {
  return new Failure('ramp_not_found', 'There is no such ramp in this workspace.');
}

export function rampNameTaken(name: string): Failure {
  return new Failure('ramp_name_taken', `Another ramp is named ${name}. Choose another name.`);
}

export function rampInUse(assignments: number): Failure {
  return new Failure(
    'ramp_in_use',
    `${assignments === 1 ? 'An assignment uses' : `${assignments} assignments use`} this ramp. Remove it from them first.`,
    { assignments },
  );
}

export const rampExample = {
  rampId: sampleIds.rampId,
  name: 'Three months',
  steps: [
    { months: 1, quotaPercent: 25, variablePercent: 100, ratePercent: 100 },
    { months: 1, quotaPercent: 50, variablePercent: 100, ratePercent: 100 },
    { months: 1, quotaPercent: 75, variablePercent: 100, ratePercent: 100 },
  ],
  assignments: 2,
};
