import { api } from '../../api/client.js';
import { prepareColumns, sendingRows, targetsOf } from './columns.js';
import { type ImportKind, personTarget } from './kind.js';
import { fileQuery, toUpload } from './results.js';

const target = targetsOf('credits');
const targets = [
  target('dealId', 'Deal ID', 'id', { like: /deal|opportunity/, isRequired: true }),
  { ...personTarget, names: [...personTarget.names, 'owner', 'splitowner'] },
  target('percent', 'Share, %', 'number', { like: /percent|share|split|%|anteil/, isRequired: true }),
  target('kind', 'Kind: split or overlay', 'text'),
  target('role', 'Role on the deal', 'text'),
  target('affects', 'Counts for: both, payout or quota', 'text'),
];

const inSmallLetters: readonly string[] = ['kind', 'affects'];

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
  prepare: (matched) =>
    prepareColumns(targets, matched, {
      person: 'rep',
      convert: (text, key) => (inSmallLetters.includes(key) ? text.toLowerCase() : text),
    }),
  send: sendingRows((request) => api.importDealCredits(request)),
  async effect(csv, options) {
    const query = { ...fileQuery(options), effect: 'true' } as const;
    return (await api.importDealCredits({ query, upload: toUpload(csv) })).effect ?? null;
  },
};
