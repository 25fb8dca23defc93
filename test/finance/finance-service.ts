import { expect } from 'chai';
import { type Service } from '#test/support/service.js';
import { PayWorkspace } from '../pay/payables/pay-service.js';

interface BookOptions extends NonNullable<Parameters<typeof PayWorkspace.create>[1]> {
  readonly from?: string;
}

interface Line {
  readonly entity: string;
  readonly kind: string;
  readonly ref: string;
  readonly repId: string;
  readonly currency: string;
  readonly account: string;
  readonly amount: number;
  readonly value: number;
}

const cents = (amount: number) => Math.round(amount * 100) / 100;

/** Pay of Ben, and the books of it. */
export class Books {
  constructor(readonly work: PayWorkspace) {}

  static async open(service: Service, { from = '2026-01', ...options }: BookOptions = {}): Promise<Books> {
    const work = await PayWorkspace.create(service, options);
    const books = new Books(work);
    await books.turnOn({ from });
    return books;
  }

  turnOn(terms: object = {}) {
    return this.work.api.expect(200, 'PATCH', '/v1/workspaces', { accounting: { enabled: true, ...terms } });
  }

  get(path: string) {
    return this.work.api.expect(200, 'GET', `/v1/accounting${path}`);
  }

  /** The row of the currency in the roll-forward, which is checked to close. */
  async liability(month: string, { currency = 'USD', query = '' } = {}) {
    const { liability } = await this.get(`/liability?month=${month}${query}`);
    const row = liability.find((each: { currency: string }) => each.currency === currency);
    if (row === undefined) return nothing;
    const { opening, earned, corrections, adjustments, takenBack, topUps, recovered, paid, writtenOff, closing } = row;
    const moved = earned + corrections + adjustments + takenBack + topUps + recovered + paid + writtenOff;
    expect(cents(opening + moved)).to.equal(closing);
    expect(cents(row.liability - row.receivable)).to.equal(closing);
    const states: number[] = Object.values(row.states);
    expect(cents(states.reduce((sum, amount) => sum + amount, 0))).to.equal(closing);
    return row;
  }

  /** The lines of a month, whose entries are checked to balance in every currency and in value. */
  async journal(month: string): Promise<Line[]> {
    const { lines } = await this.get(`/journals?month=${month}&limit=1000`);
    const sums = new Map<string, number>();
    for (const { entity, kind, ref, repId, currency, amount, value } of lines as Line[])
      for (const [key, part] of [
        [`${entity} ${repId} ${kind} ${ref} ${currency}`, amount],
        [`${entity} ${repId} ${kind} ${ref} value`, value],
      ] as const)
        sums.set(key, cents((sums.get(key) ?? 0) + part));
    expect([...sums].filter(([, sum]) => sum !== 0)).to.deep.equal([]);
    return lines;
  }

  /** What the account has moved in the month, in the currency of the entity. */
  async moved(month: string, account: string): Promise<number> {
    const lines = (await this.journal(month)).filter((line) => line.account === account);
    return cents(lines.reduce((sum, { value }) => sum + value, 0));
  }

  /** What the accounts contain at the end of the month, in the currency of the entity. */
  async balance(months: readonly string[], account: string): Promise<number> {
    let sum = 0;
    for (const month of months) sum += await this.moved(month, account);
    return cents(sum);
  }

  async pay(period: string, paidOn: string) {
    const { api } = this.work;
    const { batchId } = await api.expect(201, 'POST', '/v1/payout-batches', { period });
    await api.expect(200, 'PATCH', `/v1/payout-batches/${batchId}`, { status: 'paid', paidOn });
  }

  entity(terms: object, code = 'main') {
    const whole = { name: 'Acme', payrollTax: [], accounts: {}, ...terms };
    return this.work.api.expect(200, 'PUT', `/v1/accounting/entities/${code}`, whole);
  }
}

const nothing = { opening: 0, closing: 0, liability: 0, receivable: 0 };
