import { type BookCompany, type BookDeal, type BookFacts, type BookPolicy, OracleBooks } from './books.js';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer Item)[] ? Item[] : T[Key] };

const policy: BookPolicy = {
  ...{ from: '2020-01', scope: 'new', treatment: 'capitalise', period: { months: 36 }, start: 'earned' },
  ...{ convention: 'full_month', expedientMonths: 12, payrollTax: false, correction: 'catch_up' },
};

/** A worked example of the page: USD, one company, a policy of 36 months. Amounts are in units of the currency. */
export class BookExample {
  private readonly books = new OracleBooks('2020-01');
  private readonly deals: Record<string, Writable<BookDeal>> = {};
  private readonly facts: Writable<BookFacts>;

  constructor(terms: Partial<BookPolicy> | null = {}, company: Partial<BookCompany> = {}) {
    this.facts = {
      companies: { main: { currency: 'USD', framework: 'us_gaap', payrollTax: [], ...company } },
      ...{ memberships: {}, rows: [], deals: this.deals, policies: terms === null ? [] : [{ ...policy, ...terms }] },
      ...{ tests: [], payments: [], rates: [] },
    };
  }

  with(facts: Partial<BookFacts>): this {
    Object.assign(this.facts, facts);
    return this;
  }

  version(terms: Partial<BookPolicy>): this {
    this.facts.policies.push({ ...policy, ...terms });
    return this;
  }

  earn(amount: number, day: string, { dealId = 'D1', repId = 'A', currency = 'USD' } = {}): this {
    const id = `${repId}-${dealId}`;
    this.without(id);
    this.deals[dealId] ??= { amount: 300_000, refunds: [] };
    this.facts.rows.push({ ...{ id, repId, dealId, day, currency }, kind: 'deal', amount: cents(amount) });
    return this;
  }

  adjust(id: string, amount: number, day: string): this {
    this.facts.rows.push({ ...{ id, repId: 'A', day, currency: 'USD' }, kind: 'adjustment', amount: cents(amount) });
    return this;
  }

  without(id: string): this {
    this.facts.rows = this.facts.rows.filter((row) => row.id !== id && row.sourceId !== id);
    return this;
  }

  /** The share of the deal in percent, and what is taken back of each row. */
  refund(percent: number, day: string, takenBack: Readonly<Record<string, number>>): this {
    const deal = this.deals.D1 as Writable<BookDeal>;
    deal.refunds.push({ day, amount: Math.round(percent * 3000) });
    for (const [sourceId, amount] of Object.entries(takenBack)) this.takeBack(sourceId, amount, day);
    return this;
  }

  takeBack(sourceId: string, amount: number, day: string): this {
    const source = this.facts.rows.find(({ id }) => id === sourceId);
    if (source === undefined) throw new Error(sourceId);
    const id = `${sourceId}-${day}`;
    this.facts.rows.push({ ...source, id, sourceId, kind: 'refund', day, amount: cents(0 - amount) });
    return this;
  }

  withoutRefunds(): this {
    for (const deal of Object.values(this.deals)) deal.refunds = [];
    this.facts.rows = this.facts.rows.filter(({ kind }) => kind !== 'refund');
    return this;
  }

  contract(contract: NonNullable<BookDeal['contract']>): this {
    (this.deals.D1 as Writable<BookDeal>).contract = contract;
    return this;
  }

  test(month: string, value: number): this {
    this.facts.tests.push({ dealId: 'D1', month, value: cents(value) });
    return this;
  }

  pay(amount: number, day: string, { currency = 'USD', company = 'main' } = {}): this {
    this.facts.payments.push({ repId: 'A', company, currency, day, amount: cents(amount) });
    return this;
  }

  close(...months: readonly string[]): this {
    for (const month of months) this.books.close(month, this.facts);
    return this;
  }

  /** The roll-forward of the cost of one company. */
  costs(month: string, company = 'main') {
    const sums = { opening: 0, additions: 0, corrections: 0, amortised: 0, clawedBack: 0, impaired: 0, closing: 0 };
    const rows = Object.entries(this.books.read(month, this.facts).costs).filter(([key]) =>
      key.startsWith(`${company} `),
    );
    for (const [, row] of rows) for (const column of columnsOf(sums)) sums[column] += row[column];
    return inUnits(sums);
  }

  carrying(month: string): Record<string, number> {
    const { costs } = this.books.read(month, this.facts);
    return inUnits(
      Object.fromEntries(Object.entries(costs).map(([key, row]) => [key.split(' ')[1] as string, row.closing])),
    );
  }

  amortised(...months: readonly string[]): number[] {
    return months.map((month) => 0 - this.costs(month).amortised);
  }

  owed(month: string, { currency = 'USD', company = 'main' } = {}) {
    return inUnits({ ...this.books.read(month, this.facts).owed[`${company} A ${currency}`] });
  }

  account(name: string, ...months: readonly string[]): number {
    const sum = months.reduce(
      (total, month) => total + (this.books.read(month, this.facts).accounts[`main ${name}`] ?? 0),
      0,
    );
    return sum / 100;
  }

  current(month: string): number {
    return this.books.read(month, this.facts).current('main') / 100;
  }
}

const cents = (amount: number) => Math.round(amount * 100);
const columnsOf = <Sums extends object>(sums: Sums) => Object.keys(sums) as (keyof Sums)[];
const inUnits = <Sums extends Record<string, number>>(sums: Sums) =>
  Object.fromEntries(Object.entries(sums).map(([key, amount]) => [key, amount / 100])) as Sums;
