import { expect } from 'chai';
import { dashboardInOwnCurrency, withOwnCurrency } from '#web/api/own-currency.js';
import { type PayCalendar } from '#web/api/pay-calendar-query.js';
import { type Payable, type PayableTotals } from '#web/api/payout-queries.js';
import { type Breakdown, type Dashboard } from '#web/api/queries.js';
import { type TeamStatement } from '#web/api/team-queries.js';
import { listTimeline } from '#web/features/deals/timeline.js';
import { releasedWords } from '#web/features/payables/words.js';
import { listCalendar } from '#web/features/payslip/calendar.js';
import { holdWords, listComing, listPaid, shareMoney, sumStatements, waitWords } from '#web/features/payslip/money.js';
import { listSteps } from '#web/features/payslip/waterfall.js';
import { lineWords, type PayHeadline, paidWords, rateWords, rowWords } from '#web/features/payslip/words.js';

const payable = (change: Partial<Payable>): Payable =>
  ({ repName: 'Ben', dealId: 'D', status: 'waiting', currency: 'USD', amount: 1, period: null, ...change }) as Payable;

describe('the currency of a person', () => {
  const none = { netPayout: 0, totalCommission: 0, payable: 0 };
  const eur = { currency: 'EUR', summary: { ...none, netPayout: 5 } };

  it('is first in a statement, without zeros in others', () => {
    const statement = { currency: 'USD', summary: none, otherCurrencies: [eur] } as unknown as TeamStatement;
    const own = withOwnCurrency(statement);
    expect([own.currency, own.summary.netPayout, own.otherCurrencies]).to.deep.equal(['EUR', 5, []]);
    const mixed = { currency: 'USD', summary: { ...none, netPayout: 1 }, otherCurrencies: [eur] };
    expect(withOwnCurrency(mixed as unknown as TeamStatement).currency).to.equal('USD');
    const empty = { currency: 'USD', summary: none, otherCurrencies: [{ ...eur, summary: none }] };
    expect(withOwnCurrency(empty as unknown as TeamStatement).otherCurrencies).to.deep.equal([]);
  });

  it('is that of the months and the hero where nothing was earned in another', () => {
    const dashboard = (total: number) =>
      ({
        currency: 'USD',
        earnings: { total, commission: total },
        otherCurrencies: [{ currency: 'EUR', earnings: { total: 7, commission: 7 } }],
        converted: { total: 8 },
        trend: [{ period: '2026-10', total, otherCurrencies: [{ currency: 'EUR', total: 3 }] }],
      }) as unknown as Dashboard;
    const own = dashboardInOwnCurrency(dashboard(0));
    expect([own.currency, own.earnings.total, own.converted]).to.deep.equal(['EUR', 7, undefined]);
    expect(own.trend).to.deep.equal([{ period: '2026-10', total: 3 }]);
    expect(dashboardInOwnCurrency(dashboard(1)).currency).to.equal('USD');
  });
});

describe('the money of a person', () => {
  it('is divided into parts that add up, and what takes back has no width', () => {
    const total = { paid: 50, approved: 20, payable: 5, waiting: 25, held: -10 } as PayableTotals;
    expect(shareMoney(total)).to.deep.equal({ paid: 0.5, coming: 0.25, waiting: 0.25, held: 0 });
    expect(shareMoney({ paid: 0, approved: 0, payable: 0, waiting: 0, held: 0 } as PayableTotals).paid).to.equal(0);
  });

  it('is paid and coming in the currency of the bank, by statement', () => {
    const amounts = { payable: 0, approved: 0, inBatch: 0, paid: 0, paidOn: null, currency: 'GBP' };
    const of = (period: string, change: object) => ({
      period,
      payslip: { status: 'paid', amounts: [{ ...amounts, ...change }] } as unknown as PayHeadline,
    });
    const statements = [
      of('2026-11', { payable: 1.1 }),
      of('2026-10', { paid: 5, approved: 2.2 }),
      { period: '2026-09' },
    ];
    expect(listPaid(statements).map(({ period }) => period)).to.deep.equal(['2026-10']);
    expect(sumStatements(listComing(statements), 'GBP')).to.deep.equal([{ currency: 'GBP', amount: '3.3' }]);
  });

  it('says for whom and until when it waits, and why it is held', () => {
    const customer = [{ because: 'customer_not_paid', on: 'paid', expectedOn: null }] as Payable['waitsFor'];
    const day = [{ because: 'date_not_reached', on: 'close', expectedOn: '2027-01-31' }] as Payable['waitsFor'];
    expect(
      waitWords([
        payable({ waitsFor: customer }),
        payable({ waitsFor: customer }),
        payable({ waitsFor: day }),
      ]).replaceAll('\u00a0', ' '),
    ).to.equal('for the customers of 1 deal, for days from 31 Jan 2027 on');
    const heldBy = [{ holdId: 'h', reason: 'Disputed', from: '2026-11-01', to: null }];
    expect(holdWords([payable({ heldBy }), payable({ heldBy })])).to.equal('Disputed');
  });
});

