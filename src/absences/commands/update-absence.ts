import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { assertDayOrder } from '../../kernel/day-order.js';
import { invalid } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { operation } from '../../platform/operations/operation.js';
import { type Absence, absence, absenceExample, absenceNotFound, absenceTerms } from '../absence.js';
import { recalculateAbsence, storeAbsence } from '../absence-store.js';
import { findAbsence } from '../absence-views.js';

const params = z.strictObject({ absenceId: pathIds.absenceId });
const body = z.strictObject(absenceTerms).partial();

export const updateAbsence = operation({
  id: 'updateAbsence',
  summary: 'Change the days, the relief or the note of an absence',
  method: 'patch',
  path: '/v1/absences/:absenceId',
  access: 'admin',
  params,
  body,
  response: absence,
  failures: { absence_not_found: 404, absence_overlap: 409 },
  example: {
    params: { absenceId: sampleIds.absenceId },
    body: { quotaRelief: 50 },
    response: { ...absenceExample, quotaRelief: 50 },
  },
  uses: { changes: CommissionChanges },
  async execute({ params: { absenceId }, body: change }, caller, { changes }): Promise<Absence> {
    const given = Object.entries(change).filter(([, value]) => value !== undefined);
    if (given.length === 0) throw invalid({ path: '', message: 'give at least one field to change' });
    return changes.run(caller, 'exclusive', async (tx, recalculate) => {
      const current = await findAbsence(tx, absenceId);
      if (current === null) throw absenceNotFound();
      const changed: Absence = { ...current, ...Object.fromEntries(given) };
      assertDayOrder(['from', changed.from], ['to', changed.to]);
      await storeAbsence(tx, changed);
      await recalculateAbsence(tx, recalculate, changed, current, changed);
      return changed;
    });
  },
});
