import { createHash } from 'node:crypto';
import { Decimal, sum } from '../../kernel/decimal.js';

/** A deal that is won with the probability, from 0 to 1. */
export interface UncertainDeal {
  readonly dealId: string;
  readonly probability: Decimal;
}

/** The pay of a forecast in one currency. */
interface Distribution {
  readonly expected: Decimal;
  readonly p10: Decimal;
  readonly p90: Decimal;
  /** By deal: expected pay if it is won less that if it is lost; null for a deal that no draw won, or none lost. */
  readonly worth: readonly (Decimal | null)[];
}

/** The outcomes of a forecast, each as the ids of the deals that it wins. */
export interface Outcomes {
  readonly method: 'all_outcomes' | 'draws';
  readonly won: readonly (readonly string[])[];
  /** What the pay of each outcome amounts to, in the order of {@link won}. */
  distribution(pays: readonly Decimal[]): Distribution;
}

/** Up to so many deals every outcome is calculated. */
export const maxEnumerated = 12;
const drawCount = 4096;

export function outcomesOf(deals: readonly UncertainDeal[], seed: number): Outcomes {
  return deals.length <= maxEnumerated ? everyOutcome(deals) : drawnOutcomes(deals, seed);
}

/** Outcome number `n` wins the deals whose bits are set in `n`. */
function everyOutcome(deals: readonly UncertainDeal[]): Outcomes {
  const probabilities = deals.map(({ probability }) => probability);
  const won = Array.from({ length: 2 ** deals.length }, (_, outcome) =>
    deals.filter((_deal, index) => isSet(outcome, index)).map(({ dealId }) => dealId),
  );
  return {
    method: 'all_outcomes',
    won,
    distribution: (pays) => {
      const weighted = pays.map((amount, outcome) => ({ amount, weight: weightOf(outcome, probabilities) }));
      return {
        expected: expectation(pays, probabilities),
        p10: percentile(weighted, ten),
        p90: percentile(weighted, ninety),
        worth: deals.map((_, index) => {
          const others = probabilities.toSpliced(index, 1);
          const given = (isWon: boolean) =>
            expectation(
              pays.filter((_pay, outcome) => isSet(outcome, index) === isWon),
              others,
            );
          return given(true).minus(given(false));
        }),
      };
    },
  };
}

function isSet(outcome: number, index: number): boolean {
  return (outcome & (1 << index)) !== 0;
}

function weightOf(outcome: number, probabilities: readonly Decimal[]): Decimal {
  return probabilities.reduce(
    (weight, probability, index) => weight.times(isSet(outcome, index) ? probability : Decimal.one.minus(probability)),
    Decimal.one,
  );
}

/** Decides one deal after the other, the first of them first: half as many outcomes remain after each. */
function expectation(pays: readonly Decimal[], probabilities: readonly Decimal[]): Decimal {
  let remaining = pays;
  for (const probability of probabilities) {
    const rest = Decimal.one.minus(probability);
    const decided: Decimal[] = [];
    for (let index = 0; index < remaining.length; index += 2)
      decided.push(
        (remaining[index] as Decimal).times(rest).plus((remaining[index + 1] as Decimal).times(probability)),
      );
    remaining = decided;
  }
  return remaining[0] as Decimal;
}

/** Equal draws are one outcome, which is calculated once. */
function drawnOutcomes(deals: readonly UncertainDeal[], seed: number): Outcomes {
  const columns = deals.map((deal) => drawsOf(deal, seed));
  const counts = new Map<string, number>();
  for (let draw = 0; draw < drawCount; draw += 1) {
    const key = columns.map((column) => (column[draw] === true ? '1' : '0')).join('');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const keys = [...counts.keys()];
  const weights = [...counts.values()].map((count) => Decimal.of(count));
  return {
    method: 'draws',
    won: keys.map((key) => deals.filter((_, index) => key[index] === '1').map(({ dealId }) => dealId)),
    distribution: (pays) => {
      const weighted = pays.map((amount, index) => ({ amount, weight: weights[index] as Decimal }));
      const products = weighted.map(({ amount, weight }) => amount.times(weight));
      const total = sum(products);
      return {
        expected: total.dividedBy(draws),
        p10: percentile(weighted, ten),
        p90: percentile(weighted, ninety),
        worth: deals.map((_, deal) => {
          const isWon = (_value: unknown, index: number) => keys[index]?.[deal] === '1';
          const count = sum(weights.filter(isWon));
          if (count.isZero() || count.equals(draws)) return null;
          const won = sum(products.filter(isWon));
          return won.dividedBy(count).minus(total.minus(won).dividedBy(draws.minus(count)));
        }),
      };
    },
  };
}

const draws = Decimal.of(drawCount);
const resolution = 2 ** 32;

/** Whether each draw wins the deal. It depends on the seed and the deal only, so that two plans are compared on the same draws. */
function drawsOf({ dealId, probability }: UncertainDeal, seed: number): boolean[] {
  const threshold = probability.times(Decimal.of(resolution)).toNumber();
  const next = randomNumbers(`${seed} ${dealId}`);
  return Array.from({ length: drawCount }, () => next() < threshold);
}

/** The generator sfc32 of PractRand, of whole numbers below 2^32. */
function randomNumbers(key: string): () => number {
  const hash = createHash('sha256').update(key).digest();
  let [a, b, c, counter] = [0, 4, 8, 12].map((offset) => hash.readInt32LE(offset)) as [number, number, number, number];
  return () => {
    const result = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + result;
    c |= 0;
    return result >>> 0;
  };
}

interface Weighted {
  readonly amount: Decimal;
  readonly weight: Decimal;
}

const hundred = Decimal.of(100);
const ten = Decimal.of(10);
const ninety = Decimal.of(90);

/** The smallest amount that is not exceeded with at least the probability in percent. */
function percentile(weighted: readonly Weighted[], percent: Decimal): Decimal {
  const sorted = weighted.toSorted((a, b) => a.amount.compare(b.amount));
  const share = sum(sorted.map(({ weight }) => weight)).times(percent);
  let reached = Decimal.zero;
  for (const { amount, weight } of sorted) {
    reached = reached.plus(weight);
    if (!reached.times(hundred).isLessThan(share)) return amount;
  }
  return (sorted.at(-1) as Weighted).amount;
}
