import { z } from 'zod';
import { fields, pathIds } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { operation } from '../../platform/operations/operation.js';
import { absenceNotFound } from '../absence.js';
import { recalculateAbsence, removeAbsence } from '../absence-store.js';
import { findAbsence } from '../absence-views.js';

const params = z.strictObject({ absenceId: pathIds.absenceId });

export const deleteAbsence = operation({
  id: 'deleteAbsence',
  summary: 'Remove an absence: its days count in full again',
  method: 'delete',
  path: '/v1/absences/:absenceId',
  access: 'admin',
  params,
  response: z.object({
    deleted: z.boolean().describe('Always true: an unknown absence gets status 404'),
    absenceId: fields.absenceId,
  }),
  failures: { absence_not_found: 404 },
  example: {
    params: { absenceId: sampleIds.absenceId },
    response: { deleted: true, absenceId: sampleIds.absenceId },
  },
  uses: { changes: CommissionChanges },
  async execute({ params: { absenceId: rawId } }, caller, { changes }) {
    return changes.run(caller, 'exclusive', async (tx, recalculate) => {
      const current = await findAbsence(tx, rawId);
      if (current === null) throw absenceNotFound();
      await removeAbsence(tx, current.absenceId);
      await recalculateAbsence(tx, recalculate, current, current);
      return { deleted: true, absenceId: current.absenceId };
    });
  },
});
