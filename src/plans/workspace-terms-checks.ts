import { leavesOf } from '../engine/condition.js';
import { type PlanTerms } from '../engine/plan-config.js';
import { tableProblems } from '../engine/table-use.js';
import { Failure, invalid } from '../kernel/failure.js';
import { groupBy } from '../kernel/group-by.js';
import { type Period } from '../kernel/period.js';
import { isFiscalPeriod, toCalendar } from '../kernel/period-calendar.js';
import { loadFiscalYears } from '../ledger/input/calendar.js';
import { loadVersions, loadWorkspaceTerms, payingVersions } from '../ledger/input/rep-terms.js';
import { repNotFound } from '../people/reps/rep.js';
import { unknownReps } from '../people/reps/rep-views.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { loadRuleNames } from './plan-store.js';
import { listUsingPlans } from './rate-tables/rate-table-views.js';
import { assertTablesFit } from './table-checks.js';

/** Rejects terms that name a rule, a rep or a fiscal year that the workspace does not have. */
export async function assertTermsFit(tx: Transaction, terms: PlanTerms, planCurrency: string | null): Promise<void> {
  await assertTablesKnown(tx, terms, planCurrency);
  await assertFiscalYearsKnown(tx, terms);
  assertUpstreamKnown(terms, await loadRuleNames(tx));
  const owners = new Set(terms.rules.flatMap((rule) => rule.tiers.flatMap((tier) => tier.repId ?? [])));
  const unknown = owners.size === 0 ? [] : await unknownReps(tx, [...owners]);
  if (unknown.length > 0) throw repNotFound(unknown);
}

/** Rejects stored versions of the plan whose tiers name tables or columns that do not exist, or that the rule cannot use. */
export async function assertTablesOfVersionsFit(
  tx: Transaction,
  planId: string,
  planVersionIds: readonly string[],
): Promise<void> {
  if (planVersionIds.length === 0) return;
  const workspace = await loadWorkspaceTerms(tx);
  for (const version of await loadVersions(tx, [planId], workspace))
    if (planVersionIds.includes(version.planVersionId)) assertTablesFit(version, workspace.tables, version.currency);
}

/** Rejects a currency of the workspace with which an active plan cannot use the amounts of its tables. */
export async function assertTablesFitCurrency(tx: Transaction, currency: string): Promise<void> {
  const plans = new Map((await listUsingPlans(tx)).map(({ planId, name }) => [planId, name]));
  const workspace = await loadWorkspaceTerms(tx);
  const versions = groupBy(
    await loadVersions(tx, [...plans.keys()], { ...workspace, currency }),
    ({ planId }) => planId,
  );
  for (const [planId, name] of plans) {
    const problems = payingVersions(versions.get(planId) ?? []).flatMap((version) => [
      ...tableProblems(version, workspace.tables, version.currency),
    ]);
    const differing = problems.find(({ code }) => code === 'currency_differs');
    if (differing !== undefined)
      throw new Failure(
        'currency_differs',
        `The active plan ${name} cannot use its rate table: ${differing.message}. Give the plan a currency first.`,
        { planId },
      );
  }
}

/** A plan without a currency has that of the workspace. */
async function assertTablesKnown(tx: Transaction, terms: PlanTerms, planCurrency: string | null): Promise<void> {
  if (!terms.rules.some(({ tiers }) => tiers.some(({ table }) => table !== undefined))) return;
  const { tables, currency } = await loadWorkspaceTerms(tx);
  assertTablesFit(terms, tables, planCurrency ?? currency);
}

/** A rule of the fiscal calendar pays on no day outside of fiscal years, and no date lies in an unknown one. */
async function assertFiscalYearsKnown(tx: Transaction, terms: PlanTerms): Promise<void> {
  const fiscalRule = terms.rules.findIndex(({ calendar }) => calendar === 'fiscal');
  const compared = listFiscalPeriods(terms);
  if (fiscalRule < 0 && compared.length === 0) return;
  const years = await loadFiscalYears(tx);
  if (fiscalRule >= 0 && years.length === 0)
    throw invalid({
      path: `config.rules.${fiscalRule}.calendar`,
      message: 'must be calendar: no fiscal year is defined (PUT /v1/fiscal-years)',
    });
  const calendar = toCalendar(years);
  for (const { period, path } of compared) calendar.range(period, path);
}

/** The fiscal periods with which conditions compare dates. */
function listFiscalPeriods({ dealConditions, rules }: PlanTerms): { readonly period: Period; readonly path: string }[] {
  const lists = [
    { conditions: dealConditions, path: 'config.dealConditions' },
    ...rules.map(({ conditions }, index) => ({ conditions, path: `config.rules.${index}.conditions` })),
  ];
  return lists.flatMap(({ conditions, path }) =>
    leavesOf(conditions)
      .filter(({ operator }) => operator === 'in_period')
      .map(({ value }) => ({ period: String(value), path }))
      .filter(({ period }) => isFiscalPeriod(period)),
  );
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
