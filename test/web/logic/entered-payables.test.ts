import { expect } from 'chai';
import { type Hold, type Invoice, type Payable } from '#web/api/payout-queries.js';
import { type TeamStatement } from '#web/api/team-queries.js';
import {
  describeHeld,
  describeHoldDays,
  type EnteredHold,
  isRunning,
  readHold,
} from '#web/features/payables/entered-hold.js';
import {
  addPayment,
  type EnteredInvoice,
  paidShare,
  readInvoice,
  toEnteredInvoice,
} from '#web/features/payables/entered-invoice.js';
import { isWhole, payoutSentences, payoutWords } from '#web/features/plans/payout.js';
import { sumByCurrency } from '#web/features/statements/pay-sums.js';
import { chooseBatch, listHeld, listRunRows, listWithoutRow } from '#web/pages/payroll/pay-run.js';
import { describePayouts, readPayouts, toEnteredPayouts } from '#web/pages/settings/entered-payouts.js';

const payment = { paymentId: 'P-1', amount: 42_840, paidOn: '2026-03-05' };
const invoice: Invoice = {
  dealId: 'D-1',
  invoiceId: 'INV-1',
  amount: 60_000,
  grossAmount: 71_400,
  currency: 'EUR',
  issuedOn: '2026-01-31',
  status: 'open',
  payments: [payment],
  updatedAt: '2026-03-05T08:00:00.000Z',
};

describe('an entered invoice', () => {
  const entered = (change: Partial<EnteredInvoice>): EnteredInvoice => ({ ...toEnteredInvoice(invoice), ...change });

  it('is sent as it was stored, if nothing changes', () => {
    const { dealId: _, invoiceId: __, updatedAt: ___, ...terms } = invoice;
    expect(readInvoice(toEnteredInvoice(invoice))).to.deep.equal(terms);
  });

  it('has the currency of the deal and no tax where they are empty', () => {
    expect(readInvoice(entered({ currency: ' ', grossAmount: '' }))).to.deep.include({
      currency: null,
      grossAmount: null,
    });
    expect(readInvoice(entered({ currency: 'usd' }))).to.deep.include({ currency: 'USD' });
  });

  for (const [what, change] of [
    ['a number', { invoiceId: ' ' }],
    ['an amount above 0', { amount: '0' }],
    ['an amount with tax above 0, if there is one', { grossAmount: 'x' }],
    ['a day', { issuedOn: '2026-02-30' }],
    ['an amount other than 0 in each payment', { payments: [{ paymentId: 'P-1', amount: '0', paidOn: '2026-03-05' }] }],
    ['a day in each payment', { payments: [{ paymentId: 'P-1', amount: '5', paidOn: '' }] }],
    ['an id in each payment', { payments: [{ paymentId: '', amount: '5', paidOn: '2026-03-05' }] }],
  ] as const)
    it(`needs ${what}`, () => {
      expect(readInvoice(entered(change))).to.equal(null);
    });

  it('gives a further payment an id that no other has', () => {
    const payments = addPayment([
      { paymentId: 'P-2', amount: '5', paidOn: '2026-03-05' },
      { paymentId: 'x', amount: '5', paidOn: '2026-03-05' },
    ]);
    expect(payments.at(-1)).to.deep.equal({ paymentId: 'P-3', amount: '', paidOn: '' });
    expect(addPayment([{ paymentId: 'P-2', amount: '', paidOn: '' }]).at(-1)?.paymentId).to.equal('P-3');
  });

  it('is paid in the share of what it is with tax, from 0 to 1', () => {
    expect(paidShare(invoice)).to.equal(0.6);
    expect(paidShare({ ...invoice, grossAmount: null, payments: [{ ...payment, amount: -5 }] })).to.equal(0);
    expect(paidShare({ ...invoice, payments: [{ ...payment, amount: 99_000 }] })).to.equal(1);
  });
});

