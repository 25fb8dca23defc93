import { api } from '../../api/client.js';
import { type Plan } from '../../api/queries.js';
import { listRules, needsQuota } from '../plans/rules.js';
import { sendingRows } from './columns.js';
import { readPeriod } from './dates.js';
import {
  bare,
  cellReader,
  columnNames,
  emailFinder,
  hasColumn,
  type ImportKind,
  type ImportOption,
  type Matched,
  type Prepared,
  type PreparedRow,
  periodPrefix,
  personTarget,
  type Target,
} from './kind.js';

const targets: readonly Target[] = [
  personTarget,
  { key: 'plan', label: 'Plan', names: columnNames('quotas', 'plan'), values: 'plan' },
  { key: 'measure', label: 'Rule', names: columnNames('quotas', 'measure'), values: 'text' },
  {
    key: 'period',
    label: 'Period',
    names: [...columnNames('quotas', 'period'), 'quarter', 'month', 'year'],
    values: 'period',
  },
  {
    key: 'target',
    label: 'Target',
    names: [...columnNames('quotas', 'target'), 'goal'],
    like: /target|quota/,
    values: 'number',
  },
  {
    key: 'variableTarget',
    label: 'Variable pay at 100 %',
    names: [...columnNames('quotas', 'variableTarget'), 'ote', 'variable'],
    like: /variable/,
    values: 'number',
  },
];

/** The rules that quotas are set for, by their id, as plan and rule. */
export function quotaRules(plans: readonly Plan[]): readonly (readonly [ruleId: string, label: string])[] {
  return plans
    .filter(({ planStatus }) => planStatus !== 'deleted' && planStatus !== 'archived')
    .flatMap((plan) =>
      listRules(plan)
        .filter(({ executionPhase }) => executionPhase !== 'cascade')
        .map((rule) => [rule.id, `${plan.name}: ${rule.name}`] as const),
    );
}

/** The rules that pay by a quota, or count towards one that they share; all if there is none. */
function rulesWithQuota(plans: readonly Plan[]): ReturnType<typeof quotaRules> {
  const counting = plans.flatMap((plan) =>
    listRules(plan).filter((rule) => needsQuota(rule) || rule.quotaGroup !== undefined),
  );
  const ids = new Set(counting.map(({ id }) => id));
  const all = quotaRules(plans);
  const found = all.filter(([id]) => ids.has(id));
  return found.length === 0 ? all : found;
}

function options(matched: Omit<Matched, 'options'>): readonly ImportOption[] {
  const rules = rulesWithQuota(matched.context.plans);
  const hasRule = hasColumn(matched, 'measure') && hasColumn(matched, 'plan');
  const hasPeriod = hasColumn(matched, 'period') || matched.columns.some((key) => key.startsWith(periodPrefix));
  const offered: readonly (ImportOption | false)[] = [
    !hasRule && {
      key: 'rule',
      label: 'Rule of the quotas',
      type: 'choice',
      choices: rules,
      initial: rules[0]?.[0] ?? '',
    },
    !hasPeriod && {
      key: 'period',
      label: 'Period of the quotas',
      hint: 'Such as 2026-Q3, 2026-07 or 2026.',
      type: 'text',
      initial: '',
    },
  ];
  return offered.filter((option) => option !== false);
}

const header = ['email', 'planRuleId', 'plan', 'measure', 'period', 'target', 'variableTarget'] as const;

/** One target for each row, or for each column with the name of a period. */
function prepare(matched: Matched): Prepared {
  const { table, columns, options: chosen, context } = matched;
  const cell = cellReader(matched);
  const emailOf = emailFinder(context.people);
  const ruleOf = ruleFinder(context.plans, chosen['rule'] ?? '');
  const periods = columns.flatMap((key, index) =>
    key.startsWith(periodPrefix) ? [{ period: key.slice(periodPrefix.length), index }] : [],
  );
  const rows = table.rows.flatMap((row, index): PreparedRow[] => {
    const rule = ruleOf(cell(row, 'plan'), cell(row, 'measure'));
    const line = (period: string, target: string): PreparedRow => ({
      source: index + 1,
      cells: [emailOf(cell(row, 'person')), ...rule, period, target, cell(row, 'variableTarget')],
    });
    if (periods.length > 0)
      return periods
        .filter((period) => (row[period.index] ?? '').trim() !== '')
        .map((period) => line(period.period, (row[period.index] ?? '').trim()));
    const period = cell(row, 'period') || (chosen['period'] ?? '');
    return [line(readPeriod(period) ?? period, cell(row, 'target'))];
  });
  return { header, rows, problems: listProblems(matched, periods.length) };
}

/** The id of the rule if a plan of that name has it; otherwise the names, which the service reports as unknown. */
function ruleFinder(plans: readonly Plan[], fallback: string): (plan: string, measure: string) => string[] {
  return (planName, measure) => {
    if (planName === '' && measure === '') return [fallback, '', ''];
    const found = plans
      .filter(({ name }) => planName === '' || bare(name) === bare(planName))
      .flatMap((plan) => listRules(plan).filter(({ name }) => measure === '' || bare(name) === bare(measure)));
    return found.length === 1 ? [found[0]?.id ?? '', '', ''] : ['', planName, measure];
  };
}

function listProblems(matched: Matched, periodColumns: number): string[] {
  const { options: chosen } = matched;
  return [
    hasColumn(matched, 'person') ? null : 'Choose the column with the people.',
    periodColumns > 0 || hasColumn(matched, 'target') ? null : 'Choose the column with the targets.',
    periodColumns > 0 || hasColumn(matched, 'period') || readPeriod(chosen['period'] ?? '') !== null
      ? null
      : 'Enter the period of the quotas, such as 2026-Q3.',
    hasColumn(matched, 'plan') || (chosen['rule'] ?? '') !== '' ? null : 'There is no plan with a rule yet.',
  ].filter((problem) => problem !== null);
}

export const quotaImport: ImportKind = {
  key: 'quotas',
  title: 'Import quotas',
  one: 'quota',
  many: 'quotas',
  intro: 'One row for each person, with a column for each period; or one row for each person and period.',
  example: [
    ['Person', '2026-Q1', '2026-Q2'],
    ['Dana Whitfield', '250,000', '250,000'],
  ],
  targets,
  keepsColumns: false,
  suggest: (name) => {
    const period = readPeriod(name);
    return period === null ? null : `${periodPrefix}${period}`;
  },
  options,
  prepare,
  send: sendingRows((request) => api.importQuotas(request)),
};
