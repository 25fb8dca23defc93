import { type z } from 'zod';
import { type PlanTerms } from '../engine/plan-config.js';
import { type RateTable } from '../engine/rate-table.js';
import { type rateTableInput, rateTableProblems } from '../engine/rate-table-input.js';
import { type TableProblem, tableProblems } from '../engine/table-use.js';
import { Failure, invalid, rejectAny } from '../kernel/failure.js';

/** Rejects terms whose tiers name tables or columns that do not exist, or that the rule cannot use. */
export function assertTablesFit(
  terms: PlanTerms,
  tables: readonly RateTable[],
  currency: string,
  root = 'config.',
): void {
  const problems = [...tableProblems(terms, tables, currency)].map(
    (problem): TableProblem => ({ ...problem, path: `${root}${problem.path}` }),
  );
  const coded = problems.find(({ code }) => code !== undefined);
  if (coded?.code !== undefined)
    throw new Failure(coded.code, `${coded.path}: ${coded.message}.`, { path: coded.path });
  rejectAny(problems);
}

/** The stored tables. A table of the request replaces the stored one with its name. */
export function withSentTables(
  stored: readonly RateTable[],
  sent: readonly z.output<typeof rateTableInput>[],
  path: string,
): readonly RateTable[] {
  for (const [index, table] of sent.entries())
    for (const problem of rateTableProblems(table)) {
      const place = `${path}.${index}.${problem.path}`;
      if (problem.code === undefined) throw invalid({ ...problem, path: place });
      throw new Failure(problem.code, `${place} ${problem.message}.`, { path: place });
    }
  const names = new Set(sent.map(({ name }) => name.toLowerCase()));
  return [...stored.filter(({ name }) => !names.has(name.toLowerCase())), ...sent];
}

/** What goes wrong with rate tables of a plan. */
export const tableFailures = {
  rate_table_not_found: 400,
  column_not_found: 400,
  currency_differs: 400,
} as const;

export const sentTableFailures = { ...tableFailures, value_missing: 400, rows_overlap: 400 } as const;
