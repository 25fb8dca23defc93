import { api } from '../../api/client.js';
import { prepareColumns, sendingRows, targetsOf } from './columns.js';
import { type ImportKind, personTarget } from './kind.js';

const target = targetsOf('repEntities');
const targets = [
  personTarget,
  target('entity', 'Company, by its code', 'text', { like: /entity|company/, isRequired: true }),
  target('from', 'First day', 'date', { like: /start|first/ }),
];

export const companyImport: ImportKind = {
  key: 'companies',
  title: 'Import companies of people',
  one: 'day',
  many: 'days',
  intro:
    'One row for each person and the day from which they belong to a company in the books. Without a day, from the beginning.',
  example: [
    ['Person', 'Company', 'Start'],
    ['Dana Whitfield', 'uk', '2026-03-01'],
  ],
  targets,
  keepsColumns: false,
  options: () => [],
  prepare: (matched) => prepareColumns(targets, matched),
  send: sendingRows((request) => api.importRepEntities(request)),
};
