import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { Decimal, minimum, sum } from '../kernel/decimal.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { money, text } from '../platform/operations/schemas.js';
import { divideByWeights } from './divide-by-weights.js';
import { type Framework } from './keep-books.js';
import { type Lot, replayLot } from './lot.js';
import { type Month, month } from './month.js';

const amount = money.refine((value) => value >= 0, 'must be at least 0');

/** What a test of impairment states of a deal. */
export const impairmentTerms = z.strictObject({
  remainingConsideration: amount.describe('What the customer will still pay, in the currency of the entity'),
  remainingCost: amount.describe('What it will still cost to provide it'),
  note: text(1000).nullable().default(null).describe('What it is based on'),
});
type ImpairmentTerms = z.output<typeof impairmentTerms>;

export const impairment = z
  .object({ dealId: fields.dealId, month: month.describe('Month of the test, YYYY-MM'), ...impairmentTerms.shape })
  .describe('A test of impairment of the lots of a deal at the end of a month');

export interface ImpairmentTest extends ImpairmentTerms {
  readonly dealId: string;
  readonly month: Month;
}

export const impairmentExample = {
  dealId: sampleIds.dealId,
  month: '2026-06',
  remainingConsideration: 5000,
  remainingCost: 2000,
  note: null,
} as const;

/**
 * What the tests write down of each lot of a deal in an entity, by month. What the carrying amounts exceed the value is
 * divided by them. Under IFRS and FRS 102 a higher value later writes up again, at most to what the lots would be worth
 * without any impairment; under US GAAP never.
 */
export function testLots(
  lots: readonly Lot[],
  tests: readonly ImpairmentTest[],
  framework: Framework,
): readonly ReadonlyMap<Month, Decimal>[] {
  const digits = lots[0]?.digits ?? 0;
  const tested = lots.map((lot) => ({ lot, writtenDown: new Map<Month, Decimal>() }));
  const inOrder = tests.toSorted((a, b) => (a.month < b.month ? -1 : 1));
  for (const { month: at, remainingConsideration, remainingCost } of inOrder) {
    const carrying = tested.map(({ lot, writtenDown }) => carryingOf({ ...lot, writtenDown }, at));
    const value = Decimal.of(remainingConsideration).minus(Decimal.of(remainingCost));
    const excess = sum(carrying).minus(value.sign() < 0 ? Decimal.zero : value);
    const lacking =
      framework === 'us_gaap'
        ? lots.map(() => Decimal.zero)
        : lots.map((lot, index) => carryingOf(lot, at).minus(carrying[index] as Decimal));
    const parts =
      excess.sign() >= 0
        ? divideByWeights(excess, carrying, digits)
        : divideByWeights(minimum(excess.negated(), sum(lacking)), lacking, digits).map((part) => part.negated());
    for (const [index, part] of parts.entries()) if (!part.isZero()) tested[index]?.writtenDown.set(at, part);
  }
  return tested.map(({ writtenDown }) => writtenDown);
}

function carryingOf(lot: Lot, until: Month): Decimal {
  return replayLot(lot, until).at(-1)?.carrying ?? Decimal.zero;
}
