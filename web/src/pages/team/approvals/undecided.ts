import { type UseQueryResult } from '@tanstack/react-query';
import { type Discrepancy } from '../../../api/team-queries.js';
import { sumByCurrency, sumWords } from '../../../features/statements/pay-sums.js';
import { daysOf, formatPeriod } from '../../../shared/format/periods.js';

type Difference = Pick<
  Discrepancy,
  'discrepancyId' | 'repId' | 'repName' | 'period' | 'delta' | 'currency' | 'otherCurrencies'
>;

/** Nothing is confirmed before it is known what is undecided: the action is busy until then, and closed if that does not load. */
export function confirmableWith({ data, error }: Pick<UseQueryResult<unknown>, 'data' | 'error'>) {
  return { isBusy: data === undefined && error === null, disabled: data === undefined && error !== null };
}

/** The open differences of the people in periods that ended before the given one, such as "Rosa Diaz, September 2026: +$684.00". */
export function undecidedBefore(
  open: readonly Difference[],
  period: string,
  repIds: ReadonlySet<string>,
): readonly { readonly discrepancyId: string; readonly words: string }[] {
  const { from } = daysOf(period);
  return open
    .filter((difference) => repIds.has(difference.repId) && daysOf(difference.period).to < from)
    .map(({ discrepancyId, repName, period: earlier, delta, currency, otherCurrencies }) => {
      const sums = sumByCurrency(
        [{ currency, amount: delta }, ...otherCurrencies.map((other) => ({ ...other, amount: other.delta }))],
        currency,
      );
      return { discrepancyId, words: `${repName}, ${formatPeriod(earlier)}: ${sumWords(sums, ' and ', true)}` };
    });
}
