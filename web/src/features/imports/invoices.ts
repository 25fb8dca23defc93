import { api } from '../../api/client.js';
import { prepareColumns, sendingRows, targetsOf } from './columns.js';
import { hasColumn, type ImportKind, type Matched, type Prepared } from './kind.js';

const target = targetsOf('invoices');
const targets = [
  target('dealId', 'Deal ID', 'id', { like: /deal|opportunity/, isRequired: true }),
  target('invoiceId', 'Invoice', 'id', { like: /invoice.*(id|number|no)/, isRequired: true }),
  target('amount', 'Amount without tax', 'number', { like: /net|subtotal/, isRequired: true }),
  target('grossAmount', 'Amount with tax', 'number', { like: /gross|total/, isFoundByName: true }),
  target('currency', 'Currency', 'text'),
  target('issuedOn', 'Day of the invoice', 'date', {
    like: /invoice.*date|issued/,
    isRequired: true,
    isFoundByName: true,
  }),
  target('status', 'Status', 'text'),
  target('paymentId', 'Payment ID', 'id'),
  target('paidAmount', 'Amount paid', 'number', { like: /paid/, isFoundByName: true }),
  target('paidOn', 'Day of the payment', 'date', { like: /payment.*date/, isFoundByName: true }),
];

/** A file without ids of payments has one payment for each day. */
function prepare(matched: Matched): Prepared {
  const prepared = prepareColumns(targets, matched);
  if (hasColumn(matched, 'paymentId')) return prepared;
  const [id, day] = [prepared.header.indexOf('paymentId'), prepared.header.indexOf('paidOn')];
  const rows = prepared.rows.map(({ source, cells }) => ({
    source,
    cells: cells[day] === '' ? cells : cells.with(id, `row ${source}`),
  }));
  return { ...prepared, rows };
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
  send: sendingRows((request) => api.importInvoices(request)),
};
