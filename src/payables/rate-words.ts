import { Decimal } from '../kernel/decimal.js';
import { type StoredPayPart } from './stored-payable.js';

/** How an amount is converted, such as "USD 6200 × 0.7901 on 2026-01-31". */
export function describeRate({ currency, payable, rate }: StoredPayPart, payCurrency: string): string {
  if (rate === null) return `${currency} ${payable}, without a rate to ${payCurrency}`;
  if (currency === payCurrency) return `${currency} ${payable}`;
  const units = Decimal.of(rate.numerator).dividedBy(Decimal.of(rate.denominator)).rounded(10).toString();
  const days = [...new Set(rate.legs.map(({ day }) => day))].join(' and ');
  return `${currency} ${payable} × ${units} on ${days}`;
}
