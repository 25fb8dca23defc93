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
  /** How much each outcome counts, as a share of {@link total}. What is only compared with another outcome counts nothing. */
  readonly weights: readonly Decimal[];
  readonly total: Decimal;
  /** What the pay of each outcome amounts to, in the order of {@link won}. */
  distribution(pays: readonly Decimal[]): Distribution;
}

/** Up to so many deals every outcome is calculated. */
export const maxEnumerated = 12;
const drawCount = 4096;
/** Outcomes that are calculated besides the drawn ones, to compare each deal won and lost with the same others. */
const comparisons = 1024;

export function outcomesOf(deals: readonly UncertainDeal[], seed: number): Outcomes {
  return deals.length <= maxEnumerated ? everyOutcome(deals) : drawnOutcomes(deals, seed);
}

/** Outcome number `n` wins the deals whose bits are set in `n`. */
function everyOutcome(deals: readonly UncertainDeal[]): Outcomes {
  const probabilities = deals.map(({ probability }) => probability);
  const won = Array.from({ length: 2 ** deals.length }, (_, outcome) =>
    deals.filter((_deal, index) => isSet(outcome, index)).map(({ dealId }) => dealId),
  );
  const weights = won.map((_, outcome) => weightOf(outcome, probabilities));
  return {
    method: 'all_outcomes',
    won,
    weights,
    total: Decimal.one,
    distribution: (pays) => {
      const weighted = pays.map((amount, outcome) => ({ amount, weight: weights[outcome] as Decimal }));
      return {
        expected: expectation(pays, probabilities),
        p10: percentile(weighted, ten),
        p90: percentile(weighted, ninety),
        worth: deals.map((_, index) => {
          const others = probabilities.toSpliced(index, 1);
          const expectedIf = (isWon: boolean) =>
            expectation(
              pays.filter((_pay, outcome) => isSet(outcome, index) === isWon),
              others,
            );
          return expectedIf(true).minus(expectedIf(false));
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
  const drawn = Array.from({ length: drawCount }, (_, draw) =>
    columns.map((column) => (column[draw] === true ? '1' : '0')).join(''),
  );
  const counts = new Map<string, number>();
  for (const key of drawn) counts.set(key, (counts.get(key) ?? 0) + 1);
  const comparedDraws = drawn.slice(0, Math.max(1, Math.floor(comparisons / deals.length)));
  const pairs = columns.map((column, deal) =>
    column.includes(true) && column.includes(false)
      ? comparedDraws.map((key) => [withDeal(key, deal, '1'), withDeal(key, deal, '0')])
      : [],
  );
  for (const key of pairs.flat(2)) if (!counts.has(key)) counts.set(key, 0);
  const keys = [...counts.keys()];
  const weights = [...counts.values()].map((count) => Decimal.of(count));
  return {
    method: 'draws',
    won: keys.map((key) => deals.filter((_, index) => key[index] === '1').map(({ dealId }) => dealId)),
    weights,
    total: draws,
    distribution: (pays) => {
      const weighted = pays
        .map((amount, index) => ({ amount, weight: weights[index] as Decimal }))
        .filter(({ weight }) => !weight.isZero());
      return {
        expected: sum(weighted.map(({ amount, weight }) => amount.times(weight))).dividedBy(draws),
        p10: percentile(weighted, ten),
        p90: percentile(weighted, ninety),
        worth: worthByDraws(keys, weights, pays, pairs),
      };
    },
  };
}

function withDeal(key: string, deal: number, isWon: '1' | '0'): string {
  return `${key.slice(0, deal)}${isWon}${key.slice(deal + 1)}`;
}

/**
 * What deals are worth: the mean difference of a few draws with the deal won and lost, corrected by how the mean pay of all
 * draws that win it differs from that of the others once these differences of all won deals are subtracted. The pay of other
 * deals then adds little noise, and none where it does not depend on the deal. Null if no draw wins the deal, or none loses it.
 */
function worthByDraws(
  keys: readonly string[],
  weights: readonly Decimal[],
  pays: readonly Decimal[],
  pairs: readonly (readonly (readonly string[])[])[],
): (Decimal | null)[] {
  const payOf = new Map(keys.map((key, index) => [key, pays[index] as Decimal]));
  const pay = (key: string | undefined) => payOf.get(key ?? '') as Decimal;
  const differences = pairs.map((ofDeal) =>
    ofDeal.length === 0
      ? null
      : sum(ofDeal.map(([won, lost]) => pay(won).minus(pay(lost)))).dividedBy(Decimal.of(ofDeal.length)),
  );
  const rests = keys.map((key, index) =>
    (pays[index] as Decimal)
      .minus(sum(differences.flatMap((each, deal) => (each !== null && key[deal] === '1' ? [each] : []))))
      .times(weights[index] as Decimal),
  );
  const total = sum(rests);
  return differences.map((difference, deal) => {
    if (difference === null) return null;
    const isWon = (_value: unknown, index: number) => keys[index]?.[deal] === '1';
    const count = sum(weights.filter(isWon));
    const won = sum(rests.filter(isWon));
    const rest = won.dividedBy(count).minus(total.minus(won).dividedBy(draws.minus(count)));
    return difference.plus(rest);
  });
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
