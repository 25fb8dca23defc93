import { currencyDigits } from '../../kernel/currency.js';
import { Decimal } from '../../kernel/decimal.js';
import { invalid } from '../../kernel/failure.js';

/** The amount as exact decimal text. Rejects amounts with more decimals than the currency has. */
export function exactAmount(amount: number, currency: string, path = 'amount'): string {
  const exact = Decimal.of(amount);
  const digits = currencyDigits(currency);
  if (!exact.rounded(digits).equals(exact))
    throw invalid({ path, message: `must have at most ${digits} decimals, as amounts in ${currency} do` });
  return exact.toString();
}
