import { expect } from 'chai';
import { accountRoles } from '#src/finance/accounts.js';
import { civilMonths } from '#src/finance/book-calendar.js';
import { hashLines, type JournalLine } from '#src/finance/journal-line.js';
import { type AgreedWriteOff, type Estimate, keepBooks } from '#src/finance/keep-books.js';
import { listMonths } from '#src/finance/month.js';
import { type Movement, movementKinds, noOrigin } from '#src/finance/movement.js';
import { changesLiability, rollForward } from '#src/finance/roll-forward.js';
import { Decimal, maximum, minimum, sum } from '#src/kernel/decimal.js';
import { groupBy } from '#src/kernel/group-by.js';
import { companyOn, type Membership } from '../support/oracle/companies.js';
import { Random } from '../support/random.js';

const months = listMonths('2026-01', '2026-06');
const first = Number(process.env.BOOKS_SEED ?? 1);
const runs = Number(process.env.BOOKS_RUNS ?? 40);

const companies = ['main', 'uk'] as const;
type Company = (typeof companies)[number];
type OfCompany<T> = T & { readonly company: Company };

/** Facts of a person that change between closings at random, also to which company the person belongs from which day on. */
class RandomBooks {
  private readonly random: Random;
  private movements: Movement[] = [];
  private posted: JournalLine[] = [];
  private memberships: Membership[] = [];
  private writeOffs: OfCompany<AgreedWriteOff>[] = [];
  private estimates: OfCompany<Estimate>[] = [];
  private closed = 0;

  constructor(private readonly seed: number) {
    this.random = new Random(seed);
  }

  async run(): Promise<void> {
    for (let step = 0; step < 12; step += 1) {
      if (this.random.below(4) === 0 && this.closed < months.length - 1) this.close();
      else if (this.random.below(6) === 0) this.writeOff();
      else if (this.random.below(5) === 0) this.estimate();
      else if (this.random.below(4) === 0) this.move();
      else this.change();
      await this.check();
    }
  }

  private change(): void {
    const kept = this.movements.filter(() => this.random.below(6) > 0);
    const added = Array.from({ length: 1 + this.random.below(3) }, () => this.movement());
    const replaced = new Set(added.map(({ source, currency }) => source + currency));
    this.movements = [...kept.filter(({ source, currency }) => !replaced.has(source + currency)), ...added];
  }

  private move(): void {
    const from = `${this.random.of(months)}-${String(1 + this.random.below(28)).padStart(2, '0')}`;
    const others = this.memberships.filter((each) => each.from !== from);
    this.memberships = [...others, { from, company: this.random.of(companies) }];
  }

  private movementsOf(company: Company): Movement[] {
    return this.movements.filter(({ day }) => companyOn(this.memberships, day) === company);
  }

  /** Debts are written off in months that are open. */
  private writeOff(): void {
    const currency = this.random.of(['USD', 'EUR']);
    const amount = Decimal.of((1 + this.random.below(100_000)) / 100);
    const day = `${this.random.of(months.slice(this.closed))}-10`;
    this.writeOffs = [...this.writeOffs, { currency, amount, day, company: this.random.of(companies) }];
  }

  /** Those of closed months do not change. */
  private estimate(): void {
    const month = this.random.of(months.slice(this.closed));
    const company = this.random.of(companies);
    const source = `estimate|${this.random.below(2)}`;
    const currency = this.random.of(['USD', 'EUR']);
    const amount = Decimal.of((this.random.below(200_000) - 100_000) / 100);
    const others = this.estimates.filter(
      (each) =>
        each.company !== company || each.month !== month || each.source !== source || each.currency !== currency,
    );
    const isAsset = this.random.below(2) === 0;
    this.estimates = [...others, { company, month, source, currency, amount, isAsset, origin: noOrigin }];
  }

  private movement(): Movement {
    const kind = this.random.of(movementKinds);
    const amount = Decimal.of((this.random.below(200_000) - 100_000) / 100);
    const names: Readonly<Record<string, string>> = { draw_recovery: 'recovery', draw_forgiven: 'forgiven' };
    const isOfLot = ['amortisation', 'contract_end', 'impairment', 'opening', 'payroll_tax'].includes(kind);
    const isOfDraw = kind === 'payment' || kind === 'draw_recovery' || kind === 'draw_forgiven';
    const isAsset = isOfLot || (kind === 'earned' && this.random.below(2) === 0);
    return {
      kind,
      source: `${names[kind] ?? kind}|${this.random.below(4)}`,
      day: `${this.random.of(months)}-${String(1 + this.random.below(28)).padStart(2, '0')}`,
      currency: isOfLot ? 'USD' : this.random.of(['USD', 'EUR']),
      amount: isOfLot || kind === 'draw_forgiven' ? Decimal.zero : amount,
      draws: isOfDraw ? amount : Decimal.zero,
      asset: isAsset ? amount : Decimal.zero,
      origin: noOrigin,
    };
  }

