import { expect } from 'chai';
import fc from 'fast-check';
import { findGoal } from '#src/commissions/forecast/goal.js';
import { OutcomePay } from '#src/commissions/forecast/outcome-pay.js';
import { outcomesOf, type UncertainDeal } from '#src/commissions/forecast/outcomes.js';
import { Decimal, sum } from '#src/kernel/decimal.js';
import { engineInput } from '#test/support/engine-world.js';
import { cleanLedger } from '#test/support/oracle/clean-ledger.js';
import { type World } from '#test/support/oracle/world.js';
import { arbitraryWorld } from '#test/support/oracle/worlds.js';

const range = { from: '2020-01-01', to: '2030-12-31' };
const stay = { stage: 'Won', stageLabel: 'Won', stageSlugs: [] };
const worldCount = Number(process.env['FORECAST_RUNS'] ?? 20);

/** A forecast leaves ranks as they are, and does not calculate approved rows. */
const world = arbitraryWorld()
  .map((given): World => ({ ...given, frozen: [], storedRows: [] }))
  .filter((given) => !JSON.stringify(given.plans).includes('"rank"') && findPaidRep(given) !== undefined);
const percents = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 3, maxLength: 3 });

/** A person with a deal that pays. */
function findPaidRep({ deals, ...given }: World): string | undefined {
  const own = new Map(deals.map(({ dealId, repId }) => [dealId, repId]));
  return cleanLedger({ ...given, deals }).find(
    ({ repId, dealId, amount }) => own.get(dealId) === repId && Number(amount) !== 0,
  )?.repId;
}

/** The pay of the rep without some of the deals, summed over the rows of the oracle. */
function oraclePay(given: World, repId: string, lost: ReadonlySet<string>): Decimal {
  const deals = given.deals.filter(({ dealId }) => !lost.has(dealId));
  const rows = cleanLedger({ ...given, deals }).filter((row) => row.repId === repId);
  return sum(rows.map(({ amount }) => Decimal.of(amount)));
}

/** Expected pay and worth of each deal, by the definition: over all outcomes with their chances. */
function enumerateWithOracle(given: World, repId: string, deals: readonly UncertainDeal[]): Decimal[] {
  let expected = Decimal.zero;
  const worth = deals.map(() => Decimal.zero);
  for (let outcome = 0; outcome < 2 ** deals.length; outcome += 1) {
    const isWon = deals.map((_, index) => Math.floor(outcome / 2 ** index) % 2 === 1);
    const lost = deals.filter((_, index) => isWon[index] !== true).map(({ dealId }) => dealId);
    const amount = oraclePay(given, repId, new Set(lost));
    const chances = deals.map(({ probability }, index) =>
      isWon[index] ? probability : Decimal.one.minus(probability),
    );
    const product = (factors: readonly Decimal[]) => factors.reduce((all, factor) => all.times(factor), amount);
    expected = expected.plus(product(chances));
    for (const [index, ofDeal] of worth.entries()) {
      const part = product(chances.toSpliced(index, 1));
      worth[index] = isWon[index] ? ofDeal.plus(part) : ofDeal.minus(part);
    }
  }
  return [expected, ...worth];
}

