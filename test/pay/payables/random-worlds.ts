import { expect } from 'chai';
import { Decimal, sum } from '#src/kernel/decimal.js';
import { computeEarned } from '#src/pay/payables/release.js';
import {
  add,
  earned,
  isNegative,
  money,
  type OracleEvent,
  OraclePayables,
  type OraclePayout,
  zero,
} from '../../support/oracle/payables.js';
import { Random } from '../../support/random.js';
import { months, PayWorld, payTerms, toGroup } from './pay-world.js';

const currencies = ['USD', 'JPY'] as const;
const lastDays = ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31', '2026-06-30'];

/** A world whose facts, approvals, corrections and unlocked statements are random; it compares after each step. */
class RandomWorld {
  private readonly random: Random;
  private readonly world: PayWorld;
  private readonly oracle: OraclePayables;
  private readonly approvedLines = new Map<number, string>();
  private readonly approvedPay = new Map<number, string | null>();
  private events: OracleEvent[];

  constructor(private readonly seed: number) {
    this.random = new Random(seed);
    const maxPercent = this.random.of([100, 100, 50, 33.333333]);
    this.world = new PayWorld(months(...lastDays), maxPercent);
    this.oracle = new OraclePayables(months(...lastDays), maxPercent);
    this.events = Array.from({ length: 1 + this.random.below(4) }, (_, index) => this.event(`E${index}`));
    this.share();
    this.changeRate();
  }

  run(steps: number): void {
    for (let step = 0; step < steps; step += 1) {
      this.step();
      this.compare(`seed ${this.seed}, step ${step}`);
    }
  }

  private step(): void {
    const kind = this.random.below(14);
    if (kind > 10) this.reopenAfterTrueUp();
    else if (kind === 10) this.changeRate();
    else if (kind < 5) this.changeFact();
    else if (kind < 8) this.approveNext();
    else if (kind === 8) this.correctApproved();
    else this.reopenLatest();
  }

  /** A rate of either currency, in one direction or the other, in place of that of its day. */
  private changeRate(): void {
    const [from, to, rate] = this.random.of([
      ['USD', 'GBP', '0.7901'],
      ['USD', 'GBP', '0.8'],
      ['GBP', 'USD', '1.3'],
      ['JPY', 'GBP', '0.0051'],
      ['GBP', 'JPY', '193.7'],
    ] as const);
    const day = this.day();
    const others = this.oracle.rates.filter((stored) => stored.from !== from || stored.to !== to || stored.day !== day);
    this.oracle.rates = [...others, { from, to, day, rate }];
    this.world.payTerms = payTerms(this.oracle.payCurrency, this.oracle.rates);
  }

  private share(): void {
    this.world.events = this.events;
    this.oracle.events = this.events;
  }

  private event(name: string): OracleEvent {
    const currency = this.random.of(currencies);
    const key = `${name} ${currency}`;
    const closes = this.day();
    const rows = [{ amount: this.amount(currency), day: closes }];
    if (this.random.below(5) === 0) return { key, currency, rows, source: 'whole', holds: this.holds() };
    if (this.random.below(5) === 0) {
      const inputs = Array.from({ length: this.random.below(3) }, (_, index) => ({
        amount: this.amount('USD'),
        of: this.event(`${name}.${index}`),
      }));
      return { key, currency, rows, source: { inputs }, holds: this.holds() };
    }
    return { key, currency, rows, source: { closes, payout: this.payout(), deal: this.deal() }, holds: this.holds() };
  }

  private payout(): OraclePayout | null {
    return this.random.of<OraclePayout | null>([
      null,
      { schedule: [{ on: 'paid', percent: 100 }] },
      {
        schedule: [
          { on: 'close', percent: 33.333333 },
          { on: 'paid', percent: 66.666667, offsetDays: 10 },
        ],
      },
      {
        schedule: [
          { on: 'go_live', percent: 40, offsetDays: 5 },
          { on: 'paid_in_full', percent: 60 },
        ],
      },
      { parts: 3, everyMonths: 1 },
      { parts: 7, everyMonths: 2 },
    ]);
  }

  private deal() {
    return {
      amount: this.random.of(['60000', '10000.01', '7', '-500', null]),
      dates: this.random.below(3) === 0 ? {} : { go_live: this.day() },
      refunds: this.random.below(4) === 0 ? [{ day: this.day(), amount: this.random.of(['3', '5000', '60000']) }] : [],
      invoices: Array.from({ length: this.random.below(3) }, () => this.invoice()),
    };
  }

