import { isWithin } from '#src/client.js';
import { type Dashboard, type Plan, type SimulatedDeal, type Simulation } from '../../api/queries.js';
import { difference, signOf, sumAmounts } from '../../shared/format/exact.js';
import {
  daysOf,
  isFiscal,
  type PeriodLength,
  periodAt,
  shiftPeriod,
  toPeriodLength,
} from '../../shared/format/periods.js';
import { mainQuota, wonStage } from './attainment.js';
import { countMonths, listRules } from './rules.js';

/**
 * The quarters to calculate: those of the close dates, and where a rule adds up more than a quarter, the other quarters
 * of its period, since a deal can change what earlier and later deals of the period pay.
 */
export function listSimulatedQuarters(plans: readonly Plan[], closeDates: readonly string[], today: string): string[] {
  const days = closeDates.length === 0 ? [today] : closeDates;
  const rules = plans.flatMap(listRules);
  const longest = Math.max(3, ...rules.map(countMonths)) as PeriodLength;
  const calendar = rules.some((rule) => rule.calendar === 'fiscal') ? 'fiscal' : 'calendar';
  const quarters = days.flatMap((day) => listQuarters(periodAt(day, longest, calendar)));
  return [...new Set(quarters)].sort();
}

function listQuarters(period: string): string[] {
  const first = periodAt(daysOf(period).from, 3, isFiscal(period) ? 'fiscal' : 'calendar');
  return Array.from({ length: toPeriodLength(period) / 3 }, (_, index) => shiftPeriod(first, index));
}

/** A deal that is chosen to close. */
export type ChosenDeal = Omit<SimulatedDeal, 'stage'>;

/** An open deal as a person varies it, with texts. */
export interface EnteredDeal {
  readonly isChosen: boolean;
  readonly amount: string;
  readonly closeDate: string;
}

/** Why a deal cannot be calculated as it was entered; null if it can. */
export function chosenProblem({ isChosen, amount, closeDate }: EnteredDeal): string | null {
  if (!isChosen) return null;
  if (amount === '') return 'Enter the amount with which the deal closes. Until then it is not included.';
  return closeDate === '' ? 'Enter the day on which the deal closes. Until then it is not included.' : null;
}

/** The chosen deals that can be calculated. */
export function readChosenDeals(entered: Readonly<Record<string, EnteredDeal>>): ChosenDeal[] {
  return Object.entries(entered)
    .filter(([, deal]) => deal.isChosen && chosenProblem(deal) === null)
    .map(([dealId, { amount, closeDate }]) => ({ dealId, amount: Number(amount), closeDate }));
}

/** The deals as the plan counts them as won: plans may name different stages. */
export function wonUnder(plan: Plan, deals: readonly ChosenDeal[]): readonly SimulatedDeal[] {
  return deals.map((deal) => ({ ...deal, stage: wonStage(plan) }));
}

/** What one plan pays in a quarter with and without the chosen deals. */
export interface SimulatedPlan {
  readonly plan: Plan;
  readonly before: Simulation;
  readonly after: Simulation;
}

export interface QuarterResult {
  readonly period: string;
  readonly currency: string;
  /** What the deals would add to the earnings. */
  readonly addition: string;
  /** What My pay would then show for the quarter: everything that is earned, adjustments included, and the addition. */
  readonly total: string;
  /** The attainment of the quota that My pay shows first; null without a quota. */
  readonly attainment: number | null;
}

type Earned = Pick<Dashboard, 'currency' | 'earnings' | 'otherCurrencies'>;

/** The results of a quarter, one for each currency in which it pays. The first is that of the workspace. */
export function computeQuarterResults(
  period: string,
  simulated: readonly SimulatedPlan[],
  dashboard: Earned,
): QuarterResult[] {
  const totals = new Map([
    [dashboard.currency, dashboard.earnings.total],
    ...dashboard.otherCurrencies.map(({ currency, earnings }) => [currency, earnings.total] as const),
  ]);
  const currencies = new Set([dashboard.currency, ...simulated.flatMap(({ after }) => currenciesOf(after))]);
  return [...currencies].flatMap((currency) => {
    const inCurrency = simulated.filter(({ after }) => currenciesOf(after).includes(currency));
    if (inCurrency.length === 0 && simulated.length > 0) return [];
    const addition = sumAmounts(
      inCurrency.map(({ before, after }) => difference(totalIn(after, currency), totalIn(before, currency))),
    );
    return [
      {
        period,
        currency,
        addition,
        total: sumAmounts([totals.get(currency) ?? 0, addition]),
        attainment: computeAttainment(inCurrency),
      },
    ];
  });
}

/** Versions of a plan may pay in several currencies. */
function currenciesOf({ currency, otherCurrencies = [] }: Simulation): string[] {
  return [currency, ...otherCurrencies.map((other) => other.currency)];
}

function totalIn({ currency, total, otherCurrencies = [] }: Simulation, code: string): number {
  return code === currency ? total : (otherCurrencies.find((other) => other.currency === code)?.total ?? 0);
}

function computeAttainment(simulated: readonly SimulatedPlan[]): number | null {
  const quotas = simulated.flatMap(({ plan: { planId }, after }) =>
    (after.reps[0]?.attainment ?? []).flatMap((row) =>
      row.target === null ? [] : [{ ...row, planId, target: row.target }],
    ),
  );
  const main = mainQuota(
    quotas,
    simulated.map(({ plan }) => plan),
  );
  return main?.quota.attainment ?? null;
}

/** A quota that is not set, and the rules that therefore do not pay on a chosen deal. */
export interface MissingQuota {
  readonly period: string;
  readonly rules: readonly string[];
}

/** The quotas that chosen deals need. */
export function listMissingQuotas(
  simulated: readonly SimulatedPlan[],
  closeDates: ReadonlyMap<string, string>,
): readonly MissingQuota[] {
  const missing = new Map<string, Set<string>>();
  for (const { plan, after } of simulated)
    for (const { dealId, ruleName, reason } of after.reps[0]?.outcomes ?? []) {
      const closeDate = closeDates.get(dealId);
      const rule = listRules(plan).find(({ name }) => name === ruleName);
      if (reason !== 'quota_missing' || closeDate === undefined || rule === undefined) continue;
      const period = periodAt(closeDate, countMonths(rule), rule.calendar);
      missing.set(period, (missing.get(period) ?? new Set()).add(rule.name));
    }
  return [...missing].sort().map(([period, rules]) => ({ period, rules: [...rules] }));
}

/** The sum of the additions by currency. */
export function sumAdditions(results: readonly QuarterResult[]): readonly (readonly [currency: string, sum: string])[] {
  const currencies = [...new Set(results.map(({ currency }) => currency))];
  return currencies.map((currency) => [
    currency,
    sumAmounts(results.filter((result) => result.currency === currency).map(({ addition }) => addition)),
  ]);
}

/** The quarters to show: those in which chosen deals close, and others whose amounts the deals change. */
export function selectVisibleResults(
  results: readonly QuarterResult[],
  closeDates: readonly string[],
  today: string,
): readonly QuarterResult[] {
  const days = closeDates.length === 0 ? [today] : closeDates;
  const isOfDay = (period: string) => days.some((day) => isWithin(day, daysOf(period)));
  return results.filter(({ period, addition }) => isOfDay(period) || signOf(addition) !== 0);
}
