import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { CommissionChanges } from '../../ledger/commission-changes.js';
import { assertDateOrder, planNotFound } from '../../plans/plan.js';
import { findPlanId } from '../../plans/plan-views.js';
import { type Input, operation } from '../../platform/operation.js';
import { day, uuid } from '../../platform/schemas.js';
import { repNotFound } from '../../reps/rep.js';
import { unknownReps } from '../../reps/rep-views.js';
import { type Assignment, assignment, assignmentOverlap } from '../assignment.js';
import { insertAssignments, overlappingReps, requestForPlacement } from '../assignment-store.js';
import { listAssignments } from '../assignment-views.js';

const body = z.strictObject({
  repIds: z.array(uuid).min(1).max(10_000),
  planId: uuid,
  effectiveStart: day.nullish(),
  effectiveEnd: day.nullish(),
});

@injectable()
export class CreateAssignments {
  constructor(@inject(CommissionChanges) private readonly changes: CommissionChanges) {}

  async execute(
    { body: wanted }: Input<unknown, unknown, z.infer<typeof body>>,
    caller: Caller,
  ): Promise<Assignment[]> {
    const { workspaceId } = caller;
    const repIds = [...new Set(wanted.repIds)];
    const start = wanted.effectiveStart ?? null;
    const end = wanted.effectiveEnd ?? null;
    assertDateOrder(start, end);
    return this.changes.run(caller, 'configuration', async (trx, wake) => {
      const planId = await findPlanId(trx, workspaceId, wanted.planId);
      if (planId === undefined) throw planNotFound();
      const unknown = await unknownReps(trx, workspaceId, repIds);
      if (unknown.length > 0) throw repNotFound(unknown);
      const placement = { planId, start, end };
      const overlapping = await overlappingReps(trx, workspaceId, repIds, placement);
      if (overlapping.length > 0) throw assignmentOverlap(overlapping);
      const assignmentIds = await insertAssignments(trx, workspaceId, repIds, placement);
      wake(await requestForPlacement(trx, workspaceId, planId, repIds));
      const byId = new Map(
        (await listAssignments(trx, workspaceId, { assignmentIds })).map((one) => [one.assignmentId, one]),
      );
      return assignmentIds.map((assignmentId) => byId.get(assignmentId) as Assignment);
    });
  }
}

export const createAssignments = operation({
  id: 'createAssignments',
  summary: 'Put reps on a plan, one assignment each, all or none',
  method: 'post',
  path: '/v1/assignments',
  access: 'admin',
  body,
  response: z.array(assignment),
  status: 201,
  failures: { plan_not_found: 404, rep_not_found: 404, assignment_overlap: 409 },
  handler: CreateAssignments,
});
