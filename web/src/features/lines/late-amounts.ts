import { type Breakdown } from '../../api/queries.js';
import { signOf, sumAmounts } from '../../shared/format/exact.js';
import { groupBy } from '../../shared/format/group-by.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';

type Correction = Pick<Breakdown['corrections'][number], 'delta' | 'currency' | 'period' | 'paidIn'>;
type Difference = Pick<Breakdown['openDifferences'][number], 'delta' | 'currency' | 'period' | 'status'>;

/** What a correction was added to: its own statement, or a later one. */
export function correctionWords({ period, paidIn }: Pick<Correction, 'period' | 'paidIn'>): string {
  return period === paidIn
    ? `to the statement of ${formatPeriod(period)}`
    : `to ${formatPeriod(paidIn)} as a correction of ${formatPeriod(period)}`;
}

export function differenceWords({ period, status }: Pick<Difference, 'period' | 'status'>): string {
  const approved = `The statement of ${formatPeriod(period)} was approved before this changed`;
  return status === 'open'
    ? `${approved}. It is not decided yet whether it is paid.`
    : `${approved}. It was decided not to pay it.`;
}

/** What was paid when, and what is not paid, in one sentence. Null without late amounts. */
export function lateSentence(corrections: readonly Correction[], differences: readonly Difference[]): string | null {
  const paid = summed(corrections, ({ period, paidIn, currency }) => `${period} ${paidIn} ${currency}`).map(
    (correction) => `${formatMoney(correction.delta, correction.currency)} ${correctionWords(correction)}`,
  );
  const open = summed(differences, ({ period, status, currency }) => `${period} ${status} ${currency}`)
    .filter(({ delta }) => signOf(delta) !== 0)
    .map(({ delta, currency, period, status }) => {
      const sum = formatMoney(delta, currency, { signed: true });
      return `${sum} for ${formatPeriod(period)} ${status === 'open' ? 'is not decided yet' : 'was not paid'}`;
    });
  const sentences = [
    ...(paid.length === 0 ? [] : [`Added ${paid.join(', ')}.`]),
    ...(open.length === 0 ? [] : [`${open.join(', ')}.`]),
  ];
  return sentences.length === 0 ? null : sentences.join(' ');
}

/** One amount for each key, with the sum of those that have it. */
function summed<T extends { readonly delta: number }>(amounts: readonly T[], keyOf: (amount: T) => string) {
  return groupBy(amounts, keyOf).map((group) => ({ ...group[0], delta: sumAmounts(group.map(({ delta }) => delta)) }));
}

/** What is said about a rule that paid nothing by itself, but whose approved period owes or has paid a correction. */
export function isCorrected(
  { repId, planId, ruleName }: Pick<Breakdown['outcomes'][number], 'repId' | 'planId' | 'ruleName'>,
  { corrections, openDifferences }: Pick<Breakdown, 'corrections' | 'openDifferences'>,
): boolean {
  return [...corrections, ...openDifferences].some(
    (correction) => correction.repId === repId && correction.planId === planId && correction.ruleName === ruleName,
  );
}
