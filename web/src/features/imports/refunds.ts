import { api } from '../../api/client.js';
import {
  cellReader,
  columnNames,
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
    names: columnNames('refunds', 'dealId'),
    like: /deal|opportunity/,
    values: 'id',
    isRequired: true,
  },
  {
    key: 'refundId',
    label: 'Refund',
    names: columnNames('refunds', 'refundId'),
    like: /(refund|credit).*(id|number|no)/,
    values: 'id',
    isRequired: true,
  },
  {
    key: 'day',
    label: 'Day of the refund',
    names: columnNames('refunds', 'day'),
    like: /refund.*date|cancel.*date/,
    values: 'date',
    isRequired: true,
  },
  { key: 'cause', label: 'Cause', names: columnNames('refunds', 'cause'), values: 'text' },
  { key: 'amount', label: 'Amount', names: columnNames('refunds', 'amount'), like: /amount/, values: 'number' },
  { key: 'reason', label: 'Reason', names: columnNames('refunds', 'reason'), values: 'text' },
];

const header = targets.map(({ key }) => key);

function prepare(matched: Matched): Prepared {
  const cell = cellReader(matched);
  return {
    header,
    rows: matched.table.rows.map((row, index) => ({ source: index + 1, cells: header.map((key) => cell(row, key)) })),
    problems: missingColumns(targets, matched),
  };
}

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
  prepare,
  async send(csv, given) {
    const query = fileQuery(given);
    return toOutcome(await api.importRefunds({ query, upload: toUpload(csv) }));
  },
};
