import { z } from 'zod';
import { planNotFound } from '../../../plans/plan.js';
import { findPlanId } from '../../../plans/plan-views.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { workspaceToday } from '../../reps/rep-views.js';
import { assertFilters, assignmentFilterExample, assignmentFilters } from '../assignment-filter.js';
import { suggestedAssignments } from '../queries/list-assignment-filters.js';
import { suggestAssignments } from '../suggested-assignments.js';

export const setAssignmentFilters = operation({
  id: 'setAssignmentFilters',
  summary: 'Say who is meant to be on which plan, by filter, in place of all filters; assigns no one',
  method: 'put',
  path: '/v1/assignment-filters',
  access: 'admin',
  body: z.strictObject({ filters: assignmentFilters.describe('All filters, in their order; [] removes them') }),
  response: z.object({ filters: z.array(suggestedAssignments).describe('The filters, in their order') }),
  failures: { plan_not_found: 404 },
  example: {
    body: { filters: [assignmentFilterExample] },
    response: { filters: [{ ...assignmentFilterExample, planName: 'AE 2026', people: [] }] },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ body: { filters } }, caller, { unitOfWork, clock }) {
    assertFilters(filters);
    return unitOfWork.write(caller, async (tx) => {
      for (const { planId } of filters) if ((await findPlanId(tx, planId)) === undefined) throw planNotFound();
      await tx.db
        .updateTable('workspaces')
        .set({ assignment_filters: JSON.stringify(filters) })
        .where('workspace_id', '=', tx.workspaceId)
        .execute();
      const stored = await suggestAssignments(tx, await workspaceToday(tx, clock));
      return { filters: stored.map((filter) => ({ ...filter, people: [...filter.people] })) };
    });
  },
});
