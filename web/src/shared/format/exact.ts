import { type Amount } from './numbers.js';

/** Decimal places of the intermediate results. Amounts of the API have at most ten. */
const places = 12;

function toUnits(amount: Amount): bigint {
  const text = plainText(amount);
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const units = BigInt(whole) * 10n ** BigInt(places) + BigInt(fraction.padEnd(places, '0').slice(0, places));
  return text.startsWith('-') ? -units : units;
}

/** Writes no exponent, as JavaScript does for very small and very large numbers. */
function plainText(amount: Amount): string {
  const text = String(amount);
  if (!/e/i.test(text)) return text;
  const number = Number(amount);
  return Number.isInteger(number) ? String(BigInt(number)) : number.toFixed(places);
}

function fromUnits(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  const whole = digits.slice(0, -places);
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The exact sum as decimal text. */
export function sumAmounts(amounts: readonly Amount[]): string {
  return fromUnits(amounts.reduce((total: bigint, amount) => total + toUnits(amount), 0n));
}

export function difference(from: Amount, minus: Amount): string {
  return fromUnits(toUnits(from) - toUnits(minus));
}

/** The exact product as decimal text, to twelve places. */
export function multiplyAmounts(amount: Amount, other: Amount): string {
  return fromUnits((toUnits(amount) * toUnits(other)) / 10n ** BigInt(places));
}

export function signOf(amount: Amount): -1 | 0 | 1 {
  const units = toUnits(amount);
  return units === 0n ? 0 : units < 0n ? -1 : 1;
}

export function absolute(amount: Amount): string {
  return plainText(amount).replace('-', '');
}

/** Rounded half away from zero, to at most twelve decimals. */
export function rounded(amount: Amount, decimals: number): string {
  const units = toUnits(amount);
  const step = 10n ** BigInt(places - Math.min(decimals, places));
  const half = units < 0n ? -step / 2n : step / 2n;
  return fromUnits(((units + half) / step) * step);
}