describe('a payslip', () => {
  it('goes from what is earned to what is payable in steps that meet', () => {
    const line = (kind: 'earned' | 'released' | 'taken_back' | 'payable', amount: number) => ({ kind, amount });
    expect(
      listSteps([line('earned', 100), line('released', 50), line('taken_back', -20), line('payable', 30)]),
    ).to.deep.equal([
      { from: 0, to: 1 },
      { from: 0, to: 0.5 },
      { from: 0.3, to: 0.5 },
      { from: 0, to: 0.3 },
    ]);
    expect(listSteps([line('released', 10), line('taken_back', -30)])).to.deep.equal([
      { from: 2 / 3, to: 1 },
      { from: 0, to: 1 },
    ]);
  });

  it('is in words', () => {
    expect(lineWords({ kind: 'earned', amount: 1, rows: [] }, '2026-10')).to.equal('Earned in October 2026');
    const balance = (amount: number) => ({
      kind: 'balance' as const,
      amount,
      rows: [{ kind: 'owed_before' as const, amount }],
    });
    expect(lineWords(balance(-1), '2026-10')).to.equal('Kept of it, for what is owed');
    expect(lineWords(balance(1), '2026-10')).to.equal('Paid back of what was kept');
    expect(rowWords({ kind: 'owed_before', amount: 1 }, 'USD')).to.equal('Kept too much before this statement');
    expect(paidWords({ status: 'paid', paidOn: '2026-10-06' })).to.equal('Paid on 6 Oct 2026');
    expect(paidWords({ status: 'partly_paid', paidOn: '2026-10-06' })).to.equal('Paid on 6 Oct 2026, more follows');
    expect(paidWords({ status: 'in_batch', paidOn: null })).to.equal('Being paid');
    expect(paidWords({ status: 'approved', paidOn: null })).to.equal(null);
    const legs = [{ from: 'USD', to: 'GBP', day: '2026-10-01', rate: 0.79 }];
    const pay = { currency: 'GBP', amount: 1, parts: [{ currency: 'USD', payable: 1, rate: 0.79, amount: 1, legs }] };
    expect(rateWords({ currency: 'USD', rate: 0.79 }, pay)).to.equal('USD × 0.79 of 1 Oct 2026');
    expect(rateWords({ currency: 'USD' }, undefined)).to.equal(null);
    expect(rateWords({ currency: 'USD', rate: null }, pay)).to.match(/rate is missing/);
    const row = { kind: 'deal', amount: -5, ruleName: 'New', refundIds: ['RF-1'] } as const;
    expect(rowWords({ ...row, refundIds: [...row.refundIds] }, 'USD')).to.equal('New, refund RF-1');
  });
});

describe('the pay calendar', () => {
  it('says what a statement keeps of what is owed, or pays back of what was kept', () => {
    const total = { currency: 'USD', released: 0, carriedIn: 0, opening: 0, added: 0, closing: 0, payable: 0 };
    const wordsOf = (recovered: number) => {
      const period = { period: '2026-02', from: '2026-02-01', to: '2026-02-28', status: 'open' as const, amounts: [] };
      const calendar = { periods: [{ ...period, totals: [{ ...total, recovered }] }], later: [], undated: [] };
      return listCalendar(calendar as unknown as PayCalendar, 'USD')[0]?.words.replaceAll('\u00a0', ' ');
    };
    expect(wordsOf(0)).to.equal('');
    expect(wordsOf(400)).to.match(/^keeps what is owed: [^-−]*400/);
    expect(wordsOf(-400)).to.match(/^pays back what was kept: [^-−]*400/);
  });
});

describe('the money of a deal', () => {
  it('is in the order of days, each with what it did to the pay, and what is ahead comes last', () => {
    const event = { status: 'earned', currency: 'USD', earnedOn: '2026-10-15' };
    const breakdown = {
      deal: { isWon: true, closeDate: '2026-09-01', amount: 100, currency: 'USD' },
      currency: 'USD',
      events: [
        { ...event, amount: 8 },
        { ...event, amount: -2, refundId: 'RF-1' },
      ],
      corrections: [
        {
          ...{
            eventId: 'e',
            planId: 'p',
            ruleName: 'New',
            repId: 'ben',
            repName: 'Ben',
            period: '2026-09',
            paidIn: '2026-11',
          },
          ...{ at: '2026-11-02T09:00:00.000Z', delta: 1, currency: 'USD' },
        },
      ],
    } as unknown as Breakdown;
    const payables = [
      payable({ status: 'paid', amount: 5, period: '2026-09', paidOn: '2026-10-06' }),
      payable({ waitsFor: [] }),
      payable({ status: 'approved', amount: -2, period: '2026-10' }),
    ];
    const facts = { breakdown, payables, invoices: [], refunds: [] };
    const entries = listTimeline({ ...facts, ownRepId: 'maya' });
    expect(entries.map(({ day, title, sums }) => [day, title, sums.map(({ amount }) => amount).join()])).to.deep.equal([
      ['2026-09-01', 'Won', '8'],
      ['2026-10-06', 'Paid on 6 Oct 2026', '5'],
      ['2026-10-15', 'Refunded', '-2'],
      ['2026-11-02', 'Corrected', '1'],
      [null, 'Waiting', '1'],
      [null, 'To be taken back', '-2'],
    ]);
    expect(entries[3]?.detail).to.equal('September 2026, New, Ben, added to November 2026');
    const own = listTimeline({ ...facts, ownRepId: 'ben' });
    expect(own[3]?.detail).to.equal('September 2026, New, added to November 2026');
  });
});

describe('what a deal has released', () => {
  const titan = [
    payable({ status: 'paid', amount: 2000 }),
    payable({ status: 'payable', amount: 480 }),
    payable({ status: 'waiting', amount: 3720 }),
  ];

  it('is said where a part of it waits or is held', () => {
    expect(releasedWords('Titan', titan)).to.equal('Titan: $2,480.00 of $6,200.00');
    expect(releasedWords('Titan', [payable({ status: 'held', amount: 5 })])).to.equal('Titan: $0.00 of $5.00');
    expect(releasedWords('Titan', titan.slice(0, 2))).to.equal(null);
    expect(releasedWords('Titan', [])).to.equal(null);
  });
});
