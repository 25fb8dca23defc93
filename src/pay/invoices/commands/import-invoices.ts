import { type z } from 'zod';
import { fileColumns } from '../../../api/file-columns.js';
import { findDealsNaming, knownDealIds } from '../../../deals/deal-views.js';
import { withStoredDealIds } from '../../../deals/opportunity-ids.js';
import { importOf, type ReadRow } from '../../../imports/import-of.js';
import { Failure } from '../../../kernel/failure.js';
import { groupBy } from '../../../kernel/group-by.js';
import { loadWorkspaceTerms } from '../../../ledger/input/rep-terms.js';
import { type Transaction } from '../../../platform/database/unit-of-work.js';
import { type CellReader, currencyOfRow, filled } from '../../../platform/files/cells.js';
import { type TableColumns, type TableRow } from '../../../platform/files/csv-table.js';
import { isSameFact } from '../../../platform/files/facts.js';
import {
  importQuery,
  importResults,
  readRowsInSlices,
  readTerms,
  rejectedRow,
} from '../../../platform/files/import-results.js';
import { withReleases } from '../../payables/record-releases.js';
import { assertPaymentsUnique, invoiceField, invoiceTerms } from '../invoice.js';
import { type InvoiceFact, inOrder, invoiceFacts } from '../invoice-facts.js';

const query = importQuery.extend({
  dealField: invoiceField.optional(),
});

const columns = {
  names: fileColumns.invoices,
  required: ['dealId', 'invoiceId', 'amount', 'issuedOn'],
} as const;
type Row = TableRow<keyof typeof fileColumns.invoices>;

const columnsOfNamed = { ...columns, required: ['invoiceId', 'amount', 'issuedOn'] } as const;

/** The rows with the deals that name their invoices; those that no deal names are left out. */
async function findNamedRows(tx: Transaction, rows: readonly Row[], slug: string): Promise<readonly Row[]> {
  const unnamed = rows.filter(({ cells }) => cells.dealId === undefined).flatMap(({ cells }) => cells.invoiceId ?? []);
  const deals = await findDealsNaming(tx, slug, unnamed);
  return rows.flatMap((row): Row[] => {
    const { dealId, invoiceId } = row.cells;
    if (dealId !== undefined || invoiceId === undefined) return [row];
    const [named, another] = deals.get(invoiceId) ?? [];
    if (named === undefined) return [];
    const problem = another === undefined ? row.problem : `several deals have the invoice ${invoiceId} in ${slug}`;
    return [{ ...row, problem, cells: { ...row.cells, dealId: named } }];
  });
}

/** The row as an invoice with at most one payment. */
function readRow({ cells }: Row, reader: CellReader, currency: string): InvoiceFact {
  const { dealId, invoiceId, paymentId, paidAmount, paidOn } = cells;
  if (dealId === undefined || invoiceId === undefined) throw rejectedRow('dealId and invoiceId are required');
  const hasPayment = [paymentId, paidAmount, paidOn].some((cell) => cell !== undefined);
  const paid = reader.amount('paidAmount', paidAmount);
  const payment = { paymentId, amount: paid?.value, paidOn: reader.day('paidOn', paidOn) };
  const amount = filled('amount', reader.amount('amount', cells.amount));
  const grossAmount = reader.amount('grossAmount', cells.grossAmount);
  const terms = readTerms(invoiceTerms, {
    amount: amount.value,
    grossAmount: grossAmount?.value ?? null,
    currency: currencyOfRow([amount, grossAmount, paid], cells.currency, currency) ?? null,
    issuedOn: filled('issuedOn', reader.day('issuedOn', cells.issuedOn)),
    status: cells.status?.toLowerCase() ?? 'open',
    payments: hasPayment ? [payment] : [],
  });
  return { dealId, invoiceId, ...terms };
}

/** The rows of one invoice: together they are the invoice with all of its payments. */
function joinRows(rows: readonly InvoiceFact[]): InvoiceFact {
  const [first] = rows as readonly [InvoiceFact, ...InvoiceFact[]];
  const head = { ...first, payments: [] };
  if (rows.some((row) => !isSameFact(invoiceFacts, { ...row, payments: [] }, head)))
    throw rejectedRow(`rows of invoice ${first.invoiceId} differ in amount, currency, day or status`);
  const joined = { ...first, payments: rows.flatMap(({ payments }) => payments) };
  assertPaymentsUnique(joined);
  return { ...joined, payments: inOrder(joined.payments) };
}

/** An invoice is written as a whole or not at all, since the file replaces its payments. */
async function readInvoices(
  tx: Transaction,
  rows: readonly Row[],
  reader: CellReader,
): Promise<(ReadRow<InvoiceFact> | undefined)[]> {
  const { currency } = await loadWorkspaceTerms(tx);
  const read = await readRowsInSlices(rows, (row) => readRow(row, reader, currency));
  const known = await knownDealIds(
    tx,
    rows.flatMap(({ cells }) => cells.dealId ?? []),
  );
  const results: ReadRow<InvoiceFact>[] = [];
  for (const indexes of groupBy([...rows.keys()], (index) => toKey(rows[index] as Row)).values()) {
    const own = indexes.map((index) => read[index] as InvoiceFact | Failure);
    const failure = own.find((row) => row instanceof Failure);
    const joined = failure ?? joinKnown(own as InvoiceFact[], known);
    for (const [position, index] of indexes.entries()) {
      const ofRow = own[position];
      results[index] = ofRow instanceof Failure ? ofRow : joined instanceof Failure ? joined : { fact: joined };
    }
  }
  return results;
}

function joinKnown(rows: readonly InvoiceFact[], known: ReadonlySet<string>): InvoiceFact | Failure {
  const dealId = rows[0]?.dealId ?? '';
  if (!known.has(dealId)) return new Failure('deal_not_found', `There is no deal with the id ${dealId}.`);
  try {
    return joinRows(rows);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

function toKey({ cells, row }: Row): string {
  return cells.dealId === undefined || cells.invoiceId === undefined
    ? `row ${row}`
    : JSON.stringify([cells.dealId, cells.invoiceId]);
}

export const importInvoices = importOf(
  {
    id: 'importInvoices',
    summary: 'Store invoices and payments from a CSV file: one payment for each row; the rows of an invoice replace it',
    path: '/v1/invoices/import',
    query,
    response: importResults,
    example:
      'dealId,invoiceId,amount,issuedOn,paymentId,paidAmount,paidOn\nD-1,INV-1,60000,2026-01-31,P-1,20000,2026-02-15\n',
  },
  {
    facts: withReleases(invoiceFacts),
    columns: ({ dealField }: z.output<typeof query>): TableColumns<keyof typeof fileColumns.invoices> =>
      dealField === undefined ? columns : columnsOfNamed,
    numbers: ['amount', 'grossAmount', 'paidAmount'],
    async read(tx, all, { reader, query: { dealField } }) {
      const named = dealField === undefined ? all : await findNamedRows(tx, all, dealField);
      const rows: readonly Row[] = await withStoredDealIds(tx, named);
      const read = await readInvoices(tx, rows, reader);
      const byRow = new Map(rows.map(({ row }, index) => [row, read[index]]));
      return all.map(({ row }) => byRow.get(row) ?? null);
    },
    trigger: 'recalculation',
  },
);
