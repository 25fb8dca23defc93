import { api } from '../../api/client.js';
import { prepareColumns, sendingRows, targetsOf } from './columns.js';
import { type ImportKind } from './kind.js';

const target = targetsOf('refunds');
const targets = [
  target('dealId', 'Deal ID', 'id', { like: /deal|opportunity/, isRequired: true }),
  target('refundId', 'Refund', 'id', { like: /(refund|credit).*(id|number|no)/, isRequired: true }),
  target('day', 'Day of the refund', 'date', { like: /refund.*date|cancel.*date/, isRequired: true }),
  target('cause', 'Cause', 'text'),
  target('amount', 'Amount', 'number', { like: /amount/ }),
  target('reason', 'Reason', 'text'),
];

export const refundImport: ImportKind = {
  key: 'refunds',
  title: 'Import refunds',
  one: 'refund',
  many: 'refunds',
  intro:
    'One row for each refund of a deal: a cancellation, money that was returned, or an invoice that is never paid. Without an amount, the whole deal is refunded.',
  example: [
    ['Deal ID', 'Refund', 'Refund date', 'Cause', 'Amount'],
    ['D-1', 'R-1', '2026-04-20', 'refund', '15,000'],
  ],
  targets,
  keepsColumns: false,
  options: () => [],
  prepare: (matched) => prepareColumns(targets, matched),
  send: sendingRows((request) => api.importRefunds(request)),
};
