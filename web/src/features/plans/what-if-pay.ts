import { type Simulation } from '../../api/queries.js';
import { absolute, difference, signOf, sumAmounts } from '../../shared/format/exact.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { daysOf, formatPeriod } from '../../shared/format/periods.js';
import { type QuarterResult, type SimulatedPlan, sumAdditions } from './what-if.js';

type Amount = { readonly currency: string; readonly amount: string };

/** What a pay period releases of the addition; the period is null for what waits for a day that is not known. */
export type ReleasedAddition = Amount & { readonly period: string | null };

/** What of the addition a deal pays itself; the deal is null for what it adds to others. */
export type AddedPart = Amount & { readonly dealId: string | null };

/** When the addition is paid, in the order of the pay periods. Empty without payouts. */
export function listReleases(simulated: readonly SimulatedPlan[]): readonly ReleasedAddition[] {
  const before = simulated.flatMap((each) => releasesOf(each.before));
  const after = simulated.flatMap((each) => releasesOf(each.after));
  const keys = new Map([...before, ...after].map((each) => [`${each.period} ${each.currency}`, each]));
  const startOf = (period: string | null) => (period === null ? '9999' : daysOf(period).from);
  return [...keys.values()]
    .map(({ period, currency }) => {
      const sumOf = (all: typeof after) =>
        sumAmounts(
          all.filter((each) => each.period === period && each.currency === currency).map(({ amount }) => amount),
        );
      return { period, currency, amount: difference(sumOf(after), sumOf(before)) };
    })
    .filter(({ amount }) => signOf(amount) !== 0)
    .toSorted((a, b) => (startOf(a.period) < startOf(b.period) ? -1 : 1));
}

function releasesOf({ reps }: Simulation) {
  return reps.flatMap(({ byPayPeriod = [] }) => byPayPeriod);
}

/** What each chosen deal adds itself, and what all of them add to other deals. */
export function listParts(
  simulated: readonly SimulatedPlan[],
  dealIds: readonly string[],
  results: readonly QuarterResult[],
): readonly AddedPart[] {
  return sumAdditions(results).flatMap(([currency, addition]) => {
    const own = dealIds.map((dealId) => {
      const sumOf = (simulation: Simulation) => sumAmounts(paidFor(simulation, dealId, currency));
      const added = simulated.map(({ before, after }) => difference(sumOf(after), sumOf(before)));
      return { dealId, currency, amount: sumAmounts(added) };
    });
    const rest = difference(addition, sumAmounts(own.map(({ amount }) => amount)));
    const parts = [...own, { dealId: null, currency, amount: rest }];
    return parts.filter(({ amount }) => signOf(amount) !== 0);
  });
}

function paidFor(simulation: Simulation, dealId: string, currency: string): number[] {
  return simulation.reps
    .flatMap(({ rules }) => rules.flatMap(({ deals }) => deals))
    .filter((deal) => deal.dealId === dealId && (deal.currency ?? simulation.currency) === currency)
    .map(({ amount }) => amount);
}

/** When the addition is paid, such as "$2,008.00 in January 2027, $4,012.00 when the customer pays". */
export function releaseWords(releases: readonly ReleasedAddition[]): string {
  return releases
    .map(({ period, currency, amount }) => {
      const money = `${signOf(amount) < 0 ? 'less ' : ''}${formatMoney(absolute(amount), currency)}`;
      return period === null
        ? `${money} when the customer pays or a date is known`
        : `${money} in ${formatPeriod(period)}`;
    })
    .join(', ');
}
