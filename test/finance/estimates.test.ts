import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatTier } from '#test/support/terms.js';
import { Closings } from './closings.js';

describe('what is expected at the end of a month and not in the ledger', () => {
  const service = Service.duringSuite();

  /** Ben's bonus of a quarter is 4,250. */
  const bonus = {
    name: 'Bonus',
    measure: 'amount',
    executionPhase: 'periodic',
    attainmentPeriod: 'quarterly',
    tiers: flatTier(0.0425),
  };
  const tiers = [
    { tierIndex: 0, minThreshold: 0, rate: 0.08 },
    { tierIndex: 1, minThreshold: 1, rate: 0.12 },
  ];
  const booked = {
    name: 'New business',
    measure: 'amount',
    attainmentPeriod: 'quarterly',
    tierMode: 'retroactive',
    tiers,
  };

  const estimate = ({ work }: Closings, terms: object = {}) => ({
    repId: work.ben,
    planId: work.planId,
    ruleName: 'Bonus',
    period: '2026-Q1',
    method: 'forecast',
    currency: 'USD',
    pay: 4000,
    ...terms,
  });
  const send = (closings: Closings, month: string, ...estimates: object[]) =>
    closings.ann.put(`/v1/accounting/estimates/${month}`, { estimates });
  const enter = async (closings: Closings, month: string, terms: object = {}) =>
    closings.ann.expect(200, 'PUT', `/v1/accounting/estimates/${month}`, { estimates: [estimate(closings, terms)] });
  const expenses = async ({ books }: Closings) => {
    const all = [];
    for (const month of ['2026-01', '2026-02', '2026-03']) all.push(await books.moved(month, 'commission_expense'));
    return all;
  };

  it('is the part of the pay of a quarter for the months that have ended (L2)', async () => {
    const closings = await Closings.open(service, { rules: [bonus] });
    await closings.work.deal('D1', 100_000, '2026-03-20');
    for (const month of ['2026-01', '2026-02']) await enter(closings, month);
    expect(await expenses(closings)).to.deep.equal([1333.33, 1333.34, 1583.33]);
    expect(await closings.books.balance(['2026-01', '2026-02', '2026-03'], 'accrued_estimate')).to.equal(0);
    await enter(closings, '2026-01', { method: 'elapsed', pay: 5000 });
    expect((await expenses(closings))[0]).to.equal(1666.67);
    const lines = (await closings.books.journal('2026-02')).filter(({ kind }) => kind === 'estimate_reversal');
    expect(lines.map(({ account, value }) => [account, value])).to.have.deep.members([
      ['commission_expense', -1666.67],
      ['accrued_estimate', 1666.67],
    ]);
  });

  it('is looked back at when the period has ended (N46)', async () => {
    const closings = await Closings.open(service, { rules: [bonus] });
    await closings.work.deal('D1', 100_000, '2026-03-20');
    const errors = [];
    for (const month of ['2026-01', '2026-02']) {
      await enter(closings, month);
      const { estimates, errors: means } = await closings.books.get(`/estimates?month=${month}`);
      errors.push([estimates[0].error, estimates[0].errorPercent]);
      expect(means).to.deep.equal([{ currency: 'USD', meanAbsoluteError: -estimates[0].error }]);
      expect(estimates[0]).to.include({ repName: 'Ben', inLedger: 0, outcome: 4250, months: 3 });
    }
    expect(errors).to.deep.equal([
      [-83.34, -5.9],
      [-166.66, -5.9],
    ]);
  });

  for (const [name, account] of [
    ['is what deals earn at the tier that the forecast reaches, less what the ledger has (L3)', 'commission_expense'],
    ['is an asset where a policy capitalises what the rule pays (L3)', 'contract_cost_estimate'],
  ] as const)
    it(name, async () => {
      const closings = await Closings.open(service, { rules: [booked] });
      const { books, work } = closings;
      if (account === 'contract_cost_estimate') await closings.capitalise();
      await work.api.setQuota([work.ben], 'New business', '2026-Q1', 150_000);
      await work.deal('D1', 100_000, '2026-01-20');
      await enter(closings, '2026-01', { ruleName: 'New business', pay: undefined, toDate: 12_000 });
      const lines = (await books.journal('2026-01')).filter(({ kind }) => kind === 'estimate');
      expect(lines.map((line) => [line.account, line.value])).to.have.deep.members([
        [account, 4000],
        ['accrued_estimate', -4000],
      ]);
      expect((await books.get('/estimates?month=2026-01')).estimates[0]).to.include({ inLedger: 8000, estimate: 4000 });
      const asset = (await books.journal('2026-01')).filter(({ kind }) => kind === 'amortisation');
      expect(asset.map(({ value }) => value)).to.have.members(asset.length === 0 ? [] : [-222.22, 222.22]);
    });

  it('does not change once its month is closed, and is reversed as it was posted (N44)', async () => {
    const closings = await Closings.open(service, { rules: [bonus] });
    const { books, work } = closings;
    await enter(closings, '2026-01', { pay: 1500 });
    await closings.close('2026-01');
    await expectError('409 month_closed', send(closings, '2026-01', estimate(closings, { pay: 2100 })));
    await work.deal('D1', 10_000, '2026-01-20');
    expect(await books.moved('2026-01', 'accrued_estimate')).to.equal(-500);
    expect(await books.moved('2026-02', 'accrued_estimate')).to.equal(500);
    expect((await books.get('/months/2026-02')).checklist.warnings).to.deep.include({
      code: 'estimates_missing',
      count: 1,
    });
  });

  it('is in the company of the person on the last day, and as it was at an earlier instant', async () => {
    const closings = await Closings.open(service, { rules: [bonus] });
    const { books, work } = closings;
    await books.entity({ name: 'Acme Ltd.' }, 'uk');
    const entities = [{ from: '2026-01-31', entity: 'uk' }];
    await work.api.expect(200, 'PUT', `/v1/reps/${work.ben}/entities`, { entities });
    await enter(closings, '2026-01');
    const at = new Date().toISOString();
    await enter(closings, '2026-01', { pay: 9000 });
    const read = async (query: string) => (await books.get(`/estimates?month=2026-01${query}`)).estimates[0];
    expect(await read('')).to.include({ entity: 'uk', estimate: 3000 });
    expect(await read(`&asOf=${at}`)).to.include({ entity: 'uk', estimate: 1333.33 });
  });

  it('is of a rule and a period that exist, and has one of two amounts', async () => {
    const closings = await Closings.open(service, { rules: [bonus] });
    for (const terms of [
      { repId: closings.work.planId },
      { ruleName: 'Other' },
      { period: '2026-01' },
      { period: '2025-Q4' },
      { period: 'soon' },
      { toDate: 1 },
      { pay: undefined },
      { pay: 1.005 },
    ])
      await expectError('400 VALIDATION_FAILED', send(closings, '2026-01', estimate(closings, terms)));
    await expectError('400 VALIDATION_FAILED', send(closings, '2026-01', estimate(closings), estimate(closings)));
    expect((await closings.books.get('/estimates?month=2026-01')).count).to.equal(0);
  });

  it('is entered from a file row by row, and the others of the month stay', async () => {
    const closings = await Closings.open(service, { rules: [bonus] });
    await enter(closings, '2026-02');
    await closings.close('2026-01');
    const plan = await closings.work.api.expect(200, 'GET', `/v1/plans/${closings.work.planId}`);
    const rows = [
      '2026-02,ben@acme.test,PLAN,Bonus,2026-Q1,USD,4500,,forecast',
      '2026-03,ben@acme.test,PLAN,Bonus,2026,USD,,900,elapsed',
      '2026-01,ben@acme.test,PLAN,Bonus,2026-Q1,USD,1,,forecast',
      '2026-02,ben@acme.test,PLAN,Bonus,2026-Q2,USD,1,,forecast',
      '2026-02,ben@acme.test,PLAN,Other,2026-Q1,USD,1,,forecast',
      '2026-02,ben@acme.test,PLAN,Bonus,2026,USD,1,1,forecast',
      '2026-02,ben@acme.test,None,Bonus,2026-Q1,USD,1,,forecast',
      '2026-02,ben@acme.test,PLAN,Bonus,2026-Q1,USD,4500,,guess',
    ].map((row) => row.replace('PLAN', plan.name));
    const file = ['month,email,plan,rule,period,currency,pay,toDate,method', ...rows].join('\n');
    const { results } = await closings.ann.expect(200, 'POST', '/v1/accounting/estimates/import', file, {
      'Content-Type': 'text/csv',
    });
    expect(results.map(({ outcome, code }: Record<string, unknown>) => code ?? outcome)).to.deep.equal([
      ...['changed', 'created', 'month_closed', 'VALIDATION_FAILED', 'VALIDATION_FAILED', 'VALIDATION_FAILED'],
      ...['plan_not_found', 'VALIDATION_FAILED'],
    ]);
    const listed = async (month: string) =>
      (await closings.books.get(`/estimates?month=${month}`)).estimates.map(
        ({ period, pay, toDate }: Record<string, unknown>) => [period, pay, toDate],
      );
    expect(await listed('2026-02')).to.deep.equal([['2026-Q1', 4500, null]]);
    expect(await listed('2026-03')).to.deep.equal([['2026', null, 900]]);
    await enter(closings, '2026-02', { period: '2026' });
    expect(await listed('2026-02')).to.deep.equal([['2026', 4000, null]]);
    await closings.ann.expect(200, 'POST', '/v1/accounting/estimates/import', file, { 'Content-Type': 'text/csv' });
    expect(await listed('2026-02')).to.have.deep.members([
      ['2026-Q1', 4500, null],
      ['2026', 4000, null],
    ]);
  });
});
