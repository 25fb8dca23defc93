import { currencyDigits } from './currency.js';
import { Decimal } from './decimal.js';

/**
 * The amount with the decimals of the currency, a dot and no symbol: `-1234.50`. More decimals only if the amount
 * has them.
 */
export function plainAmount(amount: string, currency: string): string {
  const [whole = '0', fraction = ''] = Decimal.of(amount).toString().split('.');
  const digits = fraction.padEnd(currencyDigits(currency), '0');
  return digits === '' ? whole : `${whole}.${digits}`;
}

/** `-1234567.50` as `-1,234,567.50`. */
export function grouped(amount: string): string {
  const [whole = '', fraction] = amount.split('.');
  const thousands = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? thousands : `${thousands}.${fraction}`;
}

/** The amount with grouped thousands and the decimals of its currency. */
export function money(amount: string | Decimal, currency: string): string {
  return grouped(plainAmount(String(amount), currency));
}
