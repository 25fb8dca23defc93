import { expect } from 'chai';
import { Decimal, sum } from '#src/kernel/decimal.js';
import { toStoredTotals } from '#src/pay/payables/build-payables.js';
import {
  computeDraws,
  computeOffsets,
  type DrawLine,
  type DrawTerms,
  sumGuarantees,
} from '#src/pay/payables/compute-draws.js';
import { openBalance, owedOf, toStoredDrawLine } from '#src/pay/payables/load-draws.js';
import { PayHistory } from '#src/pay/payables/load-pay-history.js';
import {
  addDraws,
  computeCorrectedTotals,
  computeTotals,
  type PayTotals,
  recoveredFromReleased,
} from '#src/pay/payables/totals.js';
import { type OracleDraw, OracleDraws } from '../../support/oracle/draws.js';
import { Random } from '../../support/random.js';

const currency = 'USD';
const lastDays = ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31', '2026-06-30'];
const months = lastDays.map((last) => ({ first: `${last.slice(0, 8)}01`, last }));
const toMoney = (cents: bigint) => Decimal.of(String(cents)).times(Decimal.of('0.01'));

interface Closed {
  readonly totals: PayTotals;
  readonly lines: readonly DrawLine[];
  readonly gains: bigint;
  readonly losses: bigint;
}

interface Correction {
  readonly month: number;
  readonly paidOn: string;
  readonly amount: bigint;
  readonly offsets: readonly DrawLine[];
  readonly target: 'same' | number;
}

/** Random draws, pay and corrections, calculated by the service's functions and its history of statements. */
class DrawWorld {
  private readonly random: Random;
  private readonly draws: OracleDraw[];
  private readonly maxPercent: number;
  private readonly oracle: OracleDraws;
  private readonly closed: Closed[] = [];
  private readonly corrections: Correction[] = [];

  constructor(private readonly seed: number) {
    this.random = new Random(seed);
    this.draws = Array.from({ length: 1 + this.random.below(3) }, (_, index) => this.draw(`d${index}`));
    this.draws.sort((a, b) => (`${a.from}${a.id}` < `${b.from}${b.id}` ? -1 : 1));
    this.maxPercent = this.random.of([100, 100, 50, 33]);
    this.oracle = new OracleDraws(months, this.draws, BigInt(this.maxPercent));
  }

  run(): void {
    for (const [month] of months.entries()) {
      this.close(month);
      this.compare(`seed ${this.seed}, month ${month}`);
      // The last month pays what is carried, so that nothing waits outside of all statements.
      if (month < months.length - 1 && this.random.below(2) === 0) this.correct(month);
      this.compare(`seed ${this.seed}, after month ${month}`, month + 1);
    }
    this.checkSums();
  }

  private draw(id: string): OracleDraw {
    const [from, to] = [this.day(), this.day()].sort() as [string, string];
    const start = this.random.of(['next_period', 'next_period', 'after_end', 'day'] as const);
    return {
      id,
      kind: this.random.of(['guarantee', 'guarantee', 'advance']),
      recoverable: this.random.below(3) > 0,
      amount: this.random.of([200000n, 100001n, 77n]),
      from,
      to: this.random.below(4) === 0 ? null : to,
      start,
      day: start === 'day' ? this.day() : null,
      maxPercent: this.random.of([100n, 50n, 33n, 0n]),
      forgiveOn: this.random.below(5) === 0 ? this.day() : null,
      forgiven: this.random.below(5) === 0 ? [{ amount: this.random.of([5n, 30000n]), day: this.day() }] : [],
    };
  }

  private day(): string {
    return `2026-0${1 + this.random.below(6)}-${String(1 + this.random.below(28)).padStart(2, '0')}`;
  }

  private toTerms(draw: OracleDraw): DrawTerms {
    const { start, day, forgiveOn } = draw;
    const maxPercent = Decimal.of(String(draw.maxPercent));
    const { id: drawId, kind, recoverable, from, to } = draw;
    return {
      ...{ drawId, kind, recoverable, from, to, currency },
      amount: toMoney(draw.amount),
      recovery: { start, day, maxPercent, forgiveOn },
    };
  }

  private listDraws() {
    return this.draws.map((draw) => ({
      terms: this.toTerms(draw),
      forgiven: draw.forgiven.map(({ amount, day }) => ({ amount: toMoney(amount), day })),
    }));
  }

  private history(): PayHistory {
    const statements = this.closed.map(({ totals, lines }, month) => ({
      repId: 'r',
      period: this.name(month),
      from: this.range(month).from,
      to: this.range(month).to,
      payable: { totals: [toStoredTotals(totals, [])], lines: [], draws: lines.map(toStoredDrawLine) },
    }));
    const corrections = this.corrections.map(({ month, paidOn, offsets }) => ({
      repId: 'r',
      sourcePeriod: this.name(month),
      paidOn,
      payable: { lines: [], draws: offsets.map(toStoredDrawLine) },
    }));
    return new PayHistory(statements, corrections);
  }