  private invoice() {
    return {
      amount: this.random.of(['7', '30000', '10000.01']),
      gross: this.random.of([null, null, '71400', '8.33']),
      status: this.random.of(['open', 'open', 'void', 'written_off'] as const),
      payments: Array.from({ length: this.random.below(3) }, () => this.payment()),
    };
  }

  private payment() {
    return { day: this.day(), amount: this.random.of(['7', '30000', '3333.33', '10000.01', '-5000', '2.33']) };
  }

  private holds() {
    if (this.random.below(4) !== 0) return [];
    const [from, to] = [this.day(), this.day()].sort();
    return [{ from: from as string, to: this.random.below(3) === 0 ? null : (to as string) }];
  }

  private day(): string {
    return `2026-0${1 + this.random.below(6)}-${String(1 + this.random.below(28)).padStart(2, '0')}`;
  }

  private amount(currency: string): string {
    const units = this.random.of([480000, 1, 100001, -90000, 33333, 5]);
    return currency === 'JPY' ? String(units) : Decimal.of(units).times(Decimal.of(0.01)).toString();
  }

  /** A payment, a hold, a date or another event: facts that arrive on any day, also of an approved period. */
  private changeFact(): void {
    const index = this.random.below(this.events.length);
    const event = structuredClone(this.events[index] as OracleEvent);
    const { source } = event;
    if (source !== 'whole' && 'deal' in source && this.random.below(3) > 0) {
      const kind = this.random.below(4);
      if (kind === 0) source.deal.invoices.push(this.invoice());
      else if (kind === 1) source.deal.dates = { go_live: this.day() };
      else if (kind === 2) source.deal.refunds.push({ day: this.day(), amount: '3000' });
      else for (const invoice of source.deal.invoices) invoice.payments.push(this.payment());
    } else if (this.random.below(2) === 0) event.holds = this.holds();
    else if (this.isOpen(event)) event.rows = [{ ...this.firstRow(event), amount: this.amount(event.currency) }];
    else event.rows.push({ amount: this.random.of(['-1', '-100', '2']), day: this.dayAfterApproved() });
    this.events = this.events.map((other, at) => (at === index ? event : other));
    this.share();
  }

  private firstRow({ rows }: OracleEvent): OracleEvent['rows'][number] {
    return rows[0] as OracleEvent['rows'][number];
  }

  private isOpen(event: OracleEvent): boolean {
    return this.approvedCount() === 0 || event.rows.every(({ day }) => day > this.lastApprovedDay());
  }

  private dayAfterApproved(): string {
    return lastDays[Math.min(this.approvedCount(), lastDays.length - 1)] as string;
  }

  private lastApprovedDay(): string {
    return lastDays[this.approvedCount() - 1] as string;
  }

  private approvedCount(): number {
    return lastDays.filter((_, index) => this.world.isApproved(index)).length;
  }

  private approveNext(): void {
    const next = this.approvedCount();
    // The last period stays open, so that facts of approved periods have a statement to be in.
    if (next >= lastDays.length - 1) return;
    // What cannot be converted is not approved.
    if (this.oracle.pay(next, currencies) === null) return;
    this.world.approve(next, currencies);
    this.oracle.approve(next, currencies);
    this.approvedLines.set(next, this.describeLines(next));
    this.approvedPay.set(next, this.world.pay(next, currencies));
  }

  /** Replaces the rows of an approved period, and pays the difference there or in the first open period after it. */
  private correctApproved(): void {
    const approved = this.approvedCount();
    if (approved === 0) return;
    this.correct(this.random.below(approved), this.random.below(2) === 0 ? null : approved);
  }

  private correct(index: number, target: number | null): void {
    const range = { from: `${(lastDays[index] as string).slice(0, 8)}01`, to: lastDays[index] as string };
    const after = this.events.map((event) => ({
      ...structuredClone(event),
      rows: event.rows.map((row) =>
        row.day >= range.from && row.day <= range.to ? { ...row, amount: this.amount(event.currency) } : row,
      ),
    }));
    if (!this.oracle.correct(index, after, target, currencies)) return;
    this.world.correct(index, after, target, currencies);
    if (target === null) this.approvedPay.set(index, this.world.pay(index, currencies));
    this.events = after;
  }

  /** Only a statement without corrections that were carried forward is opened again here. */
  private reopenLatest(): void {
    const latest = this.approvedCount() - 1;
    if (latest < 0 || this.oracle.periods.some(({ carried }) => carried.length > 0)) return;
    this.world.reopen(latest);
    this.oracle.reopen(latest);
    this.approvedLines.delete(latest);
    this.approvedPay.delete(latest);
  }

