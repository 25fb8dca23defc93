import { type Dashboard } from '../../api/queries.js';
import { formatDay } from '../../shared/format/dates.js';
import { difference } from '../../shared/format/exact.js';
import { formatMoney, formatNumber } from '../../shared/format/numbers.js';

/** What was earned, by currency, and the sum in that of the workspace where there are exchange rates. */
export type EarnedSums = Pick<Dashboard, 'converted' | 'currency' | 'earnings' | 'otherCurrencies'>;

/** The sum of all currencies if their rates are known, otherwise what was earned in the currency of the workspace. */
export function earnedTotal({ earnings, converted }: Pick<EarnedSums, 'converted' | 'earnings'>): number {
  return converted?.total ?? earnings.total;
}

/** Whether the sum leaves out a currency without a rate, so that it cannot be compared with another. */
export function leavesOut({ converted }: Pick<EarnedSums, 'converted'>): boolean {
  return converted !== undefined && converted.total === null;
}

/**
 * The change of what was earned. A person who earns in one other currency is compared in it, so that a rate moves nothing;
 * null where a currency without a rate is left out.
 */
export function changeSince(
  now: Earned,
  then: Earned,
  currency: string,
): { readonly amount: string; readonly currency: string } | null {
  const [of, ofThen] = [onlyCurrency(now), onlyCurrency(then)];
  if (of !== undefined && of === ofThen)
    return { amount: difference(totalIn(now, of), totalIn(then, of)), currency: of };
  return leavesOut(now) || leavesOut(then)
    ? null
    : { amount: difference(earnedTotal(now), earnedTotal(then)), currency };
}

type Earned = Pick<EarnedSums, 'converted' | 'earnings' | 'otherCurrencies'>;

/** The other currency if nothing was earned in that of the workspace. */
function onlyCurrency({ earnings, otherCurrencies }: Earned): string | undefined {
  return earnings.total === 0 && otherCurrencies.length === 1 ? otherCurrencies[0]?.currency : undefined;
}

function totalIn({ otherCurrencies }: Earned, currency: string): number {
  return otherCurrencies.find((other) => other.currency === currency)?.earnings.total ?? 0;
}

/** The parts of the sum with their rates; for a currency without one, why it is apart. */
export function earnedParts({ currency, earnings, otherCurrencies, converted }: EarnedSums): readonly string[] {
  const amounts = otherCurrencies.map(({ currency: code, earnings: { total } }) => ({
    code,
    written: formatMoney(total, code, { unit: 'code' }),
  }));
  if (converted === undefined) return amounts.map(({ written }) => written);
  const parts = amounts.map(({ code, written }) => {
    if (converted.missing.includes(code)) return `${written} apart: no exchange rate to ${currency}`;
    const rate = converted.rates.find(({ from }) => from === code);
    if (rate === undefined) return written;
    const until = rate.provisional === true ? 'the latest rate so far' : `the rate of ${formatDay(rate.day, 'long')}`;
    return `${written} × ${formatNumber(rate.rate, 10)}, ${until}`;
  });
  const own = formatMoney(earnings.total, currency, { unit: 'code' });
  return converted.total === null ? parts : [own, ...parts.map((part) => `+ ${part}`)];
}
