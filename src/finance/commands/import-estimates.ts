import { fileColumns } from '../../api/file-columns.js';
import { importOf, type ReadRow } from '../../imports/import-of.js';
import { rejectAny } from '../../kernel/failure.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { loadRepsOfRows } from '../../people/reps/reps-of-rows.js';
import { findPlanIdsByName } from '../../plans/plan-views.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CellReader, currencyOfRow, filled } from '../../platform/files/cells.js';
import { type TableRow } from '../../platform/files/csv-table.js';
import {
  importQuery,
  importResults,
  readRowsInSlices,
  readTerm,
  readTerms,
} from '../../platform/files/import-results.js';
import { loadBookCalendar } from '../book-calendar.js';
import { loadEstimateCheck, toStoredEstimate } from '../check-estimates.js';
import { estimateTerms } from '../estimate.js';
import { type EstimateFact, estimateFacts } from '../estimate-facts.js';
import { type Month, month } from '../month.js';
import { requireAccounting } from '../settings-views.js';

type Row = TableRow<keyof typeof fileColumns.estimates>;

/** `preferred` is the currency of signs that several currencies have. */
function readRow(
  { cells }: Row,
  ids: Pick<EstimateFact, 'repId' | 'planId'>,
  reader: CellReader,
  preferred: string,
): EstimateFact {
  const toDate = reader.amount('toDate', cells.toDate);
  const stated = reader.amount('pay', cells.pay);
  const pay = toDate === undefined ? filled('pay', stated) : stated;
  const terms = readTerms(estimateTerms, {
    ...ids,
    ruleName: filled('rule', cells.rule),
    period: filled('period', cells.period),
    method: filled('method', cells.method).toLowerCase(),
    currency: filled('currency', currencyOfRow([pay, toDate], cells.currency, preferred)).toUpperCase(),
    pay: pay?.value,
    toDate: toDate?.value,
  });
  return { month: readTerm<Month>('month', month, filled('month', cells.month)), ...toStoredEstimate(terms, null) };
}

async function readRows(tx: Transaction, rows: readonly Row[], reader: CellReader): Promise<ReadRow<EstimateFact>[]> {
  const { from } = await requireAccounting(tx);
  const { currency } = await loadWorkspaceTerms(tx);
  const reps = await loadRepsOfRows(tx, rows);
  const plans = await findPlanIdsByName(tx);
  const calendar = await loadBookCalendar(tx, from);
  const check = await loadEstimateCheck(tx);
  return readRowsInSlices(rows, (row) => {
    const [planId] = plans.find(filled('plan', row.cells.plan));
    const fact = readRow(row, { repId: reps.find(row), planId: planId as string }, reader, currency);
    rejectAny(check(fact, { month: fact.month, days: calendar.range(fact.month) }, null));
    return { fact };
  });
}

export const importEstimates = importOf(
  {
    id: 'importEstimates',
    summary:
      'Enter estimates of months that are open from a CSV file, one for each row; a row replaces the estimate of its month, person, rule, period and currency, and others stay',
    path: '/v1/accounting/estimates/import',
    query: importQuery,
    response: importResults,
    failures: { accounting_off: 409 },
    example:
      'month,email,plan,rule,period,currency,pay,method\n2026-01,ben@acme.test,AE,Quarterly bonus,2026-Q1,USD,4000,forecast\n',
  },
  {
    facts: estimateFacts,
    columns: { names: fileColumns.estimates, required: ['month', 'email', 'plan', 'rule', 'period', 'method'] },
    numbers: ['pay', 'toDate'],
    read: (tx, rows, { reader }) => readRows(tx, rows, reader),
    trigger: 'recalculation',
  },
);