  /** A true-up of an earlier period may keep what the latest has taken back. */
  private reopenAfterTrueUp(): void {
    const next = this.approvedCount();
    const key = `taken back in ${next} USD`;
    if (next === 0 || next >= lastDays.length - 1 || this.events.some((event) => event.key === key)) return;
    const rows = [{ amount: this.random.of(['-900', '-1', '-4000']), day: lastDays[next] as string }];
    this.events = [...this.events, { key, currency: 'USD', rows, source: 'whole', holds: [] }];
    this.share();
    this.approveNext();
    this.correct(this.random.below(next), null);
    this.reopenLatest();
  }

  private compare(step: string): void {
    for (const [index] of lastDays.entries()) {
      expect(this.describeLines(index), `${step}, lines of ${index}`).to.equal(this.describeOracleLines(index));
      if (this.approvedLines.has(index))
        expect(this.describeLines(index), step).to.equal(this.approvedLines.get(index));
      for (const currency of currencies) this.compareTotals(index, currency, step);
      const expected = this.oracle.pay(index, currencies);
      const paid = this.world.pay(index, currencies);
      expect(paid === null ? null : Number(paid), `${step}, pay of ${index}`).to.equal(
        expected === null ? null : Number(money(expected)),
      );
      if (this.approvedPay.has(index)) expect(paid, step).to.equal(this.approvedPay.get(index));
    }
    for (const currency of currencies) {
      this.checkSums(currency, step);
      const balance = this.oracle.balance(currency);
      expect(isNegative(balance)).to.equal(false);
      expect(this.world.balance(currency).toNumber(), step).to.equal(Number(money(balance)));
    }
  }

  private compareTotals(index: number, currency: (typeof currencies)[number], step: string): void {
    const own = this.world.totals(index, currency);
    const other = this.oracle.totals(index, currency);
    const seen = [own.payable, own.added, own.recovered].map((amount) => amount.toNumber());
    const expected = [other.payable, other.added, other.recovered].map((amount) => Number(money(amount)));
    expect(seen, `${step}, totals of ${index} in ${currency}`).to.deep.equal(expected);
    expect(own.payable.sign(), `${step}: a statement pays less than nothing`).to.be.at.least(0);
  }

  /** What all statements pay, what waits and what is owed add up to what is earned. */
  private checkSums(currency: (typeof currencies)[number], step: string): void {
    const lastDay = lastDays.at(-1) as string;
    const groups = this.events.filter((event) => event.currency === currency).map(toGroup);
    const earnedTotal = sum(groups.map((group) => computeEarned(group, lastDay)));
    const byOracle = this.events
      .filter((event) => event.currency === currency)
      .map((event) => earned(event, lastDay))
      .reduce(add, zero);
    expect(earnedTotal.toNumber(), step).to.equal(Number(money(byOracle)));
    const paid = sum(
      lastDays.flatMap((_, index) =>
        [...this.world.lines(index)].filter(([key]) => key.endsWith(currency)).map(([, { amount }]) => amount),
      ),
    );
    const corrected = sum(this.world.correctionAmounts(currency));
    const waiting = this.world.waiting(currency);
    expect(paid.plus(corrected).plus(waiting).toString(), `${step}: the lines do not add up`).to.equal(
      earnedTotal.toString(),
    );
    const changes = lastDays
      .map((_, index) => this.world.totals(index, currency))
      .filter((_, index) => this.world.isApproved(index));
    const net = sum(changes.map(({ payable, added, recovered }) => payable.minus(added).plus(recovered)));
    const owed = sum(changes.map(({ added, recovered }) => added.minus(recovered)));
    const next = this.world.totals(this.approvedCount(), currency);
    expect(next.opening.toString(), `${step}: the next statement does not begin with what is owed`).to.equal(
      owed.toString(),
    );
    const approvedLines = sum(this.world.approvedAmounts(currency));
    expect(net.toString(), `${step}: what is paid and owed is not what was approved`).to.equal(
      approvedLines.toString(),
    );
  }

  private describeLines(index: number): string {
    return [...this.world.lines(index)]
      .map(([key, { amount }]) => `${key} ${amount.toNumber()}`)
      .sort()
      .join();
  }

  private describeOracleLines(index: number): string {
    return [...this.oracle.lines(index)]
      .map(([key, amount]) => `${key} ${Number(money(amount))}`)
      .sort()
      .join();
  }
}

export function describeRandomWorlds(runs: number, first: number): void {
  describe(`payables in random worlds from seed ${first}`, () => {
    it(`equal the oracle after every step, and lose nothing, in ${runs} worlds`, () => {
      for (let seed = first; seed < first + runs; seed += 1) new RandomWorld(seed).run(14);
    });
  });
}
