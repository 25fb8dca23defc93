import { Decimal, sum } from '../../kernel/decimal.js';

/** An exact quotient of a positive denominator. Thirds add up to one, which no number of decimals gives. */
export interface Fraction {
  readonly numerator: Decimal;
  readonly denominator: Decimal;
}

export const whole: Fraction = { numerator: Decimal.one, denominator: Decimal.one };
export const nothing: Fraction = { numerator: Decimal.zero, denominator: Decimal.one };

export function add(a: Fraction, b: Fraction): Fraction {
  if (a.denominator.equals(b.denominator))
    return { numerator: a.numerator.plus(b.numerator), denominator: a.denominator };
  return {
    numerator: a.numerator.times(b.denominator).plus(b.numerator.times(a.denominator)),
    denominator: a.denominator.times(b.denominator),
  };
}

export function divide({ numerator, denominator }: Fraction, divisor: Decimal): Fraction {
  return { numerator, denominator: denominator.times(divisor) };
}

/** Whether the fraction is one or more. */
export function isWhole({ numerator, denominator }: Fraction): boolean {
  return !numerator.isLessThan(denominator);
}

export function isNone({ numerator }: Fraction): boolean {
  return numerator.sign() <= 0;
}

/** The mean of the fractions, each with the weight. Null if the weights add up to nothing. */
export function weightedMean(
  parts: readonly { readonly weight: Decimal; readonly fraction: Fraction }[],
): Fraction | null {
  const total = sum(parts.map(({ weight }) => weight));
  if (total.isZero()) return null;
  const weighted = parts.map(({ weight, fraction: { numerator, denominator } }) => ({
    numerator: numerator.times(weight),
    denominator,
  }));
  return divide(weighted.reduce(add, nothing), total);
}

/** The amount times the fraction, rounded once. */
export function applyTo(amount: Decimal, { numerator, denominator }: Fraction, places: number): Decimal {
  return amount.times(numerator).dividedBy(denominator).rounded(places);
}

/** For display. */
export function toNumber({ numerator, denominator }: Fraction): number {
  return numerator.dividedBy(denominator).rounded(6).toNumber();
}