describe('the outcomes of a forecast', () => {
  it(`equal the enumeration with the oracle on ${worldCount} random worlds`, function () {
    this.timeout(60_000 + worldCount * 5000);
    fc.assert(
      fc.property(world, percents, (given, chances) => {
        const repId = findPaidRep(given) as string;
        const rows = cleanLedger(given);
        const input = engineInput(given, repId, rows);
        const paying = new Set(rows.map(({ dealId }) => dealId));
        const open = input.deals
          .map(({ dealId }) => dealId)
          .toSorted((a, b) => Number(paying.has(b)) - Number(paying.has(a)))
          .slice(0, 3);
        const pay = new OutcomePay(input, new Map(open.map((id) => [id, keepStage(input, id)])), range, new Map());
        const deals = open.map((dealId, index) => ({
          dealId,
          probability: Decimal.of((chances[index] as number) / 100),
        }));
        const outcomes = outcomesOf(deals, 1);
        const { expected, worth } = outcomes.distribution(outcomes.won.map((won) => sum(pay.of(won).values())));
        const found = [expected, ...worth].map((amount) => amount?.rounded(12).toNumber());
        const byOracle = enumerateWithOracle(given, repId, deals).map((amount) => amount.rounded(12).toNumber());
        expect(found).to.deep.equal(byOracle);
      }),
      { numRuns: worldCount, seed: 66 },
    );
  });

  it('are drawn from the seed and the deal only', () => {
    const deal = (dealId: string) => ({ dealId, probability: Decimal.of(0.3) });
    const many = Array.from({ length: 13 }, (_, index) => deal(`deal-${index}`));
    const drawsOf = (deals: typeof many, seed: number) => {
      const { won, distribution } = outcomesOf(deals, seed);
      // Each draw pays 1 if the deal is won, so that the expectation is the share of its draws.
      return distribution(won.map((ids) => (ids.includes('deal-3') ? Decimal.one : Decimal.zero))).expected.toString();
    };
    expect(drawsOf(many, 5)).to.equal(drawsOf([...many].reverse(), 5));
    expect(drawsOf(many, 5)).to.equal(drawsOf([...many, deal('another')], 5));
    expect(drawsOf(many, 5)).not.to.equal(drawsOf(many, 6));
    expect(Number(drawsOf(many, 5))).to.be.closeTo(0.3, 0.03);
  });

  it('compare each deal won and lost with the same others: what deals pay on their own is exact, of many deals too', () => {
    const deals = Array.from({ length: 30 }, (_, index) => ({
      dealId: String(index),
      probability: Decimal.of((index + 1) / 40),
    }));
    const worthOf = (pay: (won: readonly string[]) => number) => {
      const { won, distribution } = outcomesOf(deals, 1);
      return distribution(won.map((ids) => Decimal.of(pay(ids)))).worth.map((worth) => worth?.rounded(9).toNumber());
    };
    const sumOf = (won: readonly string[]) => won.reduce((total, dealId) => total + (Number(dealId) + 1) * 100, 0);
    expect(worthOf(sumOf)).to.deep.equal(deals.map((_, index) => (index + 1) * 100));
    // With a jump of 10,000 at a third of the pipeline, a small deal is seldom the one that reaches it.
    const [first] = worthOf((won) => sumOf(won) + (sumOf(won) < 15_000 ? 0 : 10_000));
    expect(first).to.be.within(-400, 600);
  });

  it('win a deal with probability 1 always and one with 0 never, of many deals too', () => {
    const deals = Array.from({ length: 14 }, (_, index) => ({
      dealId: String(index),
      probability: Decimal.of(index === 0 ? 1 : index === 1 ? 0 : 0.5),
    }));
    const { won, distribution } = outcomesOf(deals, 1);
    expect(won.every((ids) => ids.includes('0') && !ids.includes('1'))).to.equal(true);
    const { worth } = distribution(won.map((ids) => Decimal.of(ids.length)));
    expect([worth[0], worth[1]]).to.deep.equal([null, null]);
    expect(worth[2]?.toNumber()).to.be.closeTo(1, 0.2);
  });
});

describe('the goal of a forecast', () => {
  const deals = Array.from({ length: 20 }, (_, index) => ({ dealId: `d${index}`, amount: Decimal.of(index + 1) }));
  const pay = (won: readonly string[]) =>
    Decimal.of(won.reduce((total, dealId) => total + Number(dealId.slice(1)) + 1, 0));

  it('of more than 12 deals is found among those that pay most, and with the others if need be', () => {
    expect(findGoal(deals, Decimal.of(39), pay)).to.deep.include({
      dealIds: ['d19', 'd18'],
      isReached: true,
      isExact: false,
    });
    expect(findGoal(deals, Decimal.of(210), pay)).to.deep.include({ isReached: true, isExact: false });
    const missed = findGoal(deals, Decimal.of(211), pay);
    expect([missed.isReached, missed.dealIds.length, missed.pay.toNumber()]).to.deep.equal([false, 20, 210]);
  });
});

/** The form of a won deal whose stage stays as it is. */
function keepStage(input: ReturnType<typeof engineInput>, dealId: string) {
  const stage = input.deals.find((deal) => deal.dealId === dealId)?.standard.dealStage;
  return { ...stay, stage: typeof stage === 'string' ? stage : '' };
}
