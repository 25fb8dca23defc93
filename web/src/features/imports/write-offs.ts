import { api } from '../../api/client.js';
import { prepareColumns, sendingRows, targetsOf } from './columns.js';
import { type ImportKind, personTarget } from './kind.js';

const target = targetsOf('writeOffs');
const targets = [
  personTarget,
  target('entity', 'Company, by its code', 'text', { like: /entity|company/ }),
  target('currency', 'Currency', 'text', { like: /currency/ }),
  target('amount', 'Amount', 'number', { like: /amount|debt/, isRequired: true }),
  target('day', 'Day', 'date', { like: /day|date/, isRequired: true }),
  target('reason', 'Reason', 'text', { like: /reason|note|comment/, isRequired: true }),
];

export const writeOffImport: ImportKind = {
  key: 'writeOffs',
  title: 'Import write-offs',
  one: 'write-off',
  many: 'write-offs',
  intro:
    'One row for each debt that the company no longer expects, on a day in a month that is open. It has no effect until another admin approves it.',
  example: [
    ['Person', 'Currency', 'Amount', 'Day', 'Reason'],
    ['Dana Whitfield', 'USD', '7,200', '2026-05-20', 'Left the company'],
  ],
  targets,
  keepsColumns: false,
  options: () => [],
  prepare: (matched) => prepareColumns(targets, matched),
  send: sendingRows((request) => api.importWriteOffs(request)),
};
