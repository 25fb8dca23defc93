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
  {
    key: 'dealId',
    label: 'Deal ID',
    names: columnNames('credits', 'dealId'),
    like: /deal|opportunity/,
    values: 'id',
    isRequired: true,
  },
  { ...personTarget, names: [...personTarget.names, 'owner', 'splitowner'] },
  {
    key: 'percent',
    label: 'Share, %',
    names: columnNames('credits', 'percent'),
    like: /percent|share|split|%|anteil/,
    values: 'number',
    isRequired: true,
  },
  { key: 'kind', label: 'Kind: split or overlay', names: columnNames('credits', 'kind'), values: 'text' },
  { key: 'role', label: 'Role on the deal', names: columnNames('credits', 'role'), values: 'text' },
  {
    key: 'affects',
    label: 'Counts for: both, payout or quota',
    names: columnNames('credits', 'affects'),
    values: 'text',
  },
];

const header = ['dealId', 'rep', 'percent', 'kind', 'role', 'affects'];

/** Kinds and effects are sent in small letters. */
function prepare(matched: Matched): Prepared {
  const cell = cellReader(matched);
  const emailOf = emailFinder(matched.context.people);
  return {
    header,
    rows: matched.table.rows.map((row, index) => ({
      source: index + 1,
      cells: [
        cell(row, 'dealId'),
        emailOf(cell(row, 'person')),
        cell(row, 'percent'),
        cell(row, 'kind').toLowerCase(),
        cell(row, 'role'),
        cell(row, 'affects').toLowerCase(),
      ],
    })),
    problems: missingColumns(targets, matched),
  };
}

export const splitImport: ImportKind = {
  key: 'splits',
  title: 'Import shares of deals',
  one: 'share',
  many: 'shares',
  intro:
    'One row for each person on a deal, with their share. The rows of a deal replace its shares; “house” stands for the part that no rep earns.',
  example: [
    ['Deal ID', 'Person', 'Share'],
    ['D-1', 'Dana Whitfield', '60 %'],
    ['D-1', 'Ben Adler', '40 %'],
  ],
  targets,
  keepsColumns: false,
  options: () => [],
  prepare,
  async send(csv, given) {
    return toOutcome(await api.importDealCredits({ query: fileQuery(given), upload: toUpload(csv) }));
  },
  async effect(csv, given) {
    const query = { ...fileQuery(given), effect: 'true' } as const;
    return (await api.importDealCredits({ query, upload: toUpload(csv) })).effect ?? null;
  },
};
