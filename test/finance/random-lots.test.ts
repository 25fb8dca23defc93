import { expect } from 'chai';
import { civilMonths } from '#src/finance/book-calendar.js';
import { testLots } from '#src/finance/impairment.js';
import { frameworks } from '#src/finance/keep-books.js';
import { foreseeLot, type Lot, replayLot } from '#src/finance/lot.js';
import { conventions, type Length, toSchedule } from '#src/finance/schedule.js';
import { Decimal, sum } from '#src/kernel/decimal.js';
import { Random } from '../support/random.js';

const first = Number(process.env.BOOKS_SEED ?? 1);
const runs = Number(process.env.BOOKS_RUNS ?? 40);
const { monthOf } = civilMonths;
const lastMonth = '2032-12';

/** A deal with lots of several people, whose contract, refunds and tests of impairment are random. */
class RandomDeal {
  private readonly random: Random;
  /** Decimal places of the currency. */
  private readonly digits: number;

  constructor(private readonly seed: number) {
    this.random = new Random(seed);
    this.digits = this.random.of([0, 2]);
  }

  check(): void {
    const ends = this.ends();
    const terminatedOn = this.random.below(4) === 0 ? this.day() : null;
    const lots = Array.from({ length: 1 + this.random.below(3) }, () => this.lot(ends, terminatedOn));
    const tests = this.tests();
    const framework = this.random.of(frameworks);
    const written = testLots(lots, tests, framework);
    const tested = lots.map((lot, index) => ({ ...lot, writtenDown: written[index] as Map<string, Decimal> }));
    for (const [index, lot] of tested.entries()) this.checkLife(lot, lots[index] as Lot, framework === 'us_gaap');
    for (const test of tests) this.checkTest(tested, test);
  }

  private ends(): Lot['ends'] {
    return Array.from({ length: this.random.below(4) }, () => this.day())
      .sort()
      .map((day) => ({ day, ended: Decimal.of(1 + this.random.below(40)), of: Decimal.of(100) }));
  }

  private lot(ends: Lot['ends'], terminatedOn: string | null): Lot {
    const earnedOn = this.day();
    const from = monthOf(earnedOn);
    const changes = Array.from({ length: this.random.below(4) }, () => monthOf(this.day())).filter((at) => at > from);
    return {
      calendar: civilMonths,
      first: from,
      digits: this.digits,
      schedules: [from, ...changes.sort()].map((at) => ({ from: at, schedule: this.schedule(earnedOn) })),
      cost: Decimal.of(this.random.below(1_000_000)),
      ...(this.random.below(5) === 0 ? { isOpening: true as const } : {}),
      ends,
      terminatedOn,
      takenBack: ends.map(({ day }, index) => ({
        key: `R${index}`,
        day,
        amount: Decimal.of(this.random.below(400_000)),
      })),
    };
  }

  private schedule(earnedOn: string): Lot['schedules'][number]['schedule'] {
    const length: Length = this.random.below(2) === 0 ? { months: 1 + this.random.below(40) } : { until: this.day(4) };
    const start = this.random.below(3) === 0 ? this.day() : null;
    return toSchedule({ length, convention: this.random.of(conventions), start }, earnedOn, civilMonths);
  }

  private tests() {
    const months = [...new Set(Array.from({ length: this.random.below(4) }, () => monthOf(this.day())))].sort();
    const amount = () => this.random.below(1_000_000);
    return months.map((month) => ({
      dealId: 'D',
      month,
      remainingConsideration: amount(),
      remainingCost: this.random.below(2) === 0 ? 0 : amount(),
      note: null,
    }));
  }

  private day(years = 2): string {
    const [year, month, day] = [2026 + this.random.below(years), 1 + this.random.below(12), 1 + this.random.below(28)];
    return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  }

  /** The parts add up to the cost, so expense over the life is the cost less what is taken back. */
  private checkLife(lot: Lot, untested: Lot, isNeverReversed: boolean): void {
    const months = replayLot(lot, lastMonth);
    const without = new Map(replayLot(untested, lastMonth).map(({ month, carrying }) => [month, carrying]));
    let rest = lot.cost;
    let expense = Decimal.zero;
    for (const { month, amortised, clawedBack, ended, impaired, carrying } of months) {
      const about = `seed ${this.seed}, ${month}`;
      const back = sum(clawedBack.values());
      rest = rest.minus(amortised).minus(back).minus(ended).minus(impaired);
      expense = expense.plus(amortised).plus(ended).plus(impaired);
      expect(carrying.toString(), about).to.equal(rest.toString());
      expect(carrying.sign(), `${about}, carrying`).to.be.at.least(0);
      if (isNeverReversed) expect(impaired.sign(), `${about}, impaired`).to.be.at.least(0);
      // What is spread again is rounded from its own beginning, which differs by at most one unit of the currency.
      if (lot.schedules.length === 1)
        expect(carrying.minus(without.get(month) as Decimal).toNumber(), `${about}, beyond`).to.be.at.most(
          10 ** -lot.digits,
        );
    }
    expect(rest.toString(), `seed ${this.seed}, at the end`).to.equal('0');
    const takenBack = sum(lot.takenBack.map(({ amount }) => amount));
    const fromAsset = sum(months.flatMap(({ clawedBack }) => [...clawedBack.values()]));
    const all = expense.minus(takenBack.minus(fromAsset));
    expect(all.toString(), `seed ${this.seed}, expense`).to.equal(lot.cost.minus(takenBack).toString());
    this.checkFuture(lot);
  }

  /** What is known at the end of a month is amortised after it. */
  private checkFuture(lot: Lot): void {
    const month = monthOf(this.day());
    const known = replayLot(lot, month).at(-1)?.carrying ?? Decimal.zero;
    const future = sum(foreseeLot(lot, month).future.values());
    expect(future.toString(), `seed ${this.seed}, future of ${month}`).to.equal(known.toString());
  }

  /** After a test, the lots together are worth at most its value, unless they were worth less before it. */
  private checkTest(lots: readonly Lot[], test: ReturnType<RandomDeal['tests']>[number]): void {
    const value = Math.max(0, test.remainingConsideration - test.remainingCost);
    const carrying = sum(lots.map((lot) => replayLot(lot, test.month).at(-1)?.carrying ?? Decimal.zero));
    expect(carrying.toNumber(), `seed ${this.seed}, test of ${test.month}`).to.be.at.most(value);
  }
}

describe('the lots of random deals', () => {
  it('add up to their cost, and their expense is the commission that is not taken back', () => {
    for (let seed = first; seed < first + runs; seed += 1) new RandomDeal(seed).check();
  });
});
