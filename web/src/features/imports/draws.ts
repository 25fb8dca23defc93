import { api } from '../../api/client.js';
import {
  cellReader,
  columnNames,
  emailFinder,
  type ImportKind,
  type Matched,
  missingColumns,
  type Prepared,
  personTarget,
  type Target,
} from './kind.js';
import { fileQuery, toOutcome, toUpload } from './results.js';

const targets: readonly Target[] = [
  personTarget,
  {
    key: 'kind',
    label: 'Kind: guarantee or advance',
    names: columnNames('draws', 'kind'),
    like: /kind|type/,
    values: 'text',
    isRequired: true,
  },
  {
    key: 'recoverable',
    label: 'Paid back: yes or no',
    names: columnNames('draws', 'recoverable'),
    like: /recoverable|paid back/,
    values: 'text',
    isRequired: true,
  },
  {
    key: 'amount',
    label: 'Amount for each pay period',
    names: columnNames('draws', 'amount'),
    like: /amount/,
    values: 'number',
    isRequired: true,
  },
  { key: 'currency', label: 'Currency', names: columnNames('draws', 'currency'), values: 'text' },
  {
    key: 'from',
    label: 'First day',
    names: columnNames('draws', 'from'),
    like: /start|first/,
    values: 'date',
    isRequired: true,
  },
  { key: 'to', label: 'Last day', names: columnNames('draws', 'to'), like: /\bend|last/, values: 'date' },
  {
    key: 'recoveryStart',
    label: 'Start of the repayment',
    names: columnNames('draws', 'recoveryStart'),
    values: 'text',
  },
  { key: 'recoveryDay', label: 'Day of the repayment', names: columnNames('draws', 'recoveryDay'), values: 'date' },
  {
    key: 'maxPercent',
    label: 'Kept of a statement at most, %',
    names: columnNames('draws', 'maxPercent'),
    like: /percent/,
    values: 'number',
  },
  { key: 'forgiveOn', label: 'Forgiven on', names: columnNames('draws', 'forgiveOn'), like: /forgiv/, values: 'date' },
];

const header = ['email', ...targets.slice(1).map(({ key }) => key)];

function prepare(matched: Matched): Prepared {
  const cell = cellReader(matched);
  const emailOf = emailFinder(matched.context.people);
  return {
    header,
    rows: matched.table.rows.map((row, index) => ({
      source: index + 1,
      cells: [emailOf(cell(row, 'person')), ...header.slice(1).map((key) => cell(row, key))],
    })),
    problems: missingColumns(targets, matched),
  };
}

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
  prepare,
  async send(csv, given) {
    return toOutcome(await api.importDraws({ query: fileQuery(given), upload: toUpload(csv) }));
  },
};
