import { expect } from 'chai';
import { type BatchAmount } from '#src/finance/batch-amounts.js';
import { divideByEntity, EntitiesOfRep } from '#src/finance/entity-shares.js';
import { inOrderOfDays } from '#src/finance/rep-entities.js';
import { Decimal, sum } from '#src/kernel/decimal.js';
import { civilCalendar } from '#src/kernel/period-calendar.js';
import { PayPeriods } from '#src/pay/payables/pay-periods.js';
import { type PayableRow } from '#src/pay/payables/payable-rows.js';
import { type StoredPayable } from '#src/pay/payables/stored-payable.js';
import { CompanyBalances, companyOn, type Membership } from '../support/oracle/companies.js';
import { Random } from '../support/random.js';

const first = Number(process.env.BOOKS_SEED ?? 1);
const runs = Number(process.env.BOOKS_RUNS ?? 200);
const months = ['01', '02', '03', '04', '05', '06'].map((month) => `2026-${month}`);
const currency = 'USD';

interface Earned {
  readonly key: string;
  readonly day: string;
  readonly cents: number;
}

/** A statement of a month in one of its versions, which is paid by a batch. */
interface Paid {
  readonly batchId: string;
  readonly period: string;
  readonly lines: readonly Earned[];
  readonly cents: number;
  readonly isCancelled: boolean;
}

/** A person who moves between companies, with rows, statements and batches. */
class RandomPerson {
  private readonly random: Random;
  private readonly memberships: readonly Membership[];
  private readonly rows: readonly Earned[];
  private readonly batches: readonly Paid[];

  constructor(private readonly seed: number) {
    this.random = new Random(seed);
    const days = [null, ...Array.from({ length: this.random.below(6) }, () => this.day(this.random.of(months)))];
    const from = [...new Set(days)].slice(this.random.below(2));
    this.memberships = from.map((each) => ({ from: each, company: this.random.of(['main', 'uk', 'us']) }));
    const back = this.random.of([40_000, 80_000, 140_000]);
    this.rows = Array.from({ length: 3 + this.random.below(12) }, (_, index) => ({
      key: `R${index}`,
      day: this.day(this.random.of(months)),
      cents: this.random.below(200_000) - back,
    }));
    this.batches = this.pay();
  }

  private day(month: string): string {
    return `${month}-${String(1 + this.random.below(28)).padStart(2, '0')}`;
  }

  /**
   * A month is paid in one batch, or in two, of which the second has a later version. A debt is kept by later ones, as a
   * whole or in part; others keep more, as for a draw.
   */
  private pay(): Paid[] {
    let balance = 0;
    return months.flatMap((period) => {
      const lines = this.rows.filter(({ day }) => day.startsWith(period));
      const versions = this.random.below(3) === 0 ? [lines.filter(() => this.random.below(2) === 0), lines] : [lines];
      const before = balance;
      let contained = 0;
      return versions.map((version, index): Paid => {
        const after = before + version.reduce((total, { cents }) => total + cents, 0);
        const isCancelled = index < versions.length - 1 && this.random.below(2) === 0;
        const other = this.random.below(2) === 0 ? 0 : this.random.below(60_000) - 30_000;
        const cents = Math.max(0, after + other) - contained;
        if (!isCancelled) contained += cents;
        balance = after - contained;
        return { batchId: `${period}-${index}`, period, lines: version, cents, isCancelled };
      });
    });
  }

  /** What each company pays of each batch, as the oracle divides it. */
  private expected(): Record<string, Record<string, number>> {
    const balances = new CompanyBalances();
    const counted = new Map<string, readonly Earned[]>();
    const paid: Record<string, Record<string, number>> = {};
    for (const { batchId, period, lines, cents, isCancelled } of this.batches) {
      for (const row of counted.get(period) ?? []) balances.add(companyOn(this.memberships, row.day), -row.cents);
      for (const row of lines) balances.add(companyOn(this.memberships, row.day), row.cents);
      counted.set(period, lines);
      const parts = balances.pay(cents, companyOn(this.memberships, `${period}-31`));
      if (isCancelled) for (const [company, part] of Object.entries(parts)) balances.add(company, part);
      paid[batchId] = parts;
    }
    return paid;
  }

  check(): void {
    const expected = this.expected();
    const divided = this.divide();
    for (const { batchId, cents } of this.batches) {
      const parts = divided.filter((part) => part.batchId === batchId && !part.commission.isZero());
      const about = `seed ${this.seed}, batch ${batchId}`;
      expect(Object.fromEntries(parts.map((part) => [part.entity, toCents(part.commission)])), about).to.deep.equal(
        expected[batchId],
      );
      expect(toCents(sum(parts.map(({ commission }) => commission))), about).to.equal(cents);
    }
  }

  private divide() {
    const entities = inOrderOfDays(
      this.memberships.map(({ from, company }) => (from === null ? { entity: company } : { from, entity: company })),
    );
    const payPeriods = new PayPeriods([{ from: '2026-01-01', period: 'monthly', calendar: 'calendar' }], civilCalendar);
    const history = { findApproved: () => null } as unknown as Parameters<typeof divideByEntity>[1]['history'];
    const contents = { batches: this.batches.map(toBatch), approved: [] };
    const owner = new EntitiesOfRep(entities, this.rows.map(toRow), []);
    const { batches } = divideByEntity(owner, { history }, { payPeriods, day: '2026-06-30' }, contents);
    return batches;
  }
}

const text = (cents: number) => Decimal.of(cents).dividedBy(Decimal.of(100)).toString();
const toCents = (amount: Decimal) => amount.times(Decimal.of(100)).toNumber();

function toRow({ key, day, cents }: Earned): PayableRow {
  return {
    ...{
      repId: 'r',
      key,
      eventId: key,
      dealKey: null,
      planId: null,
      planVersionId: null,
      ruleId: null,
      ruleName: null,
    },
    ...{
      phase: null,
      category: 'adjustment',
      amount: text(cents),
      credit: null,
      currency,
      day,
      frozen: null,
      inputs: null,
    },
  };
}

function toBatch({ batchId, period, lines, cents, isCancelled }: Paid): BatchAmount {
  const payable: StoredPayable = {
    totals: [],
    lines: lines.map(({ key, cents: amount }) => ({
      ...{ key: `${key}|${currency}`, kind: 'release', dealId: null, planId: null, ruleName: null, currency },
      ...{ category: 'adjustment', amount: text(amount), earned: text(amount), released: text(amount) },
    })),
  };
  const day = `${period}-28`;
  return {
    ...{ repId: 'r', batchId, period, currency, status: isCancelled ? 'cancelled' : 'paid', createdOn: day, payable },
    ...{ decidedOn: day, paidOn: isCancelled ? null : day, commission: Decimal.of(text(cents)), draws: new Map() },
  };
}

describe('random people who move between companies', () => {
  it('are paid by the companies of their rows, as an independent calculation divides it', () => {
    for (let seed = first; seed < first + runs; seed += 1) new RandomPerson(seed).check();
  });
});
