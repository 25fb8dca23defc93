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
  { key: 'plan', label: 'Plan', names: columnNames('assignments', 'plan'), like: /plan/, values: 'plan' },
  {
    key: 'effectiveStart',
    label: 'First day',
    names: columnNames('assignments', 'effectiveStart'),
    like: /start/,
    values: 'date',
  },
  {
    key: 'effectiveEnd',
    label: 'Last day',
    names: columnNames('assignments', 'effectiveEnd'),
    like: /\bend/,
    values: 'date',
  },
];

const header = ['email', 'plan', 'effectiveStart', 'effectiveEnd'] as const;

function prepare(matched: Matched): Prepared {
  const cell = cellReader(matched);
  const emailOf = emailFinder(matched.context.people);
  const fallback = matched.options['plan'] ?? '';
  return {
    header,
    rows: matched.table.rows.map((row, index) => ({
      source: index + 1,
      cells: [
        emailOf(cell(row, 'person')),
        cell(row, 'plan') || fallback,
        cell(row, 'effectiveStart'),
        cell(row, 'effectiveEnd'),
      ],
    })),
    problems: [
      hasColumn(matched, 'person') ? null : 'Choose the column with the people.',
      hasColumn(matched, 'plan') || fallback !== '' ? null : 'There is no plan yet.',
    ].filter((problem) => problem !== null),
  };
}

export const assignmentImport: ImportKind = {
  key: 'assignments',
  title: 'Import assignments',
  one: 'assignment',
  many: 'assignments',
  intro: 'One row for each person and plan. Without dates, the person is on the plan as long as it lasts.',
  example: [
    ['Person', 'Plan', 'Start'],
    ['Dana Whitfield', 'AE plan FY26', '2026-01-01'],
  ],
  targets,
  keepsColumns: false,
  options: (matched) => {
    if (hasColumn(matched, 'plan')) return [];
    const plans = matched.context.plans.filter(({ planStatus }) => planStatus !== 'archived');
    return [
      {
        key: 'plan',
        label: 'Plan of everyone in the file',
        type: 'choice',
        choices: plans.map(({ name }) => [name, name] as const),
        initial: plans[0]?.name ?? '',
      },
    ];
  },
  prepare,
  async send(csv, given) {
    return toOutcome(await api.importAssignments({ query: fileQuery(given), upload: toUpload(csv) }));
  },
};