  private keep(company: Company, movements: readonly Movement[] = this.movementsOf(company)): JournalLine[] {
    const isOwn = (each: { readonly company: Company }) => each.company === company;
    const { lines } = keepBooks({
      workspaceId: 'w',
      repId: 'r',
      entity: {
        code: company,
        currency: 'USD',
        framework: 'us_gaap',
        payrollTax: [
          { from: '2026-03-01', percent: '10' },
          { from: '2026-01-01', percent: '7.65' },
        ],
      },
      movements,
      writeOffs: this.writeOffs.filter(isOwn),
      estimates: this.estimates.filter(isOwn),
      posted: this.posted.filter(({ entity }) => entity === company),
      months: months.slice(this.closed),
      calendar: civilMonths,
      convert: (amount, _currency, day) => amount.times(Decimal.of(`1.0${day.slice(5, 7)}`)).rounded(2),
    });
    return [...lines];
  }

  private close(): void {
    const month = months[this.closed];
    const lines = companies.flatMap((company) => this.keep(company));
    this.posted = [...this.posted, ...lines.filter((line) => line.month === month)];
    this.closed += 1;
  }

  private async check(): Promise<void> {
    for (const company of companies) await this.checkCompany(company);
  }

  private async checkCompany(company: Company): Promise<void> {
    const own = this.keep(company);
    const lines = [...this.posted.filter(({ entity }) => entity === company), ...own];
    const about = `seed ${this.seed}, ${company}`;
    const entries = groupBy(lines, ({ month, kind, ref, currency }) => `${month} ${kind} ${ref} ${currency}`);
    for (const [entry, parts] of entries) {
      expect(sum(parts.map(({ amount }) => amount)).toString(), `${about}, ${entry}`).to.equal('0');
      expect(sum(parts.map(({ value }) => value)).toString(), `${about}, value of ${entry}`).to.equal('0');
    }
    const ids = lines.map(({ lineId }) => lineId);
    expect(new Set(ids).size, `${about}, ids`).to.equal(ids.length);
    this.checkAsset(lines, company, about);
    this.checkEstimates(lines, company, about);
    for (const currency of ['USD', 'EUR']) this.checkCurrency(lines, currency, company, about);
    const shuffled = this.keep(company, this.movementsOf(company).toReversed());
    expect(await hashLines(null, '2026-01', shuffled), about).to.equal(await hashLines(null, '2026-01', own));
  }

  /** The asset at the end is what is known now, also of months that were closed. */
  private checkAsset(lines: readonly JournalLine[], company: Company, about: string): void {
    const posted = sum(lines.filter(({ account }) => account === 'contract_cost').map(({ value }) => value));
    expect(posted.toString(), `${about}, asset`).to.equal(
      sum(this.movementsOf(company).map(({ asset }) => asset)).toString(),
    );
  }

  /** At the end of each month, the account has what is estimated for this month alone. */
  private checkEstimates(lines: readonly JournalLine[], company: Company, about: string): void {
    const ofAccount = lines.filter(({ account }) => account === 'accrued_estimate');
    for (const month of months) {
      const until = ofAccount.filter((line) => line.month <= month);
      const expected = this.estimates.filter((each) => each.month === month && each.company === company);
      for (const currency of ['USD', 'EUR']) {
        const accrued = sum(until.filter((line) => line.currency === currency).map(({ amount }) => amount));
        const estimated = sum(expected.filter((each) => each.currency === currency).map(({ amount }) => amount));
        expect(accrued.negated().toString(), `${about}, estimates of ${month}`).to.equal(estimated.toString());
      }
    }
  }

  private checkCurrency(lines: readonly JournalLine[], currency: string, company: Company, about: string): void {
    const own = lines.filter((line) => line.currency === currency);
    let before = Decimal.zero;
    for (const [index, month] of months.entries()) {
      const { opening, closing } = rollForward(own, month);
      expect(opening.toString(), `${about}, opening of ${month}`).to.equal(before.toString());
      before = closing;
      // Closed months keep what was posted, so only open ones are what is known now.
      if (index < this.closed) continue;
      const known = this.movementsOf(company).filter(
        (each) => each.currency === currency && each.day.slice(0, 7) <= month,
      );
      const owed = sum(known.map(({ amount }) => amount));
      const agreed = this.writeOffs.filter(
        (each) => each.company === company && each.currency === currency && each.day.slice(0, 7) <= month,
      );
      const writtenOff = minimum(sum(agreed.map(({ amount }) => amount)), maximum(owed.negated(), Decimal.zero));
      expect(closing.toString(), `${about}, closing of ${month}`).to.equal(owed.plus(writtenOff).toString());
      this.checkAccounts(
        own.filter((line) => line.month <= month),
        closing,
        about,
      );
    }
    expect(own.filter(changesLiability).every(({ account }) => accountRoles.includes(account))).to.equal(true);
  }

  private checkAccounts(lines: readonly JournalLine[], closing: Decimal, about: string): void {
    const balance = (account: string) =>
      sum(lines.filter((line) => line.account === account).map(({ amount }) => amount));
    const [accrued, receivable] = [balance('accrued_commission'), balance('commission_receivable')];
    expect(accrued.plus(receivable).negated().toString(), about).to.equal(closing.toString());
    expect(accrued.sign(), `${about}, liability`).to.be.at.most(0);
    expect(receivable.sign(), `${about}, receivable`).to.be.at.least(0);
    expect(accrued.isZero() || receivable.isZero(), `${about}, one of both`).to.equal(true);
  }
}

describe('the books of random facts with random closings', () => {
  it('close, balance in every currency, and are what is known now', async () => {
    for (let seed = first; seed < first + runs; seed += 1) await new RandomBooks(seed).run();
  });
});
