import { findDealsNaming, knownDealIds } from '../../../deals/deal-views.js';
import { withStoredDealIds } from '../../../deals/opportunity-ids.js';
import { Failure } from '../../../kernel/failure.js';
import { groupBy } from '../../../kernel/group-by.js';
import { readValue } from '../../../kernel/invalid-values.js';
import { loadWorkspaceTerms } from '../../../ledger/input/rep-terms.js';
import { type Transaction, UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { type CellReader, currencyOfRow, filled } from '../../../platform/files/cells.js';
import { type TableColumns, type TableRow } from '../../../platform/files/csv-table.js';
import {
  csvImport,
  csvImportExample,
  describeImport,
  type ImportResults,
  importQuery,
  type RowOutcome,
  readImport,
  readRowsInSlices,
  rejectedRow,
} from '../../../platform/files/import-results.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { recordReleases, watchReleases } from '../../payables/record-releases.js';
import { assertPaymentsUnique, type Invoice, type InvoiceTerms, invoiceField, invoiceTerms } from '../invoice.js';
import { type InvoiceKey, replaceInvoice } from '../invoice-store.js';
import { listInvoices } from '../invoice-views.js';

const query = importQuery.extend({
  dealField: invoiceField.optional(),
});

const columns = {
  names: {
    dealId: ['deal', 'opportunityId'],
    invoiceId: ['invoice', 'invoiceNumber'],
    amount: ['netAmount', 'invoiceAmount'],
    grossAmount: ['totalAmount'],
    currency: [],
    issuedOn: ['invoiceDate', 'issued'],
    status: ['invoiceStatus'],
    paymentId: ['payment'],
    paidAmount: ['paymentAmount', 'paid'],
    paidOn: ['paymentDate'],
  },
  required: ['dealId', 'invoiceId', 'amount', 'issuedOn'],
} as const;
type Row = TableRow<keyof (typeof columns)['names']>;

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

/** An invoice of the file. */
interface ReadInvoice extends InvoiceKey {
  readonly terms: InvoiceTerms;
}

/** The row as an invoice with at most one payment. */
function readRow({ cells }: Row, reader: CellReader, currency: string): ReadInvoice {
  const { dealId, invoiceId, paymentId, paidAmount, paidOn } = cells;
  if (dealId === undefined || invoiceId === undefined) throw rejectedRow('dealId and invoiceId are required');
  const hasPayment = [paymentId, paidAmount, paidOn].some((cell) => cell !== undefined);
  const paid = reader.amount('paidAmount', paidAmount);
  const payment = { paymentId, amount: paid?.value, paidOn: reader.day('paidOn', paidOn) };
  const amount = filled('amount', reader.amount('amount', cells.amount));
  const grossAmount = reader.amount('grossAmount', cells.grossAmount);
  const read = readValue(invoiceTerms, {
    amount: amount.value,
    grossAmount: grossAmount?.value ?? null,
    currency: currencyOfRow([amount, grossAmount, paid], cells.currency, currency) ?? null,
    issuedOn: filled('issuedOn', reader.day('issuedOn', cells.issuedOn)),
    status: cells.status?.toLowerCase() ?? 'open',
    payments: hasPayment ? [payment] : [],
  });
  if ('issues' in read) throw rejectedRow(read.issues.map(({ path, message }) => `${path}: ${message}`).join('; '));
  return { dealId, invoiceId, terms: read.value };
}

/** The rows of one invoice: together they are the invoice with all of its payments. */
function joinRows(rows: readonly ReadInvoice[]): ReadInvoice {
  const [first] = rows as readonly [ReadInvoice, ...ReadInvoice[]];
  const { payments: _, ...head } = first.terms;
  for (const { terms } of rows) {
    const { payments: __, ...other } = terms;
    if (JSON.stringify(other) !== JSON.stringify(head))
      throw rejectedRow(`rows of invoice ${first.invoiceId} differ in amount, currency, day or status`);
  }
  const terms = { ...head, payments: rows.flatMap((row) => row.terms.payments) };
  assertPaymentsUnique(terms);
  return { ...first, terms };
}

/** By row, the failure that rejects it; the invoices of the others. */
interface ReadFile {
  readonly failures: ReadonlyMap<number, Failure>;
  readonly invoices: ReadonlyMap<string, ReadInvoice>;
}

/** An invoice is written as a whole or not at all, since the file replaces its payments. */
async function readFile(tx: Transaction, rows: readonly Row[], reader: CellReader): Promise<ReadFile> {
  const { currency } = await loadWorkspaceTerms(tx);
  const failures = new Map<number, Failure>();
  const invoices = new Map<string, ReadInvoice>();
  const read = await readRowsInSlices(rows, (row) => readRow(row, reader, currency));
  const known = await knownDealIds(
    tx,
    rows.flatMap(({ cells }) => cells.dealId ?? []),
  );
  const byInvoice = groupBy([...rows.keys()], (index) => toKey(rows[index] as Row));
  for (const [key, indexes] of byInvoice) {
    const own = indexes.map((index) => read[index] as ReadInvoice | Failure);
    const failure = own.find((row) => row instanceof Failure) ?? checkInvoice(own as ReadInvoice[], known);
    if (failure === null) invoices.set(key, joinRows(own as ReadInvoice[]));
    else
      for (const [position, index] of indexes.entries()) {
        const rowFailure = own[position];
        failures.set(index, rowFailure instanceof Failure ? rowFailure : failure);
      }
  }
  return { failures, invoices };
}

function checkInvoice(rows: readonly ReadInvoice[], known: ReadonlySet<string>): Failure | null {
  const dealId = rows[0]?.dealId ?? '';
  if (!known.has(dealId)) return new Failure('deal_not_found', `There is no deal with the id ${dealId}.`);
  try {
    joinRows(rows);
    return null;
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

function compare(present: Invoice | undefined, { terms }: ReadInvoice): 'created' | 'changed' | 'unchanged' {
  if (present === undefined) return 'created';
  const { dealId: _, invoiceId: __, updatedAt: ___, ...before } = present;
  return JSON.stringify(sorted(before)) === JSON.stringify(sorted(terms)) ? 'unchanged' : 'changed';
}

function sorted({ amount, grossAmount, currency, issuedOn, status, payments }: InvoiceTerms) {
  const byId = [...payments].sort((a, b) => (a.paymentId < b.paymentId ? -1 : 1));
  const facts = byId.map(({ paymentId, amount: paid, paidOn }) => [paymentId, paid, paidOn]);
  return [amount, grossAmount, currency, issuedOn, status, facts];
}

export const importInvoices = operation({
  id: 'importInvoices',
  summary: 'Store invoices and payments from a CSV file: one payment for each row; the rows of an invoice replace it',
  ...csvImport,
  path: '/v1/invoices/import',
  query,
  failures: { no_known_columns: 400 },
  example: csvImportExample(
    'dealId,invoiceId,amount,issuedOn,paymentId,paidAmount,paidOn\nD-1,INV-1,60000,2026-01-31,P-1,20000,2026-02-15\n',
  ),
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: given, body }, caller, { unitOfWork, clock }) {
    const { dryRun, dealField } = given;
    const table: TableColumns<keyof (typeof columns)['names']> = dealField === undefined ? columns : columnsOfNamed;
    const { rows: all, reader } = await readImport(body, given, table, ['amount', 'grossAmount', 'paidAmount']);
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx): Promise<ImportResults> => {
      const named = dealField === undefined ? all : await findNamedRows(tx, all, dealField);
      const rows: readonly Row[] = await withStoredDealIds(tx, named);
      const { failures, invoices } = await readFile(tx, rows, reader);
      const dealIds = [...new Set([...invoices.values()].map(({ dealId }) => dealId))];
      const present = new Map(
        (await listInvoices(tx, dealIds)).map((stored) => [JSON.stringify([stored.dealId, stored.invoiceId]), stored]),
      );
      const outcomes = new Map([...invoices].map(([key, read]) => [key, compare(present.get(key), read)]));
      if (!dryRun) {
        const before = await watchReleases(tx, dealIds, clock);
        for (const [key, read] of invoices)
          if (outcomes.get(key) !== 'unchanged') await replaceInvoice(tx, read, read.terms);
        await recordReleases(tx, before);
      }
      const ofRows = new Map(
        rows.map((row, index) => [
          row.row,
          failures.get(index) ?? { outcome: outcomes.get(toKey(row)) ?? 'unchanged' },
        ]),
      );
      const described = all.map(({ row }): RowOutcome => ofRows.get(row) ?? { outcome: 'unchanged' });
      return describeImport(tx, all, described, dryRun);
    });
  },
});
