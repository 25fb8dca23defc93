import { api } from '../../api/client.js';
import { targetsOf } from './columns.js';
import { prepareWithFields, toTextColumns } from './field-columns.js';
import { type ImportKind, missingColumns, type SendOptions } from './kind.js';
import { fileQuery, toOutcome, toUpload } from './results.js';

const target = targetsOf('lines');
const targets = [
  target('dealId', 'Deal ID', 'id', { like: /deal|opportunity/, isRequired: true }),
  target('lineId', 'Line ID', 'id', { like: /line/, isRequired: true }),
  target('amount', 'Net amount', 'number', { like: /net|total|amount/, isRequired: true }),
  target('productCode', 'Product code', 'text'),
  target('name', 'Product name', 'text'),
  target('family', 'Product family', 'text', { like: /family/ }),
  target('quantity', 'Quantity', 'number', { like: /quantity/ }),
  target('unitPrice', 'Unit price', 'number'),
  target('listPrice', 'List price', 'number'),
  target('cost', 'Cost', 'number'),
  target('discount', 'Discount', 'number'),
  target('currency', 'Currency', 'text'),
  target('startDate', 'First day of the service', 'date'),
  target('months', 'Months of the term', 'number'),
  target('recurring', 'How it recurs', 'text'),
];

function toRequest(csv: string, options: SendOptions) {
  return { query: { ...fileQuery(options), ...toTextColumns(options) }, upload: toUpload(csv) };
}

export const lineImport: ImportKind = {
  key: 'lines',
  title: 'Import products of deals',
  one: 'product',
  many: 'products',
  intro:
    'One row for each product of a deal, with its net amount. The rows of a deal replace its products; other columns become fields of them.',
  example: [
    ['Deal ID', 'Line ID', 'Product family', 'Quantity', 'Net amount'],
    ['D-1', '1', 'Software', '12', '30,000'],
    ['D-1', '2', 'Services', '1', '15,000'],
  ],
  targets,
  keepsColumns: true,
  options: () => [],
  prepare: (matched) => prepareWithFields(matched, (target) => target, missingColumns(targets, matched)),
  async send(csv, options) {
    const answer = await api.importDealLines(toRequest(csv, options));
    return {
      ...toOutcome(answer),
      warnings: answer.columns.map(({ column, field }) => `${column} is stored as the field ${field}.`),
      ...(answer.jobId === undefined ? {} : { jobId: answer.jobId }),
    };
  },
  async effect(csv, options) {
    const { query, upload } = toRequest(csv, options);
    return (await api.importDealLines({ query: { ...query, effect: 'true' }, upload })).effect ?? null;
  },
};
