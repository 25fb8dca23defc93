import { addTo } from './add-to.js';
import { Decimal } from './decimal.js';

/** The sum of the amounts in each currency. Amounts are exact decimal texts. */
export function sumsByCurrency(
  amounts: Iterable<{ readonly currency: string; readonly amount: string }>,
): Map<string, Decimal> {
  const sums = new Map<string, Decimal>();
  for (const { currency, amount } of amounts) addTo(sums, currency, Decimal.of(amount));
  return sums;
}
