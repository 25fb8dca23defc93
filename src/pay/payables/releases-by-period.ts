import { addTo } from '../../kernel/add-to.js';
import { addDays, addMonths, type Day, latestDay } from '../../kernel/day.js';
import { type Decimal } from '../../kernel/decimal.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { type Period } from '../../kernel/period.js';
import { computeLines, type RepPayables } from './build-payables.js';
import { PayHistory } from './load-pay-history.js';
import { type NamedPeriod, type PayPeriods } from './pay-periods.js';
import { computeEarned } from './release.js';
import { findLastRelease } from './share.js';

/** What pay periods release of a group, by period. What no period releases is under `null`. */
export type Releases = ReadonlyMap<Period | null, Decimal>;

/** Pay periods that begin later than this number of months from today count as time without a date. */
const shownMonths = 60;

/**
 * The releases by key of group. The amounts of a group in all periods add up to what is earned. Of periods that do not pay,
 * the next one that pays releases what they would.
 */
export function releasesByPeriod(
  payables: Pick<RepPayables, 'groups' | 'history'>,
  payPeriods: PayPeriods,
  today: Day,
  isPaying: (named: NamedPeriod) => boolean = () => true,
): ReadonlyMap<string, Releases> {
  const { groups } = payables;
  const periods = payPeriods.until(lastDay(payables, today)).filter(isPaying);
  const releases = new Map<string, Map<Period | null, Decimal>>();
  const add = (key: string, period: Period | null, amount: Decimal) => {
    const ofGroup = getOrInsert(releases, key, () => new Map<Period | null, Decimal>());
    addTo(ofGroup, period, amount);
  };
  const { byPeriod, paid } = computeLines(payables, periods);
  for (const [period, lines] of byPeriod) for (const { key, amount } of lines) add(key, period, amount);
  for (const group of groups) add(group.key, null, computeEarned(group, latestDay));
  for (const [key, amount] of paid) add(key, null, amount.negated());
  return releases;
}

/** What pay periods release, in one currency; the period is null for what none of them releases. */
export interface ReleasedSum {
  readonly period: Period | null;
  readonly currency: string;
  readonly amount: Decimal;
}

/** The sums of the releases in the order of the periods. Without a history, they follow the terms, whatever is paid. */
export function sumReleases(
  { groups, history = new PayHistory([], []) }: Pick<RepPayables, 'groups'> & Partial<Pick<RepPayables, 'history'>>,
  payPeriods: PayPeriods,
  today: Day,
  isPaying?: (named: NamedPeriod) => boolean,
): ReleasedSum[] {
  const sums = new Map<Period | null, Map<string, Decimal>>();
  const releases = releasesByPeriod({ groups, history }, payPeriods, today, isPaying);
  for (const group of groups)
    for (const [period, amount] of releases.get(group.key) ?? []) {
      const ofPeriod = getOrInsert(sums, period, () => new Map<string, Decimal>());
      addTo(ofPeriod, group.currency, amount);
    }
  return payPeriods
    .inOrder([...sums.keys()])
    .flatMap((period) =>
      [...(sums.get(period) ?? [])]
        .filter(([, amount]) => !amount.isZero())
        .map(([currency, amount]) => ({ period, currency, amount })),
    );
}

/** The last day on which a group is known to be released or freed. */
function lastDay({ groups, history }: Pick<RepPayables, 'groups' | 'history'>, today: Day): Day {
  const days = groups.flatMap(({ rows, share, holds }) => [
    ...rows.map(({ day }) => day),
    ...holds.flatMap(({ to }) => (to === null ? [] : addDays(to, 1))),
    findLastRelease(share) ?? today,
  ]);
  const last = days.reduce((latest, day) => (day > latest ? day : latest), history.lastDay(today));
  const limit = addMonths(today, shownMonths);
  return last > limit ? limit : last;
}
