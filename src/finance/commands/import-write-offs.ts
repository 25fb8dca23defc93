import { z } from 'zod';
import { fileColumns } from '../../api/file-columns.js';
import { importOf } from '../../imports/import-of.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { loadRepsOfRows } from '../../people/reps/reps-of-rows.js';
import { type CellReader, currencyOfRow, filled } from '../../platform/files/cells.js';
import { type TableRow } from '../../platform/files/csv-table.js';
import { importQuery, importResults, readRowsInSlices, readTerms } from '../../platform/files/import-results.js';
import { exactAmount } from '../../platform/operations/money-digits.js';
import { loadEntitiesOfRows, requireAccounting } from '../settings-views.js';
import { writeOffTerms } from '../write-off.js';
import { type WriteOffFact, writeOffFacts } from '../write-off-facts.js';

type Row = TableRow<keyof typeof fileColumns.writeOffs>;

const rowTerms = z.strictObject(writeOffTerms);

/** `preferred` is the currency of signs that several currencies have. */
function readRow({ cells }: Row, repId: string, reader: CellReader, preferred: string): WriteOffFact {
  const amount = filled('amount', reader.amount('amount', cells.amount));
  const terms = readTerms(rowTerms, {
    repId,
    entity: cells.entity,
    currency: filled('currency', currencyOfRow([amount], cells.currency, preferred)).toUpperCase(),
    amount: amount.value,
    day: filled('day', reader.day('day', cells.day)),
    reason: filled('reason', cells.reason),
  });
  return { ...terms, amount: exactAmount(terms.amount, terms.currency) };
}

export const importWriteOffs = importOf(
  {
    id: 'importWriteOffs',
    summary:
      'Propose to write off what people owe from a CSV file, one debt for each row; a row replaces the proposal of its person, entity, currency and day',
    path: '/v1/accounting/write-offs/import',
    query: importQuery,
    response: importResults,
    failures: { accounting_off: 409 },
    example: 'email,currency,amount,day,reason\nben@acme.test,USD,7200,2026-05-20,Left the company\n',
  },
  {
    facts: writeOffFacts,
    columns: { names: fileColumns.writeOffs, required: ['email', 'amount', 'day', 'reason'] },
    numbers: ['amount'],
    async read(tx, rows, { reader }) {
      await requireAccounting(tx);
      const { currency } = await loadWorkspaceTerms(tx);
      const reps = await loadRepsOfRows(tx, rows);
      const findEntity = await loadEntitiesOfRows(tx);
      return readRowsInSlices(rows, (row) => {
        const fact = readRow(row, reps.find(row), reader, currency);
        findEntity(fact.entity);
        return { fact };
      });
    },
    trigger: 'recalculation',
  },
);
