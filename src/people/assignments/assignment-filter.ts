import { z } from 'zod';
import { invalid } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { day, uuid } from '../../platform/operations/schemas.js';
import { personFilter } from '../reps/person-filter.js';

const assignmentFilter = z
  .strictObject({
    planId: uuid.describe('Id of the plan (UUID)'),
    filter: personFilter.describe('Who is meant to be on the plan: active reps and managers with all of the values'),
    effectiveStart: day.nullable().default(null).describe('First day on the plan that is suggested; null for none'),
  })
  .describe('Who is meant to be on a plan, also among people who join later');
export type AssignmentFilter = z.infer<typeof assignmentFilter>;

/** The filter in responses. */
export const storedFilter = assignmentFilter.extend({
  planId: z.string().describe('Id of the plan (UUID)'),
  filter: personFilter
    .extend({ managerId: z.string().optional().describe('Only people whom this manager manages today (UUID)') })
    .describe('Who is meant to be on the plan: active reps and managers with all of the values'),
  effectiveStart: z.string().nullable().describe('First day on the plan that is suggested; null for none'),
});

export const assignmentFilters = z.array(assignmentFilter).max(100);

/** A filter without values would mean everyone, and two equal filters would suggest the same people twice. */
export function assertFilters(filters: readonly AssignmentFilter[]): void {
  const seen = new Set<string>();
  for (const [index, { planId, filter }] of filters.entries()) {
    const { fields = {}, ...values } = filter;
    if (Object.keys(fields).length === 0 && Object.values(values).every((value) => value === undefined))
      throw invalid({ path: `filters.${index}.filter`, message: 'needs at least one value' });
    const key = JSON.stringify([planId, Object.entries({ ...values, ...fields }).sort()]);
    if (seen.has(key)) throw invalid({ path: `filters.${index}`, message: 'is given more than once' });
    seen.add(key);
  }
}

export const assignmentFilterExample = {
  planId: sampleIds.planId,
  filter: { title: 'AE', team: 'North' },
  effectiveStart: '2026-01-01',
};
