import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { day, percentage, text } from '../../platform/operations/schemas.js';

const relief = percentage(0, 100);

/** The terms of an absence in requests. */
export const absenceTerms = {
  from: day.describe('First day of the absence, YYYY-MM-DD'),
  to: day.describe('Last day of the absence, YYYY-MM-DD'),
  quotaRelief: relief.describe('Percentage of the target that the days of the absence do not count, 100 by default'),
  variableRelief: relief.describe(
    'Percentage of the variable target that the days of the absence do not count, 100 by default',
  ),
  note: text(500).nullable().describe('Note for admins; null for none'),
};

export const absence = z
  .object({
    absenceId: fields.absenceId,
    repId: fields.repId,
    from: z.string().describe('First day of the absence, YYYY-MM-DD'),
    to: z.string().describe('Last day of the absence, YYYY-MM-DD'),
    quotaRelief: z.number().describe('Percentage of the target that the days of the absence do not count'),
    variableRelief: z.number().describe('Percentage of the variable target that the days of the absence do not count'),
    note: z.string().nullable().describe('Note for admins; null for none'),
  })
  .describe('Days on which a person does not work, with the relief of prorated quotas');
export type Absence = z.infer<typeof absence>;

export function absenceNotFound(): Failure {
  return new Failure('absence_not_found', 'There is no such absence in this workspace.');
}

export function absenceOverlap({ from, to }: Pick<Absence, 'from' | 'to'>): Failure {
  return new Failure(
    'absence_overlap',
    `The rep has an absence from ${from} to ${to} already. Change the dates, or update that absence.`,
    { from, to },
  );
}

export const absenceExample = {
  absenceId: sampleIds.absenceId,
  repId: sampleIds.repId,
  from: '2026-02-10',
  to: '2026-03-11',
  quotaRelief: 100,
  variableRelief: 100,
  note: null,
};
