import { api } from '../../api/client.js';
import { prepareColumns, sendingRows, targetsOf } from './columns.js';
import { hasColumn, type ImportKind, personTarget } from './kind.js';
import { fileQuery, toUpload } from './results.js';

const target = targetsOf('absences');
const targets = [
  personTarget,
  target('from', 'First day', 'date', { like: /start|first/ }),
  target('to', 'Last day', 'date', { like: /\bend|last/ }),
  target('quotaRelief', 'Relief of the target, %', 'number', { like: /relief/ }),
  target('variableRelief', 'Relief of the variable target, %', 'number', { like: /variable/ }),
  target('note', 'Note', 'text'),
];

export const absenceImport: ImportKind = {
  key: 'absences',
  title: 'Import absences',
  one: 'absence',
  many: 'absences',
  intro: 'One row for each absence, with its first and last day. Prorated quotas count fewer days.',
  example: [
    ['Person', 'First day', 'Last day'],
    ['Dana Whitfield', '2026-02-10', '2026-03-11'],
  ],
  targets,
  keepsColumns: false,
  options: () => [],
  prepare: (matched) => ({
    ...prepareColumns(targets, matched),
    problems: [
      hasColumn(matched, 'person') ? null : 'Choose the column with the people.',
      hasColumn(matched, 'from') && hasColumn(matched, 'to') ? null : 'Choose the columns with the first and last day.',
    ].filter((problem) => problem !== null),
  }),
  send: sendingRows((request) => api.importAbsences(request)),
  async effect(csv, options) {
    const query = { ...fileQuery({ ...options, dryRun: true }), effect: 'true' } as const;
    return (await api.importAbsences({ query, upload: toUpload(csv) })).effect ?? null;
  },
};
