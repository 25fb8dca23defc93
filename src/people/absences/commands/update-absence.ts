import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { assertDayOrder } from '../../../kernel/day-order.js';
import { invalid } from '../../../kernel/failure.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { dryRunQuery } from '../../../simulation/write-effect.js';
import { type Absence, absenceExample, absenceNotFound, absenceTerms } from '../absence.js';
import { findAbsence } from '../absence-views.js';
import { type ChangedAbsence, changedAbsence, findAbsenceWarnings, runAbsenceChange } from '../change-absence.js';

const params = z.strictObject({ absenceId: pathIds.absenceId });
const body = z.strictObject(absenceTerms).partial();

export const updateAbsence = operation({
  id: 'updateAbsence',
  summary: 'Change the days, the relief or the note of an absence',
  method: 'patch',
  path: '/v1/absences/:absenceId',
  access: 'admin',
  params,
  query: dryRunQuery,
  body,
  response: changedAbsence,
  failures: { absence_not_found: 404, absence_overlap: 409 },
  example: {
    params: { absenceId: sampleIds.absenceId },
    body: { quotaRelief: 50 },
    response: { ...absenceExample, quotaRelief: 50 },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ params: { absenceId }, query: { dryRun }, body: change }, caller, uses): Promise<ChangedAbsence> {
    const changedFields = Object.entries(change).filter(([, value]) => value !== undefined);
    if (changedFields.length === 0) throw invalid({ path: '', message: 'give at least one field to change' });
    return runAbsenceChange(uses, caller, dryRun, async (tx) => {
      const before = await findAbsence(tx, absenceId);
      if (before === null) throw absenceNotFound();
      const after: Absence = { ...before, ...Object.fromEntries(changedFields) };
      assertDayOrder(['from', after.from], ['to', after.to]);
      return { before, after, result: { ...after, ...(await findAbsenceWarnings(tx, after.repId)) } };
    });
  },
});
