import { api } from '../../api/client.js';
import { prepareColumns, sendingRows, targetsOf } from './columns.js';
import { type ImportKind, personTarget } from './kind.js';

const target = targetsOf('openingLots');
const targets = [
  target('lotId', 'Lot ID', 'id', { like: /lot|asset/, isRequired: true }),
  target('dealId', 'Deal ID', 'id', { like: /deal|opportunity/, isRequired: true }),
  personTarget,
  target('cost', 'Cost', 'number', { like: /cost/, isFoundByName: true, isRequired: true }),
  target('amortised', 'Amortised', 'number', { like: /accumulated/, isFoundByName: true }),
  target('amortisedTo', 'Amortised until', 'date', { isFoundByName: true, isRequired: true }),
  target('start', 'First day', 'date', { like: /start|first/, isFoundByName: true, isRequired: true }),
  target('months', 'Months', 'number', { like: /month|term\b/, isFoundByName: true }),
  target('end', 'Last day', 'date', { like: /\bend|last/, isFoundByName: true }),
  target('entity', 'Company, by its code', 'text', { like: /entity|company/ }),
  target('convention', 'Begins with (full_month, next_month or daily)', 'text', { like: /convention/ }),
];

export const openingLotImport: ImportKind = {
  key: 'openingLots',
  title: 'Import opening lots',
  one: 'lot',
  many: 'lots',
  intro:
    'One row for each cost that another system has capitalised. It enters the books in the month after it is amortised until, which is open.',
  example: [
    ['Lot ID', 'Deal ID', 'Person', 'Cost', 'Amortised', 'Amortised to', 'Start', 'Months'],
    ['L-1', 'D-1', 'Dana Whitfield', '3,600', '1,200', '2025-12-31', '2025-01-01', '36'],
  ],
  targets,
  keepsColumns: false,
  options: () => [],
  prepare: (matched) => prepareColumns(targets, matched),
  send: sendingRows((request) => api.importOpeningLots(request)),
};
