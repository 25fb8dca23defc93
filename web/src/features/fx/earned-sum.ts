import { type Dashboard } from '../../api/queries.js';
import { formatDay } from '../../shared/format/dates.js';
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
