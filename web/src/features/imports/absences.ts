import { api } from '../../api/client.js';
import {
  cellReader,
  columnNames,
  emailFinder,
  hasColumn,
  type ImportKind,
  type Matched,
  type Prepared,
  personTarget,
  type Target,
} from './kind.js';
import { fileQuery, toOutcome, toUpload } from './results.js';

const targets: readonly Target[] = [
  personTarget,
  { key: 'from', label: 'First day', names: columnNames('absences', 'from'), like: /start|first/, values: 'date' },
  { key: 'to', label: 'Last day', names: columnNames('absences', 'to'), like: /\bend|last/, values: 'date' },
  {
    key: 'quotaRelief',
    label: 'Relief of the target, %',
    names: columnNames('absences', 'quotaRelief'),
    like: /relief/,
    values: 'number',
  },
  {
    key: 'variableRelief',
    label: 'Relief of the variable target, %',
    names: columnNames('absences', 'variableRelief'),
    like: /variable/,
    values: 'number',
  },
  { key: 'note', label: 'Note', names: columnNames('absences', 'note'), values: 'text' },
];

const header = ['email', 'from', 'to', 'quotaRelief', 'variableRelief', 'note'] as const;

function prepare(matched: Matched): Prepared {
  const cell = cellReader(matched);
  const emailOf = emailFinder(matched.context.people);
  const [, ...others] = header;
  return {
    header,
    rows: matched.table.rows.map((row, index) => ({
      source: index + 1,
      cells: [emailOf(cell(row, 'person')), ...others.map((name) => cell(row, name))],
    })),
    problems: [
      hasColumn(matched, 'person') ? null : 'Choose the column with the people.',
      hasColumn(matched, 'from') && hasColumn(matched, 'to') ? null : 'Choose the columns with the first and last day.',
    ].filter((problem) => problem !== null),
  };
}

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
  prepare,
  async send(csv, given) {
    return toOutcome(await api.importAbsences({ query: fileQuery(given), upload: toUpload(csv) }));
  },
  async effect(csv, given) {
    const query = { ...fileQuery({ ...given, dryRun: true }), effect: 'true' } as const;
    return (await api.importAbsences({ query, upload: toUpload(csv) })).effect ?? null;
  },
};
