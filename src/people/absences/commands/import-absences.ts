import { z } from 'zod';
import { fileColumns } from '../../../api/file-columns.js';
import { effectOnCommission, importOf, type ReadRow } from '../../../imports/import-of.js';
import { assertDayOrder } from '../../../kernel/day-order.js';
import { type CellReader, filled } from '../../../platform/files/cells.js';
import { type TableRow } from '../../../platform/files/csv-table.js';
import { importQuery, importResults, readRowsInSlices, readTerms } from '../../../platform/files/import-results.js';
import { flag } from '../../../platform/operations/schemas.js';
import { personalEffect, toPersonalEffect } from '../../../simulation/write-effect.js';
import { loadRepsOfRows } from '../../reps/reps-of-rows.js';
import { absenceTerms } from '../absence.js';
import { type AbsenceFact, absenceFacts } from '../absence-facts.js';

const columns = {
  names: fileColumns.absences,
  required: ['email', 'from', 'to'],
} as const;
type Row = TableRow<keyof typeof fileColumns.absences>;

function readAbsence({ cells }: Row, repId: string, reader: CellReader): ReadRow<AbsenceFact> {
  const kinds = { from: 'day', to: 'day', quotaRelief: 'percent', variableRelief: 'percent' } as const;
  const { quotaRelief = 100, variableRelief = quotaRelief, note = null, ...days } = reader.cells(cells, kinds);
  const from = filled('from', days.from);
  const to = filled('to', days.to);
  assertDayOrder(['from', from], ['to', to]);
  return {
    fact: { repId, ...readTerms(z.strictObject(absenceTerms), { from, to, quotaRelief, variableRelief, note }) },
  };
}

export const importAbsences = importOf(
  {
    id: 'importAbsences',
    summary:
      'Enter absences from a CSV file, one for each row, by e-mail address; a row replaces the absence that begins on the same day',
    path: '/v1/absences/import',
    query: importQuery.extend({
      effect: flag.default(false).describe('true with dryRun: also what the file would do to commission'),
    }),
    response: importResults.extend({
      effect: personalEffect
        .nullable()
        .optional()
        .describe('With effect=true. null: the people have more deals than can be calculated at once'),
    }),
    example: 'email,from,to\nben@acme.test,2026-02-10,2026-03-11\n',
  },
  {
    facts: absenceFacts,
    columns,
    numbers: ['quotaRelief', 'variableRelief'],
    async read(tx, rows, { reader }) {
      const reps = await loadRepsOfRows(tx, rows);
      return readRowsInSlices(rows, (row) => readAbsence(row, reps.find(row), reader));
    },
    trigger: 'absence',
    effect: effectOnCommission(toPersonalEffect),
  },
);
