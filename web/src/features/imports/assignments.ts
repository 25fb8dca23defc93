import { api } from '../../api/client.js';
import { prepareColumns, sendingRows, targetsOf } from './columns.js';
import { hasColumn, type ImportKind, type Matched, type Prepared, personTarget } from './kind.js';

const target = targetsOf('assignments');
const targets = [
  personTarget,
  target('plan', 'Plan', 'plan', { like: /plan/ }),
  target('effectiveStart', 'First day', 'date', { like: /start/ }),
  target('effectiveEnd', 'Last day', 'date', { like: /\bend/ }),
];

function prepare(matched: Matched): Prepared {
  const fallback = matched.options['plan'] ?? '';
  return {
    ...prepareColumns(targets, matched, { convert: (text, key) => (key === 'plan' ? text || fallback : text) }),
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
  send: sendingRows((request) => api.importAssignments(request)),
};
