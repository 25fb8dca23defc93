import { fileColumns } from '../../../api/file-columns.js';
import { importOf } from '../../../imports/import-of.js';
import { loadWorkspaceTerms } from '../../../ledger/input/rep-terms.js';
import { loadRepsOfRows } from '../../../people/reps/reps-of-rows.js';
import { type CellReader, currencyOfRow, filled } from '../../../platform/files/cells.js';
import { type TableRow } from '../../../platform/files/csv-table.js';
import { importQuery, importResults, readRowsInSlices, readTerms } from '../../../platform/files/import-results.js';
import { exactAmount } from '../../../platform/operations/money-digits.js';
import { flag } from '../../../platform/operations/schemas.js';
import { computeDrawEffect, optionalDrawEffect } from '../../payables/change-draw.js';
import { assertDrawTerms, assertNotOwnDraw, drawTerms } from '../draw.js';
import { type DrawFact, drawFacts } from '../draw-facts.js';
import { assertPayoutsOn } from '../draw-store.js';

const columns = {
  names: fileColumns.draws,
  required: ['email', 'kind', 'recoverable', 'amount', 'from'],
} as const;
type Row = TableRow<keyof typeof fileColumns.draws>;

function readDraw({ cells }: Row, repId: string, reader: CellReader, currency: string): DrawFact {
  const dayOrNull = (name: 'to' | 'recoveryDay' | 'forgiveOn') => reader.day(name, cells[name]) ?? null;
  const amount = filled('amount', reader.amount('amount', cells.amount));
  const maxPercent = reader.percent('maxPercent', cells.maxPercent);
  const read = readTerms(drawTerms, {
    repId,
    kind: cells.kind?.toLowerCase(),
    recoverable: filled('recoverable', reader.flag('recoverable', cells.recoverable)),
    amount: amount.value,
    currency: (currencyOfRow([amount], cells.currency, currency) ?? currency).toUpperCase(),
    from: filled('from', reader.day('from', cells.from)),
    to: dayOrNull('to'),
    recovery: {
      ...(cells.recoveryStart === undefined ? {} : { start: cells.recoveryStart.toLowerCase() }),
      day: dayOrNull('recoveryDay'),
      ...(maxPercent === undefined ? {} : { maxPercent: Number(maxPercent) }),
      forgiveOn: dayOrNull('forgiveOn'),
    },
  });
  const terms = { ...read, currency: read.currency ?? currency };
  assertDrawTerms(terms);
  exactAmount(terms.amount, terms.currency);
  return terms;
}

export const importDraws = importOf(
  {
    id: 'importDraws',
    summary:
      'Enter draws from a CSV file, one for each row, by e-mail address; a row replaces the draw of its kind that begins on the same day',
    path: '/v1/draws/import',
    query: importQuery.extend({
      effect: flag.default(false).describe('true with dryRun: also what the file would do to pay'),
    }),
    response: importResults.extend({ effect: optionalDrawEffect }),
    failures: { payouts_off: 409 },
    example: 'email,kind,recoverable,amount,from,to\nben@acme.test,guarantee,yes,2000,2026-01-01,2026-03-31\n',
  },
  {
    facts: drawFacts,
    columns,
    numbers: ['amount', 'maxPercent'],
    async read(tx, rows, { reader, caller }) {
      await assertPayoutsOn(tx);
      const { currency } = await loadWorkspaceTerms(tx);
      const reps = await loadRepsOfRows(tx, rows);
      return readRowsInSlices(rows, (row) => {
        const fact = readDraw(row, reps.find(row), reader, currency);
        assertNotOwnDraw(caller, fact.repId);
        return { fact };
      });
    },
    trigger: 'recalculation',
    effect: computeDrawEffect,
  },
);
