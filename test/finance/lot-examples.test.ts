import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { type Closings } from './closings.js';
import { amortisedIn, capitalising, contract, costs, refund } from './cost-books.js';

const tax = [{ from: '2026-01-01', percent: 7.65 }];
const expenses = ['commission_expense', 'amortisation_expense', 'impairment_expense', 'payroll_tax_expense'];

describe('examples of capitalised cost', () => {
  const service = Service.duringSuite();

  const a1 = ({ work }: Closings, fields: object = {}) => work.deal('D1', 60_000, '2026-01-15', fields);
  const withTax = async (terms: object = {}, options: object = {}) => {
    const closings = await capitalising(service, { payrollTax: true, ...terms }, options);
    await closings.books.entity({ payrollTax: tax });
    return closings;
  };
  const expense = async ({ books }: Closings, ...months: readonly string[]) => {
    let sum = 0;
    for (const account of expenses) sum += await books.balance(months, account);
    return Math.round(sum * 100) / 100;
  };

  it('payroll tax is a part of the cost if the policy says so (A13, N51)', async () => {
    const override = flatRule('Override', 0.2, { executionPhase: 'cascade', dependsOn: 'New business' });
    const closings = await withTax({}, { rules: [flatRule('New business', 0.08), override] });
    const { api, mia, planId } = closings.work;
    await api.saveReps({ email: 'ben@acme.test', name: 'Ben', crmMemberId: 'ben', managerEmail: 'mia@acme.test' });
    await api.assign([mia], planId);
    await a1(closings);
    expect((await costs(closings, '2026-01')).total).to.include({ additions: 6200.64, amortised: -172.24 });
    expect(await closings.books.moved('2026-01', 'payroll_tax_expense')).to.equal(0);
    const alone = await withTax();
    await a1(alone);
    await alone.close('2026-01');
    await alone.books.entity({ payrollTax: [...tax, { from: '2026-02-01', percent: 10 }] });
    expect(await alone.books.balance(['2026-01', '2026-02'], 'accrued_payroll_tax')).to.equal(-480);
    expect(await alone.books.moved('2026-02', 'payroll_tax_expense')).to.equal(112.8);
    expect((await costs(alone, '2026-02')).total).to.include({ opening: 5023.67, corrections: 0 });
  });

  it('the tax of each lot is rounded, and that of the liability once (N34, N35)', async () => {
    const closings = await withTax();
    for (const dealId of ['D1', 'D2', 'D3']) await closings.work.deal(dealId, 126.25, '2026-01-15');
    expect(await closings.books.moved('2026-01', 'accrued_payroll_tax')).to.equal(-2.32);
    expect((await costs(closings, '2026-01')).total).to.include({ additions: 32.61 });
    expect(await closings.books.moved('2026-01', 'payroll_tax_expense')).to.equal(0.01);
  });

  it('a receivable has no tax, and what was paid of it is expense (N36)', async () => {
    const closings = await withTax();
    const { books, work } = closings;
    await a1(closings);
    await work.approve('2026-01');
    await books.pay('2026-01', '2026-02-15');
    await refund(closings, '2026-04-20', 60_000);
    const months = ['2026-01', '2026-02', '2026-03', '2026-04'];
    expect(await books.liability('2026-04')).to.include({ receivable: 4800, liability: 0 });
    expect(await books.balance(months, 'accrued_payroll_tax')).to.equal(0);
    expect(await expense(closings, ...months)).to.equal(367.2);
    expect((await costs(closings, '2026-04')).total.closing).to.equal(0);
  });

  it('a cost below zero is expense, beside a lot of the same person (N5)', async () => {
    const closings = await capitalising(service);
    await closings.work.deal('D1', -18_750, '2026-01-15');
    await closings.work.deal('D2', 25_000, '2026-01-20');
    expect(await closings.books.moved('2026-01', 'commission_expense')).to.equal(-1500);
    expect((await costs(closings, '2026-01')).total).to.include({ additions: 2000 });
    expect(await closings.books.liability('2026-01')).to.include({ closing: 500 });
  });

  it('a lot of another currency is clawed back at the rate of the refund (N2)', async () => {
    const closings = await capitalising(service, { period: { months: 24 } });
    const { books, work } = closings;
    const { api, mia } = work;
    const rates = [
      ['2026-02-10', 1.0837],
      ['2026-02-28', 1.09],
      ['2026-03-31', 1.075],
      ['2026-04-20', 1.05],
      ['2026-04-30', 1.1],
    ].map(([day, rate]) => ({ from: 'EUR', to: 'USD', day, rate }));
    await api.expect(200, 'PUT', '/v1/fx-rates', { rates });
    const euro = flatRule('Euro', 0.08, { clawback: { steps: [{ untilDay: 365, percent: 50 }] } });
    await api.createPlan({ name: 'Euro', currency: 'EUR', config: { rules: [euro] } }, [mia]);
    await work.deal('D1', 50_000, '2026-02-10', { ownerId: 'mia', ownerEmail: 'mia@acme.test', currency: 'EUR' });
    await api.generate(mia, '2026-02');
    await api.approve(mia, '2026-02');
    await books.pay('2026-02', '2026-03-31');
    await refund(closings, '2026-04-20', 50_000);
    expect((await costs(closings, '2026-04')).total).to.include({ clawedBack: -2100, impaired: -1692.95, closing: 0 });
    expect(await books.balance(['2026-02', '2026-03', '2026-04'], 'commission_receivable')).to.equal(2200);
    expect(await books.moved('2026-04', 'fx_gain_loss')).to.equal(-100);
  });

  it('a corrected row has the rate with which it was closed, even if the rate is corrected (N40)', async () => {
    const closings = await capitalising(service);
    const { work } = closings;
    const { api, mia } = work;
    const rateOf = (rate: number) =>
      api.expect(200, 'PUT', '/v1/fx-rates', { rates: [{ from: 'EUR', to: 'USD', day: '2026-01-15', rate }] });
    await rateOf(1.07);
    await api.createPlan({ name: 'Euro', currency: 'EUR', config: { rules: [flatRule('Euro', 0.08)] } }, [mia]);
    const owner = { ownerId: 'mia', ownerEmail: 'mia@acme.test', currency: 'EUR' };
    await work.deal('D1', 12_500, '2026-01-15', owner);
    await closings.close('2026-01');
    await rateOf(1.2);
    await work.calculated();
    await work.deal('D1', 13_750, '2026-01-15', owner);
    expect((await costs(closings, '2026-02')).total).to.include({ corrections: 107 });
    expect(await closings.books.balance(['2026-01', '2026-02'], 'accrued_commission')).to.equal(-1320);
  });

  it('a deal that moves to another person ends one lot and begins another (N16)', async () => {
    const closings = await capitalising(service);
    const { api, mia, planId } = closings.work;
    await api.assign([mia], planId);
    await a1(closings);
    await closings.close('2026-01', '2026-02');
    await a1(closings, { ownerId: 'mia', ownerEmail: 'mia@acme.test' });
    const { contractCosts } = await costs(closings, '2026-03', '&groupBy=person');
    const moved = contractCosts.map((row: Record<string, number>) => [row.repName, row.corrections, row.amortised]);
    expect(moved).to.have.deep.members([
      ['Ben', -4800, 266.67],
      ['Mia', 4800, -400],
    ]);
    expect((await costs(closings, '2026-03')).total).to.include({ corrections: 0, amortised: -133.33 });
  });

  it('quarters roll forward, with a clawback and an impairment (A17)', async () => {
    const declining = flatRule('New business', 0.08, { clawback: { window: { days: 180 }, declining: true } });
    const closings = await capitalising(service, { period: { contract: true } }, { rules: [declining] });
    await closings.work.deal('D2', 60_000, '2026-01-15');
    await closings.work.deal('D1', 90_000, '2026-02-10');
    await contract(closings, { months: 36 }, 'D2');
    await contract(closings, { months: 24 });
    await refund(closings, '2026-04-20', 90_000);
    const sums = { additions: 0, amortised: 0, clawedBack: 0, impaired: 0 };
    const quarter = async (...months: readonly string[]) => {
      const before = { ...sums };
      let closing = 0;
      for (const month of months) {
        const { total } = await costs(closings, month);
        for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += total[name];
        closing = total.closing;
      }
      const moved = Object.entries(sums).map(([name, sum]) => [
        name,
        Math.round((sum - before[name as 'impaired']) * 100) / 100,
      ]);
      return { ...Object.fromEntries(moved), closing };
    };
    expect(await quarter('2026-01', '2026-02', '2026-03')).to.deep.equal({
      additions: 12_000,
      amortised: -1000,
      clawedBack: 0,
      impaired: 0,
      closing: 11_000,
    });
    expect(await quarter('2026-04', '2026-05', '2026-06')).to.deep.equal({
      additions: 0,
      amortised: -700,
      clawedBack: -4440,
      impaired: -1860,
      closing: 4000,
    });
  });

  it('halves that end are spread by other terms (N53)', async () => {
    const none = flatRule('New business', 0.08);
    const closings = await capitalising(service, {}, { rules: [none] });
    await a1(closings);
    await refund(closings, '2026-02-20', 30_000);
    await refund(closings, '2026-08-20', 15_000, 'R2');
    await closings.capitalise({ from: '2026-07', scope: 'all', period: { months: 24 } });
    expect(await amortisedIn(closings, '2026-07', '2026-08', '2026-09')).to.deep.equal([111.11, 111.11, 55.56]);
    expect((await costs(closings, '2026-08')).total).to.include({ impaired: -888.89 });
  });

  it('the cost of contracts rolls forward as two filings have it (A16)', async () => {
    const year = Array.from({ length: 12 }, (_, index) => `2025-${String(index + 1).padStart(2, '0')}`);
    for (const [opening, months, withinYear, later, amortised, closing] of [
      [269_796, 24, 39_943, 219_849, 174_841, 354_747],
      [25_251, 240, 837.45, 3896.55, 2100, 27_885],
    ] as const) {
      const options = { rules: [flatRule('All', 1)], from: '2024-12', payouts: null };
      const terms = { from: '2024-12', convention: 'next_month', expedientMonths: 0, period: { contract: true } };
      const closings = await capitalising(service, terms, options);
      for (const [dealId, amount, closeDate, term] of [
        ['Old', opening, '2024-12-15', months],
        ['Within', withinYear, '2025-01-15', 11],
        ['Later', later, '2025-12-15', 24],
      ] as const) {
        await closings.work.deal(dealId, amount, closeDate);
        await contract(closings, { months: term }, dealId);
      }
      expect((await costs(closings, '2025-01')).total.opening).to.equal(opening);
      const parts = await amortisedIn(closings, ...year);
      expect(parts.reduce((sum, part) => sum + part, 0)).to.be.closeTo(amortised, 0.001);
      expect((await costs(closings, '2025-12')).total.closing).to.equal(closing);
    }
  });
});
