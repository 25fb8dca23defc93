import { type Issue } from '../kernel/failure.js';
import { isPersonField } from './person-facts.js';
import { type PlanTerms, type Rule, type TierPay } from './plan-config.js';
import { payInColumn, type RateTable } from './rate-table.js';
import { hasBaseOfLines, namesLines } from './rule-lines.js';
import { findColumn, findTable, isAttainmentField } from './rule-table.js';

type TableCode = 'rate_table_not_found' | 'column_not_found' | 'currency_differs';

/** Why a plan cannot use a table; with a code where the table itself is missing or does not fit. */
export interface TableProblem extends Issue {
  readonly code?: TableCode;
}

/** The problems of the tables that the tiers of a plan name. `currency` is that of the plan. */
export function* tableProblems(
  { rules }: PlanTerms,
  tables: readonly RateTable[],
  currency: string,
): Generator<TableProblem> {
  for (const [index, rule] of rules.entries())
    for (const [position, tier] of rule.tiers.entries())
      yield* problemsOfTier(rule, tier, `rules.${index}.tiers.${position}`, { tables, currency });
}

/** The problems of the table that one tier of a rule, or an override of it, names. */
export function* problemsOfTier(
  rule: Rule,
  { table: name, column: columnName }: TierPay,
  path: string,
  { tables, currency }: { readonly tables: readonly RateTable[]; readonly currency: string },
): Generator<TableProblem> {
  if (name === undefined) return;
  const table = findTable(tables, name);
  if (table === undefined)
    return yield { path: `${path}.table`, message: `there is no rate table ${name}`, code: 'rate_table_not_found' };
  const column = findColumn(table, columnName);
  if (column === undefined) {
    const message =
      columnName === undefined
        ? `is required: ${table.name} has several columns`
        : `${table.name} has no column ${columnName}`;
    return yield { path: `${path}.column`, message, code: 'column_not_found' };
  }
  for (const { field } of table.keys) {
    const message = keyProblem(rule, field);
    if (message !== null) yield { path: `${path}.table`, message: `${table.name} ${message}` };
  }
  const kinds = new Set(table.rows.map((row) => payInColumn(row, column).kind));
  if (kinds.has('perUnit') && !hasBaseOfLines(rule))
    yield { path: `${path}.table`, message: `${table.name} pays for units of lines, so that the base must name lines` };
  const hasAmounts = kinds.has('amount') || kinds.has('perUnit');
  if (hasAmounts && table.currency != null && table.currency !== currency)
    yield {
      path: `${path}.table`,
      message: `the amounts of ${table.name} are in ${table.currency}, the plan is in ${currency}`,
      code: 'currency_differs',
    };
}

function keyProblem(rule: Rule, field: string): string | null {
  const isPeriodic = rule.executionPhase === 'periodic';
  if (isAttainmentField(field)) return isPeriodic ? null : `looks up ${field}, which only periodic rules have`;
  if (isPersonField(field)) return null;
  if (isPeriodic) return `looks up ${field}; a periodic rule has only fields of people and attainment`;
  if (namesLines(field) && !hasBaseOfLines(rule))
    return `looks up ${field}, so that the rule needs lines and a base of lines`;
  return null;
}
