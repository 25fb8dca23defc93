import { fileColumns } from '../../api/file-columns.js';
import { loadDealsOfRows } from '../../deals/deals-of-rows.js';
import { importOf, type ReadRow } from '../../imports/import-of.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { assertCurrency, type CellReader, filled } from '../../platform/files/cells.js';
import { type TableRow } from '../../platform/files/csv-table.js';
import { importQuery, importResults, readRowsInSlices, readTerms } from '../../platform/files/import-results.js';
import { assertContract, type Contract, contractTerms } from '../contract.js';
import { contractFacts } from '../contract-facts.js';
import { requireAccounting } from '../settings-views.js';

type Row = TableRow<keyof typeof fileColumns.contracts>;

/** `currency` is that of the company. */
function readRow({ cells }: Row, reader: CellReader, currency: string): Contract {
  const { dealId, goLive, ...terms } = reader.cells(cells, {
    months: 'number',
    goLive: 'day',
    start: 'day',
    end: 'day',
    terminatedOn: 'day',
  });
  const value = reader.amount('value', cells.value);
  assertCurrency('value', value, currency);
  const fields = goLive === undefined ? {} : { go_live: goLive };
  const stated = {
    dealId: filled('dealId', dealId),
    ...readTerms(contractTerms, { ...terms, value: value?.value, fields }),
  };
  assertContract(stated);
  return stated;
}

async function readRows(tx: Transaction, sent: readonly Row[], reader: CellReader): Promise<ReadRow<Contract>[]> {
  await requireAccounting(tx);
  const { currency } = await loadWorkspaceTerms(tx);
  const { rows, assertKnown } = await loadDealsOfRows(tx, sent);
  return readRowsInSlices(rows, (row) => {
    const fact = readRow(row, reader, currency);
    assertKnown(fact.dealId);
    return { fact };
  });
}

export const importContracts = importOf(
  {
    id: 'importContracts',
    summary: 'Store what is known of the contracts of deals from a CSV file; a row replaces the contract of its deal',
    path: '/v1/accounting/contracts/import',
    query: importQuery,
    response: importResults,
    failures: { accounting_off: 409 },
    example: 'dealId,start,end,value\nD-1,2026-01-01,2028-12-31,60000\n',
  },
  {
    facts: contractFacts,
    columns: { names: fileColumns.contracts, required: ['dealId'] },
    numbers: ['value', 'months'],
    read: (tx, rows, { reader }) => readRows(tx, rows, reader),
    trigger: 'recalculation',
  },
);
