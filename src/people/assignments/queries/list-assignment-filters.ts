import { z } from 'zod';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { workspaceToday } from '../../reps/rep-views.js';
import { assignmentFilterExample, storedFilter } from '../assignment-filter.js';
import { suggestAssignments } from '../suggested-assignments.js';

export const suggestedAssignments = z
  .object({
    ...storedFilter.shape,
    planName: z.string().describe('Name of the plan'),
    people: z
      .array(
        z
          .object({
            repId: z.string().describe('Id of the person (UUID)'),
            name: z.string().describe('Name of the person'),
          })
          .describe('A person'),
      )
      .describe('Who matches and has no assignment to the plan today or later, by name'),
  })
  .describe('A filter of a plan, and who is to be assigned');

export const listAssignmentFilters = operation({
  id: 'listAssignmentFilters',
  summary: 'Who is meant to be on which plan, by filter, and who matches and is not assigned',
  method: 'get',
  path: '/v1/assignment-filters',
  access: 'admin',
  response: z.object({ filters: z.array(suggestedAssignments).describe('The filters, in their order') }),
  failures: {},
  example: {
    response: {
      filters: [{ ...assignmentFilterExample, planName: 'AE 2026', people: [{ repId: sampleIds.repId, name: 'Ben' }] }],
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute(_request, caller, { unitOfWork, clock }) {
    return unitOfWork.read(caller, async (tx) => {
      const filters = await suggestAssignments(tx, await workspaceToday(tx, clock));
      return { filters: filters.map((filter) => ({ ...filter, people: [...filter.people] })) };
    });
  },
});
