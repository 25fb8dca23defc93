import { Decimal } from 'decimal.js';

const Exact = Decimal.clone({ precision: 120, rounding: Decimal.ROUND_HALF_UP });

export { Decimal };
export type Amount = Decimal;

export function amount(value: number | string | Decimal): Amount {
  return new Exact(typeof value === 'number' ? String(value) : value);
}

export const ZERO: Amount = amount(0);
export const ONE: Amount = amount(1);

export function sum(values: Amount[]): Amount {
  return values.reduce((total, value) => total.plus(value), ZERO);
}

/** A sum of quotients without the last digits, which no quotient has exactly: three thirds are one. */
export function wholeSum(value: Amount): Amount {
  return value.toDecimalPlaces(60, Decimal.ROUND_HALF_UP);
}

export function text(value: Amount): string {
  return value.isZero() ? '0' : value.toFixed();
}

/** The number of a row without the decimals in which quotients differ. */
export function withoutLastDigits(value: string, decimals = 25): string {
  return text(amount(value).toDecimalPlaces(decimals, Decimal.ROUND_HALF_UP));
}

const NO_DIGITS = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ');
const THREE_DIGITS = 'BHD IQD JOD KWD LYD OMR TND'.split(' ');

function minorDigits(currency: string): number {
  if (NO_DIGITS.includes(currency)) return 0;
  if (THREE_DIGITS.includes(currency)) return 3;
  return 2;
}

// decimal.js calls "half away from zero" ROUND_HALF_UP.
export function rounded(value: Amount, currency: string): Amount {
  return wholeSum(value).toDecimalPlaces(minorDigits(currency), Decimal.ROUND_HALF_UP);
}