describe('an entered hold', () => {
  const entered: EnteredHold = {
    person: 'r',
    dealId: '',
    ruleName: '',
    from: '2026-02-20',
    to: '',
    reason: ' Open question ',
  };

  it('names at least a person, a deal or a rule, and has a reason and days in order', () => {
    expect(readHold(entered)).to.deep.equal({
      ...{ repId: 'r', dealId: null, ruleName: null },
      ...{ from: '2026-02-20', to: null, reason: 'Open question' },
    });
    expect(readHold({ ...entered, person: '' })).to.equal(null);
    expect(readHold({ ...entered, person: '', ruleName: 'New business' })?.ruleName).to.equal('New business');
    expect(readHold({ ...entered, reason: ' ' })).to.equal(null);
    expect(readHold({ ...entered, to: '2026-02-19' })).to.equal(null);
    expect(readHold({ ...entered, to: '2026-02-20' })?.to).to.equal('2026-02-20');
  });

  it('says whom it is about and until when', () => {
    const hold = { repName: 'Ben', dealId: 'D-1', ruleName: null, from: '2026-02-20', to: null } as unknown as Hold;
    expect(describeHeld(hold)).to.equal('Ben, deal D-1');
    expect(describeHeld({ ...hold, repName: null, ruleName: 'Kicker' })).to.equal('Everyone, deal D-1, rule Kicker');
    expect(describeHoldDays(hold)).to.match(/^since /);
    expect(describeHoldDays({ ...hold, to: '2026-04-01' })).to.include(' to ');
    expect([null, '2026-03-01', '2026-02-28'].map((to) => isRunning({ to }, '2026-03-01'))).to.deep.equal([
      true,
      true,
      false,
    ]);
  });
});

describe('the payout of a rule in words', () => {
  const schedule = (...parts: readonly { on: string; percent: number; offsetDays?: number }[]) =>
    payoutWords({ executionPhase: 'per_deal', payout: { schedule: parts } });

  it('says what each part waits for', () => {
    expect(schedule({ on: 'close', percent: 50 }, { on: 'paid', percent: 50 })).to.equal(
      '50 % on the close date, 50 % as the customer pays',
    );
    expect(schedule({ on: 'close', percent: 20, offsetDays: 30 }, { on: 'go_live', percent: 80 })).to.equal(
      '20 % 30 days after the close date, 80 % on the date Go live',
    );
    expect(schedule({ on: 'paid_in_full', percent: 100 })).to.equal('100 % when the customer has paid everything');
    expect(schedule({ on: 'paid', percent: 100, offsetDays: 1 })).to.equal(
      '100 % 1 day after each payment of the customer',
    );
  });

  it('names equal parts, and what a rule without one does', () => {
    const words = (
      executionPhase: 'per_deal' | 'cascade' | 'periodic',
      payout?: { parts: number; everyMonths: number },
    ) => payoutWords({ executionPhase, ...(payout === undefined ? {} : { payout }) });
    expect(words('per_deal')).to.equal('on the close date');
    expect(words('cascade')).to.equal('as the amounts below are paid');
    expect(words('periodic', { parts: 3, everyMonths: 1 })).to.equal(
      'in 3 equal parts, one each month from the last day of the period on',
    );
    expect(words('per_deal', { parts: 2, everyMonths: 6 })).to.include('one each 6 months from the close date on');
    expect(payoutSentences({ executionPhase: 'per_deal' })).to.deep.equal([]);
    expect(payoutSentences({ executionPhase: 'per_deal', payout: { parts: 1, everyMonths: 1 } })).to.deep.equal([
      'What it earns is paid on the close date.',
    ]);
  });

  it('adds up to 100 % exactly', () => {
    const parts = (...percents: number[]) => ({ schedule: percents.map((percent) => ({ on: 'close', percent })) });
    expect(isWhole(parts(33.333333, 33.333333, 33.333334))).to.equal(true);
    expect(isWhole(parts(33.333333, 33.333333, 33.333333))).to.equal(false);
    expect(isWhole({ parts: 3, everyMonths: 1 })).to.equal(true);
  });
});

describe('the entered terms of payouts', () => {
  const off = toEnteredPayouts({});
  const on = toEnteredPayouts({
    payouts: { enabled: true, from: '2026-01-01', period: 'quarterly', calendar: 'fiscal' },
    recovery: { maxPercent: 50 },
  });

  it('are sent as far as they changed', () => {
    expect(readPayouts(off, { ...off, enabled: 'on', from: '2026-01-01' })).to.deep.equal({
      payouts: { enabled: true, from: '2026-01-01', period: 'monthly', calendar: 'calendar' },
    });
    expect(readPayouts(on, { ...on, maxPercent: '25' })).to.deep.equal({ recovery: { maxPercent: 25 } });
    expect(readPayouts(on, { ...on, enabled: 'off' })).to.deep.equal({ payouts: { enabled: false } });
    expect(readPayouts(off, { ...off, enabled: 'on' })).to.equal(null);
    expect(readPayouts(on, { ...on, maxPercent: '101' })).to.equal(null);
  });

  it('are said in words', () => {
    expect(describePayouts(off)).to.equal('Statements pay what is earned in their period.');
    expect(describePayouts(on)).to.match(/^From .* on, statements of each quarter pay what rules release/);
  });
});