  private close(month: number): void {
    const [gains, losses] = [this.random.of([0n, 50000n, 120033n, 500000n]), this.random.of([0n, 0n, 40000n, 140000n])];
    const history = this.history();
    const range = this.range(month);
    const carried = this.corrections
      .filter(({ target }) => target === month)
      .map(({ amount, offsets }) => sum([toMoney(amount), ...offsets.map((line) => line.amount)]));
    const draws = this.listDraws();
    const total = computeTotals({
      currency,
      lines: [toMoney(gains), toMoney(-losses)],
      carried,
      opening: history.openingOf(this.name(month), range.from, currency),
      maxPercent: Decimal.of(this.maxPercent),
      guaranteed: sumGuarantees(
        draws.map(({ terms }) => terms),
        range,
      ),
    });
    const lines = computeDraws({
      currency,
      range,
      draws: draws.map((draw) => ({
        terms: draw.terms,
        opening: owedOf(draw, history, { period: this.name(month), range }),
      })),
      released: total.released,
      recovered: recoveredFromReleased(total),
    });
    const totals = addDraws(
      total,
      lines.map(({ amount }) => amount),
    );
    this.closed.push({ totals, lines, gains, losses });
    this.oracle.close(month, gains, losses);
    const paid = totals.payable;
    expect(paid.isLessThan(toMoney(this.oracle.promised(month))), `seed ${this.seed}: less than guaranteed`).to.equal(
      false,
    );
  }

  private correct(latest: number): void {
    const month = this.random.below(latest + 1);
    const target = this.random.below(2) === 0 ? 'same' : latest + 1;
    const amount = this.random.of([30000n, -20000n, 180000n, -60001n]);
    const { totals, lines, gains, losses } = this.closed[month] as Closed;
    const history = this.history();
    const paidOn = this.range(target === 'same' ? month : target).to;
    const before = this.corrections.filter((one) => one.month === month);
    const released = sum([toMoney(gains), ...before.map((one) => toMoney(one.amount)), toMoney(amount)]);
    const granted = this.listDraws().map((draw) => {
      const own = lines.filter(({ terms, kind }) => terms.drawId === draw.terms.drawId && kind === 'draw');
      const given = sum(own.map((line) => line.amount));
      return {
        terms: draw.terms,
        granted: given.plus(history.offsetsOf(this.name(month), draw.terms.drawId)),
        open: openBalance(draw, history, paidOn),
      };
    });
    const offsets = computeOffsets(granted, this.range(month), released, paidOn);
    if (target === 'same') {
      const result = sum([toMoney(amount), ...offsets.map((line) => line.amount)]);
      const terms = { result, balance: history.balanceIn(currency), maxPercent: Decimal.of(this.maxPercent) };
      this.closed[month] = { totals: computeCorrectedTotals(totals, terms), lines, gains, losses };
    }
    this.corrections.push({ month, paidOn, amount, offsets, target });
    this.oracle.correct(month, amount, target);
  }

  private compare(step: string, next = 0): void {
    const history = this.history();
    for (const [month, { totals }] of this.closed.entries())
      expect(totals.payable.toString(), `${step}, pay of ${month}`).to.equal(
        toMoney(this.oracle.paid[month] ?? 0n).toString(),
      );
    expect(history.balanceIn(currency).toString(), step).to.equal(toMoney(this.oracle.balance).toString());
    const month = Math.min(Math.max(next, this.closed.length - 1), months.length - 1);
    const range = this.range(month);
    for (const [index, draw] of this.listDraws().entries())
      expect(openBalance(draw, history, range.to).toString(), `${step}, draw ${draw.terms.drawId}`).to.equal(
        toMoney(this.oracle.owed(this.draws[index] as OracleDraw, range.to, '9999')).toString(),
      );
  }

  /** What is paid and the change of what is owed are what was released and what draws granted less what was repaid. */
  private checkSums(): void {
    const paid = sum(this.closed.map(({ totals }) => totals.payable));
    const net = sum(this.closed.map(({ totals }) => totals.added.minus(totals.recovered)));
    const granted = sum([
      ...this.closed.flatMap(({ lines }) => lines.map(({ amount }) => amount)),
      ...this.corrections.flatMap(({ offsets }) => offsets.map(({ amount }) => amount)),
    ]);
    const corrected = sum(this.corrections.map(({ amount }) => toMoney(amount)));
    const lines = this.closed.map(({ totals }) => totals.released);
    const takenBack = sum(this.closed.map(({ losses }) => toMoney(losses)));
    expect(paid.minus(net).toString(), `seed ${this.seed}: sums`).to.equal(
      sum([...lines, granted, corrected])
        .minus(takenBack)
        .toString(),
    );
  }

  private name(month: number): string {
    return (lastDays[month] as string).slice(0, 7);
  }

  private range(month: number) {
    const { first, last } = months[month] as (typeof months)[number];
    return { from: first, to: last };
  }
}

/** DRAWS_RUNS and DRAWS_SEED repeat and lengthen a run. */
const runs = Number(process.env['DRAWS_RUNS'] ?? 300);
const first = Number(process.env['DRAWS_SEED'] ?? 1);

describe('draws in random worlds', () => {
  it(`equal the oracle after every statement and correction, and lose nothing, in ${runs} worlds`, () => {
    for (let seed = first; seed < first + runs; seed += 1) new DrawWorld(seed).run();
  });
});
