import { sql } from 'kysely';
import { type DayRange } from '../kernel/day.js';
import { type Issue, invalid } from '../kernel/failure.js';
import { loadCalendar } from '../ledger/input/calendar.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { exactAmount } from '../platform/operations/money-digits.js';
import { type EstimateTerms, type StoredEstimate } from './estimate.js';
import { type Month } from './month.js';

/** The estimate with exact amounts. `path` is that of the estimate in the request; null for a row of a file. */
export function toStoredEstimate({ pay, toDate, ...terms }: EstimateTerms, path: string | null): StoredEstimate {
  if ((pay === undefined) === (toDate === undefined))
    throw invalid({ path: path ?? '', message: 'needs either pay or toDate' });
  const exact = (name: 'pay' | 'toDate', amount: number | undefined) =>
    amount === undefined ? null : exactAmount(amount, terms.currency, fieldOf(path, name));
  return { ...terms, pay: exact('pay', pay), toDate: exact('toDate', toDate) };
}

/** Finds what is wrong with an estimate of the month. */
type EstimateCheck = (
  estimate: StoredEstimate,
  of: { readonly month: Month; readonly days: DayRange },
  path: string | null,
) => Issue[];

export async function loadEstimateCheck(tx: Transaction): Promise<EstimateCheck> {
  const calendar = await loadCalendar(tx);
  const rules = await loadRuleNames(tx);
  return ({ planId, ruleName, period }, { month, days: { from, to } }, path) => {
    const range = calendar.range(period, fieldOf(path, 'period'));
    return [
      ...(rules.has(`${planId}|${ruleName}`)
        ? []
        : [{ path: fieldOf(path, 'ruleName'), message: 'is no rule of a version of this plan' }]),
      ...(range.from <= to && range.to > to && from <= range.to
        ? []
        : [{ path: fieldOf(path, 'period'), message: `must contain ${month} and end after it` }]),
    ];
  };
}

function fieldOf(path: string | null, name: string): string {
  return path === null ? name : `${path}.${name}`;
}

async function loadRuleNames(tx: Transaction): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ planId: string; ruleName: string }>`
    select distinct v.plan_id as "planId", r ->> 'name' as "ruleName"
    from plan_versions v cross join jsonb_array_elements(v.config -> 'rules') r
    where v.workspace_id = ${tx.workspaceId}`.execute(tx.db);
  return new Set(rows.map(({ planId, ruleName }) => `${planId}|${ruleName}`));
}
