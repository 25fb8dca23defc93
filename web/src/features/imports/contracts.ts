import { api } from '../../api/client.js';
import { prepareColumns, sendingRows, targetsOf } from './columns.js';
import { type ImportKind } from './kind.js';

const target = targetsOf('contracts');
const targets = [
  target('dealId', 'Deal ID', 'id', { like: /deal|opportunity/, isRequired: true }),
  target('start', 'First day', 'date', { like: /start|first/, isFoundByName: true }),
  target('end', 'Last day', 'date', { like: /\bend|last/, isFoundByName: true }),
  target('months', 'Months', 'number', { like: /month|term\b/, isFoundByName: true }),
  target('terminatedOn', 'Terminated on', 'date', { like: /terminat|cancel/, isFoundByName: true }),
  target('renewalOf', 'Renews the deal', 'id', { like: /renew/, isFoundByName: true }),
  target('value', 'Value of the contract', 'number', { like: /value|tcv/ }),
  target('goLive', 'Go-live', 'date', { like: /go.?live/, isFoundByName: true }),
];

export const contractImport: ImportKind = {
  key: 'contracts',
  title: 'Import contracts',
  one: 'contract',
  many: 'contracts',
  intro:
    'One row for each contract of a deal, which decides over which time its commission is amortised, and pays none. A row replaces the contract of its deal.',
  example: [
    ['Deal ID', 'Contract start', 'Contract end', 'Contract value'],
    ['D-1', '2026-01-01', '2028-12-31', '60,000'],
  ],
  targets,
  keepsColumns: false,
  options: () => [],
  prepare: (matched) => prepareColumns(targets, matched),
  send: sendingRows((request) => api.importContracts(request)),
};
