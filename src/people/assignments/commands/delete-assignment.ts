import { z } from 'zod';
import { fields, pathIds } from '../../../api/resource-fields.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { assignmentNotFound } from '../assignment.js';
import { endAssignment, listAffectedReps, repsToCalculateFirst } from '../assignment-store.js';
import { assignmentSubject } from '../assignment-subject.js';
import { findAssignment } from '../assignment-views.js';

const params = z.strictObject({ assignmentId: pathIds.assignmentId });

export const deleteAssignment = operation({
  id: 'deleteAssignment',
  summary: 'End the assignment of a rep; events earned under it stay',
  method: 'delete',
  path: '/v1/assignments/:assignmentId',
  access: 'admin',
  params,
  response: z.object({
    deleted: z.boolean().describe('Always true: an unknown assignment gets status 404'),
    assignmentId: fields.assignmentId,
  }),
  failures: { assignment_not_found: 404, calculation_pending: 409 },
  tool: {
    name: 'delete_assignment',
    title: 'Delete assignment',
    hints: effects.sets,
    description: {
      purpose: 'Unlink a rep from a plan.',
      useWhen: 'a rep was assigned to a plan by mistake, or delete_plan fails because reps are assigned.',
      notFor: 'ending it on a day (update_assignment with effectiveEnd).',
      changes:
        'deals that are added or changed later pay the rep nothing under this plan; commission already earned stays.',
    },
    arguments: { assignmentId: 'The assignment (of list_assignments)' },
    summary: () => 'The assignment was removed. Earned events stay.',
  },
  subject: (tx, { params: { assignmentId } }) => assignmentSubject(tx, assignmentId),
  example: {
    params: { assignmentId: sampleIds.assignmentId },
    response: { deleted: true, assignmentId: sampleIds.assignmentId },
  },
  uses: { changes: CommissionChanges },
  async execute({ params: { assignmentId: rawId } }, caller, { changes }) {
    return changes.run(caller, 'exclusive', async (tx, recalculate, calculateFirst) => {
      const current = await findAssignment(tx, rawId);
      if (current === null) throw assignmentNotFound();
      const { assignmentId, planId, repId } = current;
      // Events under the assignment do not change any more, so all earlier requests must be calculated first.
      await calculateFirst(await repsToCalculateFirst(tx, planId, repId));
      await endAssignment(tx, assignmentId);
      await recalculate.reps(await listAffectedReps(tx, planId, [repId]), 'assignment_change');
      return { deleted: true, assignmentId };
    });
  },
});
