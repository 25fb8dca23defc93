import { api } from '../../api/client.js';
import {
  cellReader,
  columnNames,
  hasColumn,
  type ImportKind,
  type Matched,
  missingColumns,
  type Prepared,
  type Target,
} from './kind.js';
import { fileQuery, toOutcome, toUpload } from './results.js';

const targets: readonly Target[] = [
  {
    key: 'dealId',
    label: 'Deal ID',
    names: columnNames('invoices', 'dealId'),
    like: /deal|opportunity/,
    values: 'id',
    isRequired: true,
  },
  {
    key: 'invoiceId',
    label: 'Invoice',
    names: columnNames('invoices', 'invoiceId'),
    like: /invoice.*(id|number|no)/,
    values: 'id',
    isRequired: true,
  },
  {
    key: 'amount',
    label: 'Amount without tax',
    names: columnNames('invoices', 'amount'),
    like: /net|subtotal/,
    values: 'number',
    isRequired: true,
  },
  {
    key: 'grossAmount',
    label: 'Amount with tax',
    names: columnNames('invoices', 'grossAmount'),
    like: /gross|total/,
    values: 'number',
    isFoundByName: true,
  },
  { key: 'currency', label: 'Currency', names: columnNames('invoices', 'currency'), values: 'text' },
  {
    key: 'issuedOn',
    label: 'Day of the invoice',
    names: columnNames('invoices', 'issuedOn'),
    like: /invoice.*date|issued/,
    values: 'date',
    isRequired: true,
    isFoundByName: true,
  },
  { key: 'status', label: 'Status', names: columnNames('invoices', 'status'), values: 'text' },
  { key: 'paymentId', label: 'Payment ID', names: columnNames('invoices', 'paymentId'), values: 'id' },
  {
    key: 'paidAmount',
    label: 'Amount paid',
    names: columnNames('invoices', 'paidAmount'),
    like: /paid/,
    values: 'number',
    isFoundByName: true,
  },
  {
    key: 'paidOn',
    label: 'Day of the payment',
    names: columnNames('invoices', 'paidOn'),
    like: /payment.*date/,
    values: 'date',
    isFoundByName: true,
  },
];

const header = targets.map(({ key }) => key);

/** A file without ids of payments has one payment for each day. */
function prepare(matched: Matched): Prepared {
  const cell = cellReader(matched);
  const hasIds = hasColumn(matched, 'paymentId');
  return {
    header,
    rows: matched.table.rows.map((row, index) => ({
      source: index + 1,
      cells: header.map((key) => {
        const value = cell(row, key);
        return key === 'paymentId' && !hasIds && cell(row, 'paidOn') !== '' ? `row ${index + 1}` : value;
      }),
    })),
    problems: missingColumns(targets, matched),
  };
}

export const invoiceImport: ImportKind = {
  key: 'invoices',
  title: 'Import invoices and payments',
  one: 'payment',
  many: 'payments',
  intro: 'One row for each payment of a customer, with its invoice and deal. The rows of an invoice replace it.',
  example: [
    ['Deal ID', 'Invoice', 'Net amount', 'Invoice date', 'Amount paid', 'Payment date'],
    ['D-1', 'INV-1', '60,000', '2026-01-31', '20,000', '2026-02-15'],
  ],
  targets,
  keepsColumns: false,
  options: () => [],
  prepare,
  async send(csv, given) {
    const query = fileQuery(given);
    return toOutcome(await api.importInvoices({ query, upload: toUpload(csv) }));
  },
};
