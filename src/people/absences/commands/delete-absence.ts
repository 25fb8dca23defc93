import { z } from 'zod';
import { fields, pathIds } from '../../../api/resource-fields.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { changedTargets } from '../../../plans/quotas/changed-targets.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { dryRunQuery } from '../../../simulation/write-effect.js';
import { absenceNotFound } from '../absence.js';
import { findAbsence } from '../absence-views.js';
import { absenceEffect, runAbsenceChange } from '../change-absence.js';

const params = z.strictObject({ absenceId: pathIds.absenceId });

export const deleteAbsence = operation({
  id: 'deleteAbsence',
  summary: 'Remove an absence: its days count in full again',
  method: 'delete',
  path: '/v1/absences/:absenceId',
  access: 'admin',
  params,
  query: dryRunQuery,
  response: z.object({
    deleted: z.boolean().describe('Always true: an unknown absence gets status 404'),
    absenceId: fields.absenceId,
    effect: absenceEffect,
    targets: changedTargets,
  }),
  failures: { absence_not_found: 404 },
  example: {
    params: { absenceId: sampleIds.absenceId },
    response: { deleted: true, absenceId: sampleIds.absenceId },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ params: { absenceId: rawId }, query: { dryRun } }, caller, uses) {
    return runAbsenceChange(uses, caller, dryRun, async (tx) => {
      const before = await findAbsence(tx, rawId);
      if (before === null) throw absenceNotFound();
      return { before, after: null, result: { deleted: true, absenceId: before.absenceId } };
    });
  },
});
