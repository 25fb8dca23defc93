import { z } from 'zod';
import { assertDayOrder } from '../../../kernel/day-order.js';
import { newId } from '../../../kernel/ids.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { findFact } from '../../../platform/files/facts.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { uuid } from '../../../platform/operations/schemas.js';
import { dryRunQuery } from '../../../simulation/write-effect.js';
import { assertRepExists } from '../../reps/rep-views.js';
import { type Absence, absenceExample, absenceTerms } from '../absence.js';
import { absenceFacts } from '../absence-facts.js';
import { type ChangedAbsence, changedAbsence, findAbsenceWarnings, runAbsenceChange } from '../change-absence.js';

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
  summary:
    'Enter an absence, or replace the one that begins on the same day: prorated quotas of its periods count fewer days',
  method: 'post',
  path: '/v1/absences',
  access: 'admin',
  query: dryRunQuery,
  body,
  response: changedAbsence,
  status: 201,
  failures: { rep_not_found: 404, absence_overlap: 409 },
  tool: {
    name: 'set_absence',
    title: 'Set an absence',
    hints: effects.sets,
    description: {
      purpose: 'Enter an absence of a person, or replace the one that begins on the same day.',
      useWhen: 'someone is on leave, or returns on another day than was planned: repeat from, with another to.',
      notFor: 'days before a person starts or after they leave.',
      changes: 'prorated quotas of its periods, and commission with them; approved statements stay.',
    },
    arguments: {
      repId: 'The person (of list_reps)',
      from: 'First day, YYYY-MM-DD',
      to: 'Last day, YYYY-MM-DD',
      quotaRelief: 'Percentage of the target that its days do not count, 100 by default',
      variableRelief: 'The same for the variable target',
      note: { always: null },
      dryRun: 'true: only say the effect',
    },
    summary: ({ from, to, warnings }) =>
      `The absence runs from ${from} to ${to}. ${warnings?.[0]?.message ?? 'Commission is recalculated automatically.'}`,
  },
  subject: async (tx, { body: terms }) => ({ paid: [terms.repId], state: await findFact(tx, absenceFacts, terms) }),
  example: {
    body: { repId: sampleIds.repId, from: absenceExample.from, to: absenceExample.to },
    response: absenceExample,
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ query: { dryRun }, body: terms }, caller, uses): Promise<ChangedAbsence> {
    assertDayOrder(['from', terms.from], ['to', terms.to]);
    return runAbsenceChange(uses, caller, dryRun, async (tx) => {
      await assertRepExists(tx, terms.repId);
      const before = (await findFact(tx, absenceFacts, terms)) as Absence | null;
      const after = { absenceId: before?.absenceId ?? newId(), ...terms };
      return { before, after, result: { ...after, ...(await findAbsenceWarnings(tx, terms.repId)) } };
    });
  },
});
