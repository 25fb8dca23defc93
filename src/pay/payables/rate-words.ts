import { Decimal } from '../../kernel/decimal.js';
import { money } from '../../kernel/money-text.js';
import { type StoredPayPart } from './stored-payable.js';

/** How an amount is converted, such as "USD 6,200.00 × 0.7901 on 2026-01-31". */
export function describeRate({ currency, payable, rate }: StoredPayPart, payCurrency: string): string {
  if (rate === null) return `${currency} ${money(payable, currency)}, without a rate to ${payCurrency}`;
  if (currency === payCurrency) return `${currency} ${money(payable, currency)}`;
  const units = Decimal.of(rate.numerator).dividedBy(Decimal.of(rate.denominator)).rounded(10).toString();
  const days = [...new Set(rate.legs.map(({ day }) => day))].join(' and ');
  return `${currency} ${money(payable, currency)} × ${units} on ${days}`;
}
