import { api } from '../../api/client.js';
import { prepareWithFields, toTextColumns } from './field-columns.js';
import { columnNames, type ImportKind, missingColumns, type SendOptions, type Target } from './kind.js';
import { fileQuery, toOutcome, toUpload } from './results.js';

const targets: readonly Target[] = [
  {
    key: 'dealId',
    label: 'Deal ID',
    names: columnNames('lines', 'dealId'),
    like: /deal|opportunity/,
    values: 'id',
    isRequired: true,
  },
  {
    key: 'lineId',
    label: 'Line ID',
    names: columnNames('lines', 'lineId'),
    like: /line/,
    values: 'id',
    isRequired: true,
  },
  {
    key: 'amount',
    label: 'Net amount',
    names: columnNames('lines', 'amount'),
    like: /net|total|amount/,
    values: 'number',
    isRequired: true,
  },
  { key: 'productCode', label: 'Product code', names: columnNames('lines', 'productCode'), values: 'text' },
  { key: 'name', label: 'Product name', names: columnNames('lines', 'name'), values: 'text' },
  { key: 'family', label: 'Product family', names: columnNames('lines', 'family'), like: /family/, values: 'text' },
  { key: 'quantity', label: 'Quantity', names: columnNames('lines', 'quantity'), like: /quantity/, values: 'number' },
  { key: 'unitPrice', label: 'Unit price', names: columnNames('lines', 'unitPrice'), values: 'number' },
  { key: 'listPrice', label: 'List price', names: columnNames('lines', 'listPrice'), values: 'number' },
  { key: 'cost', label: 'Cost', names: columnNames('lines', 'cost'), values: 'number' },
  { key: 'discount', label: 'Discount', names: columnNames('lines', 'discount'), values: 'number' },
  { key: 'currency', label: 'Currency', names: columnNames('lines', 'currency'), values: 'text' },
  { key: 'startDate', label: 'First day of the service', names: columnNames('lines', 'startDate'), values: 'date' },
  { key: 'months', label: 'Months of the term', names: columnNames('lines', 'months'), values: 'number' },
  { key: 'recurring', label: 'How it recurs', names: columnNames('lines', 'recurring'), values: 'text' },
];

function toRequest(csv: string, given: SendOptions) {
  return { query: { ...fileQuery(given), ...toTextColumns(given) }, upload: toUpload(csv) };
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
  async send(csv, given) {
    const answer = await api.importDealLines(toRequest(csv, given));
    return {
      ...toOutcome(answer),
      warnings: answer.columns.map(({ column, field }) => `${column} is stored as the field ${field}.`),
      ...(answer.jobId === undefined ? {} : { jobId: answer.jobId }),
    };
  },
  async effect(csv, given) {
    const { query, upload } = toRequest(csv, given);
    return (await api.importDealLines({ query: { ...query, effect: 'true' }, upload })).effect ?? null;
  },
};
