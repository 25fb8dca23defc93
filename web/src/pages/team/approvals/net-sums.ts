import { sumAmounts } from '../../../shared/format/exact.js';
import { formatMoney } from '../../../shared/format/numbers.js';
import { type ApprovalRow } from './approval-rows.js';

interface NetSum {
  readonly currency: string;
  readonly amount: string;
}

/** The net payouts of the rows, one sum for each currency. */
export function netByCurrency(rows: readonly ApprovalRow[]): NetSum[] {
  const amounts = rows.flatMap(({ statement }) => [
    { currency: statement.currency, amount: statement.summary.netPayout },
    ...statement.otherCurrencies.map(({ currency, summary }) => ({ currency, amount: summary.netPayout })),
  ]);
  const currencies = [...new Set(amounts.map(({ currency }) => currency))];
  return currencies.map((currency) => ({
    currency,
    amount: sumAmounts(amounts.filter((entry) => entry.currency === currency).map(({ amount }) => amount)),
  }));
}

/** The sums in words. */
export function netSums(rows: readonly ApprovalRow[]): string[] {
  const sums = netByCurrency(rows);
  const unit = sums.length > 1 ? 'code' : 'symbol';
  return sums.map(({ currency, amount }) => formatMoney(amount, currency, { unit }));
}
