import { api } from '../../api/client.js';
import { prepareColumns, sendingRows, targetsOf } from './columns.js';
import { readPeriod } from './dates.js';
import { type ImportKind, personTarget } from './kind.js';

const target = targetsOf('estimates');
const targets = [
  target('month', 'Month of the books', 'period', { like: /month/, isFoundByName: true, isRequired: true }),
  personTarget,
  target('plan', 'Plan', 'plan', { like: /plan/, isRequired: true }),
  target('rule', 'Rule', 'text', { like: /rule/, isRequired: true }),
  target('period', 'Period of the rule', 'period', { like: /period|quarter|year/, isRequired: true }),
  target('currency', 'Currency', 'text', { like: /currency/ }),
  target('pay', 'Pay of the whole period', 'number', { like: /pay|amount|estimate/ }),
  target('toDate', 'Or what is earned until the end of the month', 'number', {
    like: /to.?date/,
    isFoundByName: true,
  }),
  target('method', 'Method: elapsed or forecast', 'text', { like: /method/, isRequired: true }),
];

const isPeriod = (key: string) => key === 'month' || key === 'period';

export const estimateImport: ImportKind = {
  key: 'estimates',
  title: 'Import estimates',
  one: 'estimate',
  many: 'estimates',
  intro:
    'One row for each month that is open, person and rule, with what is expected and the ledger does not have yet. A row replaces the estimate of its month, person, rule, period and currency; others stay.',
  example: [
    ['Month', 'Person', 'Plan', 'Rule', 'Period', 'Currency', 'Pay', 'Method'],
    ['2026-01', 'Dana Whitfield', 'AE plan FY26', 'Quarterly bonus', '2026-Q1', 'USD', '4,000', 'forecast'],
  ],
  targets,
  keepsColumns: false,
  options: () => [],
  prepare: (matched) =>
    prepareColumns(targets, matched, { convert: (text, key) => (isPeriod(key) ? (readPeriod(text) ?? text) : text) }),
  send: sendingRows((request) => api.importEstimates(request)),
};
