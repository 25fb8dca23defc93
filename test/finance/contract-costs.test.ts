import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { Closings } from './closings.js';
import { capitalising, costs, refund } from './cost-books.js';

describe('capitalised cost of contracts', () => {
  const service = Service.duringSuite();

  const deal = ({ work }: Closings, amount: number, closeDate = '2026-01-15') => work.deal('D1', amount, closeDate);

  it('is amortised over the months of the policy, and its journal is that of A20 (A1, A20)', async () => {
    const closings = await capitalising(service);
    const { books, work } = closings;
    await deal(closings, 60_000);
    await work.approve('2026-01');
    await books.pay('2026-01', '2026-02-15');
    expect((await costs(closings, '2026-01')).total).to.include({ additions: 4800, amortised: -133.33 });
    const january = (await books.journal('2026-01')).map(({ kind, account, value }) => [kind, account, value]);
    expect(january).to.have.deep.members([
      ['earned', 'accrued_commission', -4800],
      ['earned', 'contract_cost', 4800],
      ['amortisation', 'contract_cost', -133.33],
      ['amortisation', 'amortisation_expense', 133.33],
    ]);
    const months = ['2026-01', '2026-02'];
    expect(await books.balance(months, 'contract_cost')).to.equal(4533.33);
    expect(await books.balance(months, 'amortisation_expense')).to.equal(266.67);
    expect(await books.balance(months, 'payroll_clearing')).to.equal(-4800);
    expect(await books.balance(months, 'accrued_commission')).to.equal(0);
    const { current, nonCurrent, future } = await costs(closings, '2026-02');
    expect([current, nonCurrent]).to.deep.equal([1600, 2933.33]);
    expect(future).to.have.length(34);
  });

  it('has future expense of one person while the month is open, and then only of everyone', async () => {
    const closings = await capitalising(service);
    const { ben } = closings.work;
    await deal(closings, 60_000);
    const [all, own] = [await costs(closings, '2026-01'), await costs(closings, '2026-01', `&repId=${ben}`)];
    expect([own.current, own.nonCurrent, own.future]).to.deep.equal([all.current, all.nonCurrent, all.future]);
    await closings.close('2026-01');
    const closed = await costs(closings, '2026-01', `&repId=${ben}`);
    expect(closed).to.deep.include({ current: null, nonCurrent: null, future: null });
    expect(closed.total).to.deep.equal(own.total);
    expect(await costs(closings, '2026-01')).to.deep.equal({ ...all, status: 'closed' });
  });

  it('takes a corrected cost as if it had always been known (A10)', async () => {
    const closings = await capitalising(service);
    await deal(closings, 60_000);
    await closings.close('2026-01', '2026-02');
    await deal(closings, 90_000);
    expect((await costs(closings, '2026-03')).total).to.include({ corrections: 2400, amortised: -333.33 });
    const lines = (await closings.books.journal('2026-03')).filter(({ account }) => account === 'amortisation_expense');
    expect(lines.map(({ kind, value }) => [kind, value])).to.have.deep.members([
      ['amortisation', 200],
      ['catch_up', 133.33],
    ]);
  });

  it('spreads a corrected cost over what is left if the policy says so (A10, N29)', async () => {
    const closings = await capitalising(service, { correction: 'prospective' });
    const { books } = closings;
    await deal(closings, 60_000);
    await closings.close('2026-01', '2026-02');
    await deal(closings, 90_000);
    expect((await costs(closings, '2026-03')).total).to.include({ corrections: 2400, amortised: -203.92 });
    await deal(closings, 1250);
    const march = await costs(closings, '2026-03');
    expect(march.total).to.include({ opening: 4533.33, corrections: -4700, amortised: 166.67, closing: 0 });
    expect(march.future).to.deep.equal([]);
    await deal(closings, 90_000);
    await closings.close('2026-03');
    expect((await costs(closings, '2026-04')).total).to.include({ corrections: 0, amortised: -203.92 });
    expect(await books.balance(['2026-01', '2026-02', '2026-03'], 'amortisation_expense')).to.equal(470.59);
  });

  it('keeps the terms of months that were closed before it was known', async () => {
    const closings = await capitalising(service);
    await closings.close('2026-01', '2026-02');
    await closings.capitalise({ from: '2026-03', scope: 'all', period: { months: 24 } });
    await deal(closings, 60_000);
    const march = { amortised: -472.73, closing: 4327.27 };
    expect((await costs(closings, '2026-03')).total).to.include(march);
    await closings.close('2026-03');
    expect((await costs(closings, '2026-04')).total).to.include({ amortised: -206.06, closing: 4121.21 });
  });

  it('falls with the share of the deal that is refunded (A9)', async () => {
    const closings = await capitalising(service);
    await deal(closings, 60_000);
    await refund(closings, '2026-04-20', 15_000);
    expect((await costs(closings, '2026-04')).total).to.include({ clawedBack: -1066.67, impaired: 0, closing: 3200 });
    expect(await closings.books.moved('2026-04', 'commission_expense')).to.equal(-133.33);
    expect((await costs(closings, '2026-05')).total).to.include({ amortised: -100 });
  });

  it('takes corrections and refunds of months with closings between them (N3)', async () => {
    const closings = await capitalising(service);
    await deal(closings, 60_000);
    await closings.close('2026-01');
    await deal(closings, 75_000);
    expect((await costs(closings, '2026-02')).total).to.include({ corrections: 1200, amortised: -200 });
    await closings.close('2026-02');
    await refund(closings, '2026-03-10', 37_500);
    expect((await costs(closings, '2026-03')).total).to.include({ amortised: -166.67, closing: 2750 });
    expect(await closings.books.moved('2026-03', 'commission_expense')).to.equal(-250);
  });

  it('takes a refund of a closed month late, and its deletion brings all of it back (N18, N19)', async () => {
    const closings = await capitalising(service);
    const { books, work } = closings;
    await deal(closings, 60_000);
    await closings.close('2026-01', '2026-02', '2026-03');
    await refund(closings, '2026-02-10', 15_000);
    expect((await costs(closings, '2026-04')).total).to.include({
      amortised: -66.67,
      clawedBack: -1133.33,
      corrections: 0,
    });
    expect(await books.liability('2026-04')).to.include({ corrections: -1200 });
    expect(await books.moved('2026-04', 'commission_expense')).to.equal(-66.67);
    await closings.close('2026-04');
    await work.api.expect(200, 'DELETE', '/v1/deals/D1/refunds/R1');
    await work.calculated();
    expect((await costs(closings, '2026-05')).total).to.include({ clawedBack: 1133.33, closing: 4133.33 });
    const months = ['2026-01', '2026-02', '2026-03', '2026-04', '2026-05'];
    expect(await books.balance(months, 'commission_expense')).to.equal(0);
    expect(await books.balance(months, 'impairment_expense')).to.equal(0);
  });

  it('moves with the close date of the deal (N17), and is nothing below zero (N37)', async () => {
    const closings = await capitalising(service);
    await deal(closings, 60_000);
    await closings.close('2026-01', '2026-02');
    await deal(closings, 60_000, '2026-03-10');
    expect((await costs(closings, '2026-03')).total).to.include({ amortised: 133.34, closing: 4666.67 });
    await deal(closings, -2500);
    expect((await costs(closings, '2026-03')).total).to.include({ closing: 0 });
    const months = ['2026-01', '2026-02', '2026-03'];
    expect(await closings.books.balance(months, 'commission_expense')).to.equal(-200);
    expect(await closings.books.balance(months, 'amortisation_expense')).to.equal(0);
  });

  it('has the cost of the day on which it is earned in another currency (A12)', async () => {
    const closings = await capitalising(service);
    const { books, work } = closings;
    const { api, mia } = work;
    const rates = [
      { from: 'EUR', to: 'USD', day: '2026-02-10', rate: 1.0837 },
      { from: 'EUR', to: 'USD', day: '2026-02-28', rate: 1.09 },
      { from: 'EUR', to: 'USD', day: '2026-03-31', rate: 1.075 },
    ];
    await api.expect(200, 'PUT', '/v1/fx-rates', { rates });
    await api.createPlan({ name: 'Euro', currency: 'EUR', config: { rules: [flatRule('Euro', 0.08)] } }, [mia]);
    await work.deal('D1', 50_000, '2026-02-10', { ownerId: 'mia', ownerEmail: 'mia@acme.test', currency: 'EUR' });
    await api.generate(mia, '2026-02');
    await api.approve(mia, '2026-02');
    await books.pay('2026-02', '2026-03-31');
    expect((await costs(closings, '2026-02')).total).to.include({ additions: 4334.8, amortised: -120.41 });
    expect((await costs(closings, '2026-03')).total).to.include({ amortised: -120.41 });
    expect(await books.moved('2026-02', 'fx_gain_loss')).to.equal(25.2);
    expect(await books.moved('2026-03', 'fx_gain_loss')).to.equal(-60);
  });

  it('is expense at once under the expedient, and by a policy that says so (A5)', async () => {
    const closings = await capitalising(service, { period: { months: 12 } });
    await deal(closings, 30_000);
    expect((await closings.books.get('/contract-costs?month=2026-01')).contractCosts).to.deep.equal([]);
    expect(await closings.books.moved('2026-01', 'commission_expense')).to.equal(2400);
  });

  it('needs a policy for every row once policies decide, and a second admin for a policy (N26)', async () => {
    const closings = await capitalising(service, { match: { ruleNames: ['Renewals'] } });
    const { ann, ned, books } = closings;
    await deal(closings, 60_000);
    expect(await books.moved('2026-01', 'unassigned')).to.equal(4800);
    expect(await closings.rejection(ann, '2026-01/prepare')).to.deep.equal([409, 'unassigned_lots']);
    const { version } = await closings.propose('All', { position: 2 });
    const path = `/v1/accounting/policies/All/versions/${version}`;
    const { checklist } = await books.get('/months/2026-01');
    expect(checklist.blocking).to.deep.equal([
      { code: 'unassigned_lots', count: 1 },
      { code: 'policy_proposed', count: 1 },
    ]);
    const own = await ann.post(`${path}/approve`);
    expect([own.status, own.body.code]).to.deep.equal([403, 'own_proposal']);
    await ned.expect(200, 'POST', `${path}/approve`);
    expect(await books.moved('2026-01', 'unassigned')).to.equal(0);
    await closings.close('2026-01');
    const late = await ann.post('/v1/accounting/policies/All/versions', { ...Closings.policy, from: '2026-01' });
    expect([late.status, late.body.code]).to.deep.equal([409, 'month_closed']);
    const again = await ned.post(`${path}/approve`);
    expect([again.status, again.body.code]).to.deep.equal([409, 'invalid_transition']);
  });

  it('shows what a version does to open months before someone proposes or approves it', async () => {
    const closings = await capitalising(service, null);
    const { ann, books } = closings;
    await deal(closings, 60_000);
    await closings.work.checked();
    const { current } = await books.get('');
    const path = '/v1/accounting/policies/New/versions';
    const { effect } = await ann.expect(201, 'POST', `${path}?dryRun=true`, Closings.policy);
    const january = { month: '2026-01', entity: 'main', currency: 'USD' };
    expect(effect[0]).to.deep.equal({
      ...january,
      assetBefore: 0,
      assetAfter: 4666.67,
      expenseBefore: 4800,
      expenseAfter: 133.33,
    });
    expect(effect.at(-1)).to.include({ month: current, assetBefore: 0, expenseBefore: 0 });
    expect((await books.get('/policies')).policies).to.deep.equal([]);
    await closings.propose('New');
    const approved = await ann.expect(200, 'POST', `${path}/1/approve?dryRun=true`);
    expect(approved).to.deep.include({ status: 'proposed', effect });
    expect(await books.moved('2026-01', 'contract_cost')).to.equal(0);
  });

  it('leaves lots alone when a later version decides about new ones (N15)', async () => {
    const closings = await capitalising(service);
    await deal(closings, 60_000);
    await closings.capitalise({ from: '2026-07', period: { months: 24 } });
    await closings.work.deal('D2', 30_000, '2026-07-10');
    const { contractCosts } = await costs(closings, '2026-07', '&groupBy=deal');
    expect(
      contractCosts.map((row: { dealId: string; amortised: number }) => [row.dealId, row.amortised]),
    ).to.deep.equal([
      ['D1', -133.33],
      ['D2', -100],
    ]);
  });
});
