import { api } from '../../api/client.js';
import { prepareColumns, sendingRows, targetsOf } from './columns.js';
import { type ImportKind, personTarget } from './kind.js';

const target = targetsOf('draws');
const targets = [
  personTarget,
  target('kind', 'Kind: guarantee or advance', 'text', { like: /kind|type/, isRequired: true }),
  target('recoverable', 'Paid back: yes or no', 'text', { like: /recoverable|paid back/, isRequired: true }),
  target('amount', 'Amount for each pay period', 'number', { like: /amount/, isRequired: true }),
  target('currency', 'Currency', 'text'),
  target('from', 'First day', 'date', { like: /start|first/, isRequired: true }),
  target('to', 'Last day', 'date', { like: /\bend|last/ }),
  target('recoveryStart', 'Start of the repayment', 'text'),
  target('recoveryDay', 'Day of the repayment', 'date'),
  target('maxPercent', 'Kept of a statement at most, %', 'number', { like: /percent/ }),
  target('forgiveOn', 'Forgiven on', 'date', { like: /forgiv/ }),
];

export const drawImport: ImportKind = {
  key: 'draws',
  title: 'Import draws',
  one: 'draw',
  many: 'draws',
  intro: 'One row for each guarantee or advance. A row replaces the draw of its kind that begins on the same day.',
  example: [
    ['Person', 'Kind', 'Paid back', 'Amount', 'First day', 'Last day'],
    ['Dana Whitfield', 'guarantee', 'yes', '2,000', '2026-01-01', '2026-03-31'],
  ],
  targets,
  keepsColumns: false,
  options: () => [],
  prepare: (matched) => prepareColumns(targets, matched),
  send: sendingRows((request) => api.importDraws(request)),
};
