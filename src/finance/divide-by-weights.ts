import { Decimal, sum } from '../kernel/decimal.js';

/** The parts of the whole by the weights, rounded cumulatively, so that they add up to it. */
export function divideByWeights(whole: Decimal, weights: readonly Decimal[], digits: number): Decimal[] {
  const all = sum(weights);
  if (all.isZero()) return weights.map(() => Decimal.zero);
  let until = Decimal.zero;
  let divided = Decimal.zero;
  return weights.map((weight) => {
    until = until.plus(weight);
    const next = whole.times(until).dividedBy(all).rounded(digits);
    const part = next.minus(divided);
    divided = next;
    return part;
  });
}
