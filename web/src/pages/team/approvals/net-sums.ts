import { sumAmounts } from '../../../shared/format/exact.js';
import { formatMoney } from '../../../shared/format/numbers.js';
import { type ApprovalRow } from './approval-rows.js';

/** The net payouts of the rows, one sum for each currency. */
export function netSums(rows: readonly ApprovalRow[]): string[] {
  const amounts = rows.flatMap(({ statement }) => [
    { currency: statement.currency, amount: statement.summary.netPayout },
    ...statement.otherCurrencies.map(({ currency, summary }) => ({ currency, amount: summary.netPayout })),
  ]);
  const currencies = [...new Set(amounts.map(({ currency }) => currency))];
  const unit = currencies.length > 1 ? 'code' : 'symbol';
  return currencies.map((currency) =>
    formatMoney(
      sumAmounts(amounts.filter((amount) => amount.currency === currency).map(({ amount }) => amount)),
      currency,
      {
        unit,
      },
    ),
  );
}
