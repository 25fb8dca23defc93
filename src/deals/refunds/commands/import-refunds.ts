import { fileColumns } from '../../../api/file-columns.js';
import { effectOnCommission, importOf, type ReadRow } from '../../../imports/import-of.js';
import { type Transaction } from '../../../platform/database/unit-of-work.js';
import { assertCurrency, type CellReader, filled } from '../../../platform/files/cells.js';
import { type TableRow } from '../../../platform/files/csv-table.js';
import { keyOfFact } from '../../../platform/files/facts.js';
import { readRowsInSlices, readTerms, rejectedRow } from '../../../platform/files/import-results.js';
import { personalEffect, toPersonalEffect } from '../../../simulation/write-effect.js';
import { loadDealCurrencies } from '../../deal-currencies.js';
import { factImportQuery, factImportResults } from '../../import/fact-import.js';
import { withStoredDealIds } from '../../opportunity-ids.js';
import { assertWithinDeal, loadDealAmounts } from '../change-refunds.js';
import { refundParams, refundTerms } from '../refund.js';
import { type RefundFact, refundFacts } from '../refund-facts.js';

const columns = {
  names: fileColumns.refunds,
  required: ['dealId', 'refundId', 'day'],
} as const;
type Row = TableRow<keyof typeof fileColumns.refunds>;

const rowTerms = refundParams.extend(refundTerms.omit({ lines: true }).shape);

function readRow({ cells }: Row, reader: CellReader, currencies: ReadonlyMap<string, string>) {
  const amount = reader.amount('amount', cells.amount);
  const currency = currencies.get(cells.dealId ?? '');
  if (currency !== undefined) assertCurrency('amount', amount, currency);
  return readTerms(rowTerms, {
    dealId: cells.dealId,
    refundId: cells.refundId,
    day: filled('day', reader.day('day', cells.day)),
    cause: cells.cause?.toLowerCase() ?? 'refund',
    amount: amount?.value ?? null,
    reason: cells.reason ?? '',
  });
}

/** The rows in their order, each with its refund or the failure that rejects it. */
async function readRows(tx: Transaction, sent: readonly Row[], reader: CellReader): Promise<ReadRow<RefundFact>[]> {
  const rows = await withStoredDealIds(tx, sent);
  const dealIds = rows.flatMap(({ cells }) => cells.dealId ?? []);
  const currencies = await loadDealCurrencies(tx, dealIds);
  const amounts = await loadDealAmounts(tx, dealIds);
  const seen = new Set<string>();
  return readRowsInSlices(rows, (row) => {
    const fact = readRow(row, reader, currencies);
    const key = keyOfFact(refundFacts, fact);
    if (seen.has(key)) throw rejectedRow(`refund ${fact.refundId} of deal ${fact.dealId} is in another row`);
    seen.add(key);
    assertWithinDeal(amounts, fact, fact);
    return { fact: { ...fact, lines: null } };
  });
}

export const importRefunds = importOf(
  {
    id: 'importRefunds',
    summary: 'Store refunds of deals from a CSV file, one for each row; a row replaces the refund of its id',
    path: '/v1/refunds/import',
    query: factImportQuery,
    response: factImportResults.extend({
      effect: personalEffect
        .nullable()
        .optional()
        .describe('With effect=true. null: the people have more deals than can be calculated at once'),
    }),
    example: 'dealId,refundId,day,cause,amount\nD-1,R-1,2026-04-20,refund,15000\n',
  },
  {
    facts: refundFacts,
    columns,
    numbers: ['amount'],
    read: (tx, rows, { reader }) => readRows(tx, rows, reader),
    lock: 'import',
    trigger: 'refund',
    asJob: true,
    effect: effectOnCommission(toPersonalEffect),
  },
);
