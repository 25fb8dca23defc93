import { type Condition } from '../engine/condition.js';
import { type PlanTerms } from '../engine/plan-config.js';
import { invalid } from '../kernel/failure.js';
import { type FiscalYear, isFiscalPeriod, toCalendar } from '../kernel/period-calendar.js';
import { loadFiscalYears } from '../ledger/input/calendar.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { repNotFound } from '../reps/rep.js';
import { unknownReps } from '../reps/rep-views.js';
import { loadRuleNames } from './plan-store.js';

/** Rejects terms that name a rule, a rep or a fiscal year that the workspace does not have. */
export async function assertTermsFit(tx: Transaction, terms: PlanTerms): Promise<void> {
  if (readsFiscalYears(terms)) assertFiscalYearsKnown(terms, await loadFiscalYears(tx));
  assertUpstreamKnown(terms, await loadRuleNames(tx));
  const owners = new Set(terms.rules.flatMap((rule) => rule.tiers.flatMap((tier) => tier.repId ?? [])));
  const unknown = owners.size === 0 ? [] : await unknownReps(tx, [...owners]);
  if (unknown.length > 0) throw repNotFound(unknown);
}

function readsFiscalYears({ rules, dealConditions }: PlanTerms): boolean {
  return (
    rules.some(({ calendar }) => calendar === 'fiscal') ||
    [dealConditions, ...rules.map(({ conditions }) => conditions)].some((list) => fiscalPeriodsIn(list).length > 0)
  );
}

/** A rule of the fiscal calendar pays on no day outside of fiscal years, and no date lies in an unknown one. */
function assertFiscalYearsKnown({ rules, dealConditions }: PlanTerms, years: readonly FiscalYear[]): void {
  const calendar = toCalendar(years);
  for (const [index, rule] of rules.entries())
    if (rule.calendar === 'fiscal' && years.length === 0)
      throw invalid({
        path: `config.rules.${index}.calendar`,
        message: 'must be calendar: no fiscal year is defined (PUT /v1/fiscal-years)',
      });
  for (const period of fiscalPeriodsIn(dealConditions)) calendar.range(period, 'config.dealConditions');
  for (const [index, { conditions }] of rules.entries())
    for (const period of fiscalPeriodsIn(conditions)) calendar.range(period, `config.rules.${index}.conditions`);
}

/** The fiscal periods with which the conditions compare dates. */
function fiscalPeriodsIn(conditions: readonly Condition[]): string[] {
  return conditions
    .flatMap((condition) => ('rules' in condition ? condition.rules : [condition]))
    .filter(({ operator }) => operator === 'in_period')
    .map(({ value }) => String(value))
    .filter(isFiscalPeriod);
}

/** A cascade may also depend on a rule of another plan. A name that no plan has is rejected as a mistake. */
function assertUpstreamKnown({ rules }: PlanTerms, rulesOfOtherPlans: ReadonlySet<string>): void {
  const known = new Set(['_total', ...rules.map(({ name }) => name), ...rulesOfOtherPlans]);
  for (const [index, { dependsOn }] of rules.entries())
    if (dependsOn !== undefined && !known.has(dependsOn))
      throw invalid({
        path: `config.rules.${index}.dependsOn`,
        message: `no rule is named ${dependsOn}; use a rule of an existing plan, or _total`,
      });
}
