import { z } from 'zod';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { findPlanId } from '../../../plans/plan-views.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation, Page } from '../../../platform/operations/operation.js';
import { commaList, countAllPages, optionalPage, uuid } from '../../../platform/operations/schemas.js';
import { narrowedReps, visibleAmong } from '../../reps/rep.js';
import { assignment, assignmentExample } from '../assignment.js';
import { countAssignments, listAssignments as loadAssignments } from '../assignment-views.js';

const query = z.strictObject({
  repId: uuid.optional().describe('Only assignments of this rep (UUID)'),
  repIds: commaList(uuid, 200)
    .optional()
    .describe('Only assignments of these reps (UUID), separated by commas, at most 200'),
  planId: uuid.optional().describe('Only assignments to this plan (UUID)'),
  ...optionalPage('assignments'),
});

export const listAssignments = operation({
  id: 'listAssignments',
  summary: 'Who is on which plan from when to when',
  method: 'get',
  path: '/v1/assignments',
  access: 'rep',
  query,
  response: z.array(assignment),
  failures: {},
  tool: {
    name: 'list_assignments',
    title: 'List assignments',
    hints: effects.reads,
    description: {
      purpose: 'Which rep is on which plan, and from when to when.',
      useWhen: 'won deals are not paid, or you need an assignmentId.',
      notFor: 'targets (list_quotas).',
      formats: 'a bound of null is open: the assignment then lasts as long as the plan.',
      changes: 'nothing.',
    },
    arguments: {
      repId: 'This rep',
      repIds: { always: undefined },
      planId: 'This plan',
    },
    list: 'assignments',
    summary: (_assignments, _caller, total) => `Assignments: ${total}.`,
  },
  example: { query: { repId: sampleIds.repId }, response: [assignmentExample] },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { repId, repIds: listed, planId: planRef, ...page } }, caller, { unitOfWork }) {
    const repIds = visibleAmong(narrowedReps(caller, repId), listed);
    return unitOfWork.read(caller, async (tx) => {
      const planId = planRef === undefined ? undefined : await findPlanId(tx, planRef);
      if (planRef !== undefined && planId === undefined) return [];
      const assignments = await loadAssignments(tx, { repIds, planId, page });
      const count = await countAllPages(page, assignments.length, () => countAssignments(tx, { repIds, planId }));
      return new Page(assignments, count);
    });
  },
});