describe('a run of payroll', () => {
  const total = {
    currency: 'USD',
    released: 1600,
    carriedIn: 80,
    opening: 0,
    added: 0,
    recovered: 180,
    closing: 20,
    payable: 1500,
  };
  const statement = (change: object): TeamStatement =>
    ({
      repId: 'r',
      name: 'Ben',
      status: 'approved',
      version: 2,
      payTotals: [total],
      ...change,
    }) as unknown as TeamStatement;
  const batch = { batchId: 'b', status: 'paid', currency: 'USD', amount: 1000.1, paidOn: null };

  it('has what approved statements pay and no batch contains as new', () => {
    const [row] = listRunRows([statement({ payouts: [batch] })]);
    expect(row).to.deep.include({
      released: '1680',
      deducted: '180',
      payable: 1500,
      batched: '1000.1',
      fresh: '499.9',
      owed: 20,
    });
    expect(listRunRows([statement({ status: 'draft' })])[0]?.fresh).to.equal('0');
    expect(listRunRows([statement({ payTotals: undefined })])).to.deep.equal([]);
  });

  it('adds up by currency, the main one first even if it is zero', () => {
    const rows = [
      { currency: 'EUR', amount: 5 },
      { currency: 'EUR', amount: '0.1' },
    ];
    expect(sumByCurrency(rows, 'USD')).to.deep.equal([
      { currency: 'USD', amount: '0' },
      { currency: 'EUR', amount: '5.1' },
    ]);
  });

  it('lists what is new first', () => {
    const person = (repId: string, payable: number) =>
      statement({ repId, name: repId, payTotals: [{ ...total, payable }] });
    const paid = { ...person('paid', 1000.1), payouts: [batch] } as TeamStatement;
    expect(listRunRows([paid, person('new', 5)]).map(({ repId }) => repId)).to.deep.equal(['new', 'paid']);
  });

  it('says why people have no row in the next batch, and who of them is held', () => {
    const group = (reason: 'batched' | 'owes' | 'nothing', count: number, ...names: readonly string[]) => ({
      ...{ reason, count },
      people: names.map((name) => ({ repId: name, name })),
    });
    const others = [group('batched', 1, 'paid'), group('nothing', 200, 'held', 'none'), group('owes', 1, 'owes')];
    const held = listHeld([{ repId: 'held', currency: 'USD', amount: 1 } as unknown as Payable]);
    expect(
      listWithoutRow({ others }, held).map(({ reason, count, people }) => [
        reason,
        count,
        people.map((one) => one.name),
      ]),
    ).to.deep.equal([
      ['already in a batch', 1, ['paid']],
      ['held', 1, ['held']],
      ['nothing is payable', 199, ['none']],
      ['pay 0.00 and still owe', 1, ['owes']],
    ]);
  });

  it('has batches in one currency while another waits to be paid', () => {
    const amounts = [
      ['USD', 1500],
      ['EUR', 7],
    ] as const;
    const none = { count: 0, people: [] };
    const lists = { people: 1, withoutPayrollId: none, changedPayrollIds: none, sharedPayrollIds: none };
    const run = {
      paid: amounts.map(([currency, unpaid]) => ({
        ...{ currency, unpaid },
        ...{ isUnpaid: true, inOpenBatches: 0, inPaidBatches: 0 },
      })),
      next: [
        ...amounts.map(([currency, amount]) => ({ currency, amount, ...lists })),
        { currency: null, amount: null, ...lists },
      ],
    };
    const choose = (paidIn?: string, ...open: readonly string[]) => {
      const totals = open.map((currency) => ({ currency, payable: 1 }));
      const { chosen, isAllOffered, ledger, batch } = chooseBatch(run, { main: 'USD', paidIn, open: [{ totals }] });
      expect(batch?.currency).to.equal(ledger.length === 0 ? undefined : chosen);
      return [chosen, isAllOffered, ledger.map(({ currency, amount }) => `${currency} ${amount}`).join()];
    };
    expect(choose()).to.deep.equal([null, true, 'USD 1500,EUR 7']);
    expect(choose('EUR')).to.deep.equal(['EUR', true, 'EUR 7']);
    expect(choose('GBP')).to.deep.equal([null, true, 'USD 1500,EUR 7']);
    expect(choose(undefined, 'USD')).to.deep.equal(['EUR', false, 'EUR 7']);
    expect(choose('USD', 'USD', 'EUR')).to.deep.equal([null, false, '']);
  });

  it('lists what is held by person and currency, with each reason once', () => {
    const held = (amount: number, reason: string) =>
      ({ repId: 'r', repName: 'Ben', currency: 'USD', amount, heldBy: [{ reason }] }) as unknown as Payable;
    expect(listHeld([held(1.1, 'x'), held(2.2, 'x'), held(3, 'y')])).to.deep.equal([
      { key: 'r USD', repId: 'r', repName: 'Ben', currency: 'USD', amount: '6.3', reasons: ['x', 'y'] },
    ]);
  });
});
