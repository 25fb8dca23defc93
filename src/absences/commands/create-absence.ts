import { z } from 'zod';
import { assertDayOrder } from '../../kernel/day-order.js';
import { newId } from '../../kernel/ids.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { operation } from '../../platform/operations/operation.js';
import { uuid } from '../../platform/operations/schemas.js';
import { assertRepExists } from '../../reps/rep-views.js';
import { type Absence, absence, absenceExample, absenceTerms } from '../absence.js';
import { recalculateAbsence, storeAbsence } from '../absence-store.js';

const body = z.strictObject({
  repId: uuid.describe('Id of the rep (UUID)'),
  from: absenceTerms.from,
  to: absenceTerms.to,
  quotaRelief: absenceTerms.quotaRelief.default(100),
  variableRelief: absenceTerms.variableRelief.default(100),
  note: absenceTerms.note.default(null),
});

export const createAbsence = operation({
  id: 'createAbsence',
  summary: 'Enter an absence: prorated quotas of its periods count fewer days',
  method: 'post',
  path: '/v1/absences',
  access: 'admin',
  body,
  response: absence,
  status: 201,
  failures: { rep_not_found: 404, absence_overlap: 409 },
  example: {
    body: { repId: sampleIds.repId, from: absenceExample.from, to: absenceExample.to },
    response: absenceExample,
  },
  uses: { changes: CommissionChanges },
  async execute({ body: terms }, caller, { changes }): Promise<Absence> {
    assertDayOrder(['from', terms.from], ['to', terms.to]);
    return changes.run(caller, 'exclusive', async (tx, recalculate) => {
      await assertRepExists(tx, terms.repId);
      const entered = { absenceId: newId(), ...terms };
      await storeAbsence(tx, entered);
      await recalculateAbsence(tx, recalculate, entered, entered);
      return entered;
    });
  },
});
