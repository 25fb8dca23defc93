import { z } from 'zod';
import { allDays } from '../../../kernel/day.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { previewWrite } from '../../../simulation/preview-write.js';
import { personalEffect, toPersonalEffect } from '../../../simulation/write-effect.js';
import { listAffectedReps } from '../assignment-store.js';
import { assignReps, newAssignments } from '../new-assignments.js';

const response = z.object({
  effect: personalEffect.nullable().describe('null: the people have more deals than can be calculated at once'),
});

export const previewAssignments = operation({
  id: 'previewAssignments',
  summary: 'What assigning people to a plan would do to commission; writes nothing',
  method: 'post',
  path: '/v1/assignments/preview',
  access: 'admin',
  scope: 'read',
  body: newAssignments,
  response,
  failures: {
    plan_too_complex: 400,
    plan_not_found: 404,
    rep_not_found: 404,
    ramp_not_found: 404,
    assignment_overlap: 409,
  },
  example: {
    body: { repIds: [sampleIds.repId], planId: sampleIds.planId, effectiveStart: '2026-01-01' },
    response: { effect: { lines: 0, reps: 0, totals: [], locked: [], byPeriod: [] } },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ body: request }, caller, uses): Promise<z.input<typeof response>> {
    return previewWrite(uses, caller, toPersonalEffect, async (tx) => {
      const { repIds, placement } = await assignReps(tx, request);
      const affected = await listAffectedReps(tx, placement.planId, repIds);
      return { result: {}, affected: new Map(affected.map((repId) => [repId, allDays])) };
    });
  },
});
