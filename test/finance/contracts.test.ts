import { expect } from 'chai';
import { addMonths, dayInZone } from '#src/kernel/day.js';
import { Service } from '#test/support/service.js';
import { Closings } from './closings.js';
import { amortisedIn, capitalising, contract, costs, costsByDeal, refund } from './cost-books.js';

const csv = { 'Content-Type': 'text/csv' };

describe('contracts of deals', () => {
  const service = Service.duringSuite();

  const overContract = (terms: object = {}, options: object = {}) =>
    capitalising(service, { period: { contract: true }, ...terms }, options);
  const a1 = ({ work }: Closings, closeDate = '2026-01-15') => work.deal('D1', 60_000, closeDate);

  it('are in the checklist if they change after the latest closing (F21)', async () => {
    const closings = await capitalising(service);
    const warnings = async () => (await closings.books.get('/months/2026-02')).checklist.warnings;
    await closings.work.deal('D1', 60_000, '2026-01-15');
    await closings.work.deal('D2', 60_000, '2026-02-15');
    await contract(closings, { months: 36 });
    await closings.close('2026-01');
    await contract(closings, { months: 24 }, 'D2');
    expect(await warnings()).not.to.deep.include({ code: 'contracts_changed', count: 1 });
    await contract(closings, { months: 48 });
    expect(await warnings()).to.deep.include({ code: 'contracts_changed', count: 1 });
  });

  it('say how long a cost is amortised; an extension spreads what is left, without a catch-up (N28)', async () => {
    const closings = await overContract();
    const { books, work } = closings;
    await work.deal('D1', 45_000, '2026-01-15');
    expect(await books.moved('2026-01', 'unassigned')).to.equal(3600);
    expect(await closings.rejection(closings.ann, '2026-01/prepare')).to.deep.equal([409, 'unassigned_lots']);
    await contract(closings, { start: '2026-01-01', end: '2028-12-31' });
    await closings.close('2026-01', '2026-02');
    await contract(closings, { start: '2026-01-01', end: '2029-12-31' });
    expect(await amortisedIn(closings, '2026-01', '2026-02', '2026-03')).to.deep.equal([100, 100, 73.91]);
    expect((await costs(closings, '2026-03')).total).to.include({ corrections: 0, opening: 3400 });
  });

  it('begin the amortisation on the day that the policy names (N12, N30)', async () => {
    const goLive = await capitalising(service, { start: 'go_live', period: { months: 24 } });
    await goLive.work.deal('D1', 30_000, '2026-01-15');
    await contract(goLive, { fields: { go_live: '2026-06-01' } });
    await refund(goLive, '2026-03-10', 15_000);
    expect((await costs(goLive, '2026-03')).total).to.include({ clawedBack: -1200, amortised: 0, closing: 1200 });
    expect(await goLive.books.moved('2026-03', 'commission_expense')).to.equal(0);
    expect(await amortisedIn(goLive, '2026-05', '2026-06')).to.deep.equal([0, 50]);
    const early = await capitalising(service, { start: 'start' });
    await early.work.deal('D1', 45_000, '2026-03-10');
    await contract(early, { start: '2026-01-01' });
    expect(await amortisedIn(early, '2026-03', '2026-04')).to.deep.equal([300, 100]);
  });

  it('end what is left when they are terminated (N21), and a later clawback is posted in full (N20)', async () => {
    const closings = await capitalising(service);
    const { books, work } = closings;
    await a1(closings);
    await closings.close('2026-01', '2026-02', '2026-03');
    await contract(closings, { terminatedOn: '2026-04-20' });
    expect((await costs(closings, '2026-04')).total).to.include({ impaired: -4266.67, closing: 0 });
    await closings.close('2026-04');
    await work.api.expect(200, 'PUT', '/v1/deals/D1/refunds/R1', {
      day: '2026-05-10',
      cause: 'refund',
      amount: 60_000,
    });
    await work.calculated();
    expect(await books.moved('2026-05', 'commission_expense')).to.equal(-4800);
    const months = ['2026-01', '2026-02', '2026-03', '2026-04', '2026-05'];
    let expense = 0;
    for (const account of ['amortisation_expense', 'impairment_expense', 'commission_expense'])
      expense += await books.balance(months, account);
    expect(expense).to.be.closeTo(0, 0.001);
  });

  it('of at most twelve months are expense at once, until the day before (N54), which a closing keeps (N43)', async () => {
    const closings = await overContract({ start: 'start' });
    const { books, work } = closings;
    await work.deal('D1', 16_250, '2026-01-10');
    await contract(closings, { start: '2026-01-10', end: '2027-01-09' });
    expect(await books.moved('2026-01', 'commission_expense')).to.equal(1300);
    await contract(closings, { start: '2026-01-10', end: '2027-01-10' });
    expect(await books.moved('2026-01', 'commission_expense')).to.equal(0);
    expect(await amortisedIn(closings, '2026-01')).to.deep.equal([100]);
    const kept = await overContract();
    await kept.work.deal('D1', 15_000, '2026-01-15');
    await contract(kept, { end: '2026-12-31' });
    await kept.close('2026-01');
    await contract(kept, { end: '2028-12-31' });
    expect(await kept.books.moved('2026-02', 'commission_expense')).to.equal(0);
    expect(await kept.books.balance(['2026-01', '2026-02'], 'commission_expense')).to.equal(1200);
    expect((await costs(kept, '2026-02')).contractCosts).to.deep.equal([]);
  });

  it('follow later versions of the policy that count for all lots (N14)', async () => {
    const closings = await capitalising(service);
    await a1(closings);
    await closings.capitalise({ from: '2026-07', scope: 'all', period: { months: 24 } });
    await closings.capitalise({ from: '2026-10', scope: 'all', period: { months: 6 } });
    expect(await amortisedIn(closings, '2026-06', '2026-07', '2026-10')).to.deep.equal([133.33, 222.22, 3333.33]);
    expect((await costs(closings, '2026-06')).total.closing).to.equal(4000);
  });

  it('keep in closed months the terms that spread them, where a later version asks for a contract that is unknown', async () => {
    const closings = await capitalising(service);
    await a1(closings);
    await closings.capitalise({ from: '2026-02', scope: 'all', period: { months: 24 } });
    await closings.capitalise({ from: '2026-03', scope: 'all', period: { contract: true } });
    const open = await amortisedIn(closings, '2026-02', '2026-03', '2026-04');
    for (const month of ['2026-01', '2026-02', '2026-03']) await closings.close(month);
    expect(await amortisedIn(closings, '2026-02', '2026-03', '2026-04')).to.deep.equal(open);
  });

  it('of renewals are lots of their own (A3), and months after a change of terms are shorter (A11)', async () => {
    const closings = await capitalising(
      service,
      { from: '2022-01', match: {}, period: { contract: true } },
      { from: '2022-01', payouts: null },
    );
    await closings.work.deal('D1', 375, '2022-01-15');
    await closings.work.deal('D2', 125, '2024-01-15');
    await contract(closings, { months: 48 });
    await contract(closings, { months: 24, renewalOf: 'D1' }, 'D2');
    const closing = async (month: string) => (await costs(closings, month)).total?.closing ?? 0;
    const ends = [];
    for (const year of [2022, 2023, 2024, 2025]) ends.push(await closing(`${year}-12`));
    expect(ends).to.deep.equal([22.5, 15, 12.5, 0]);
    const a11 = await capitalising(
      service,
      { from: '2024-01', period: { months: 60 } },
      { from: '2024-01', payouts: null },
    );
    await a11.work.deal('D1', 375_000, '2024-01-15');
    await a11.capitalise({ from: '2026-01', scope: 'all', period: { months: 48 } });
    expect(await amortisedIn(a11, '2025-12', '2026-01')).to.deep.equal([500, 750]);
  });

  it('end lots that began in another system, which are imported (N23)', async () => {
    const closings = await capitalising(service);
    await closings.work.deal('D1', 0, '2026-01-15');
    const { api } = closings.work;
    const columns = 'lotId,dealId,email,cost,amortised,amortisedTo,start,months';
    const send = (row: string, query = '') =>
      api.expect(200, 'POST', `/v1/accounting/lots/import${query}`, `${columns}\n${row}\n`, csv);
    const lot = 'L1,D1,ben@acme.test,3600,1200,2025-12-31,2025-01-01,36';
    expect(await send(lot, '?dryRun=true')).to.include({ accepted: 1 });
    expect((await costs(closings, '2026-01')).contractCosts).to.deep.equal([]);
    await send(lot);
    await contract(closings, { terminatedOn: '2026-02-10' });
    expect((await costs(closings, '2026-01')).total).to.include({ imported: 2400, amortised: -100, closing: 2300 });
    expect((await costs(closings, '2026-02')).total).to.include({ amortised: -100, impaired: -2200, closing: 0 });
    expect(await closings.books.moved('2026-01', 'opening_balance')).to.equal(-2400);
    await closings.close('2026-01');
    const { results } = await send('L2,D1,ben@acme.test,3600,1200,2025-12-31,2025-01-01,36');
    expect(results[0].reason).to.contain('closed');
    const { results: wrong } = await send('L3,D1,ben@acme.test,100,1200,2026-01-31,2025-01-01,36');
    expect(wrong[0].reason).to.contain('More is amortised');
  });

  it('and lots of other systems are imported only with amounts of the currency that they are in', async () => {
    const closings = await capitalising(service);
    const { api, deal } = closings.work;
    await deal.call(closings.work, 'D1', 0, '2026-01-15');
    await closings.books.entity({ currency: 'JPY', framework: 'ifrs' }, 'jp');
    const lots = [
      ['main', '1000.1234', '0', 'must have at most 2 decimals'],
      ['main', '1000', '0.125', 'must have at most 2 decimals'],
      ['jp', '100.5', '0', 'must have at most 0 decimals'],
      ['main', '"€3,600"', '0', 'cost: is in €, and must be in USD'],
      ['main', '3600', '£1', 'amortised: is in £, and must be in USD'],
    ];
    const rows = lots.map(([entity, cost, amortised], index) =>
      [`L${index}`, 'D1', 'ben@acme.test', entity, cost, amortised, '2025-12-31', '2025-01-01', '36'].join(),
    );
    const file = ['lotId,dealId,email,entity,cost,amortised,amortisedTo,start,months', ...rows, ''].join('\n');
    for (const query of ['?dryRun=true', '']) {
      const { accepted, results } = await api.expect(200, 'POST', `/v1/accounting/lots/import${query}`, file, csv);
      expect(accepted).to.equal(0);
      for (const [index, [, , , reason]] of lots.entries()) expect(results[index].reason).to.contain(reason);
    }
    const stated = 'dealId,months,value\nD1,36,€60000\n';
    const { results } = await api.expect(200, 'POST', '/v1/accounting/contracts/import', stated, csv);
    expect(results[0].reason).to.equal('value: is in €, and must be in USD');
  });

  it('and lots of other systems have the decimals of the currency, whatever is stored of them', async () => {
    const closings = await capitalising(service);
    const { api, workspaceId, deal } = closings.work;
    await deal.call(closings.work, 'D1', 0, '2026-01-15');
    const file =
      'lotId,dealId,email,cost,amortised,amortisedTo,start,months\nL1,D1,ben@acme.test,3600,1200,2025-12-31,2025-01-01,36\n';
    await api.expect(200, 'POST', '/v1/accounting/lots/import', file, csv);
    await service.sql(
      `update accounting_facts set content = content || '{"cost": 3600.125}' where workspace_id = $1`,
      workspaceId,
    );
    expect((await costs(closings, '2026-01')).total).to.include({ imported: 2400.13 });
  });

  it('say whether renewals pay for themselves, which a person decides and a version stores (N27)', async () => {
    const closings = await capitalising(service);
    const { ann, ned, work } = closings;
    // A version stores the test of the twelve months up to the present one.
    const today = dayInZone(new Date(), 'UTC');
    const [before, month] = [-2, -1].map((count) => addMonths(today, count).slice(0, 7));
    await work.deal('D1', 112_500, `${before}-10`);
    await work.deal('D2', 50_000, `${month}-15`);
    await work.deal('D3', 50_000, `${month}-20`);
    await contract(closings, { value: 100_000 });
    await contract(closings, { value: 100_000, renewalOf: 'D1' }, 'D2');
    const { tests } = await closings.books.get(`/renewal-test?month=${month}`);
    const expected = {
      policy: 'Contracts',
      newBusiness: { deals: 1, commission: 9000, contractValue: 100_000, percent: 9 },
      renewals: { deals: 1, commission: 4000, contractValue: 100_000, percent: 4 },
      ratio: 0.444,
      withoutValue: 1,
    };
    expect(tests).to.deep.equal([expected]);
    expect((await closings.books.get(`/renewal-test?month=${before}`)).tests[0]).to.include({ ratio: null });
    const path = '/v1/accounting/policies/Contracts/versions';
    const terms = { ...Closings.policy, from: month };
    const paysForItself = { ...terms, renewals: { decision: 'commensurate', reason: 'x' } };
    const rejected = await ann.post(path, paysForItself);
    expect([rejected.status, rejected.body.code]).to.deep.equal([400, 'period_not_of_contract']);
    const renewals = { decision: 'not_commensurate', reason: '9 % and 4 %' };
    const longer = await ned.expect(201, 'POST', path, { ...terms, renewals });
    expect(longer.renewals).to.deep.equal({ ...renewals, test: expected });
    expect(longer.warnings).to.deep.equal([]);
    const shorter = await ned.expect(201, 'POST', path, { ...terms, period: { contract: true }, renewals });
    expect(shorter.warnings).to.deep.equal(['benefit_shorter_than_renewals']);
  });

  it('are read as of earlier instants, imported and taken back, and change no commission', async () => {
    const closings = await overContract();
    const { api } = closings.work;
    await a1(closings);
    const read = (query = '') => api.expect(200, 'GET', `/v1/deals/D1/contract${query}`);
    await contract(closings, { months: 24 });
    const between = encodeURIComponent(new Date().toISOString());
    await api.expect(200, 'POST', '/v1/accounting/contracts/import', 'dealId,start,months\nD1,2026-01-01,36\n', csv);
    expect(await read()).to.include({ months: 36, start: '2026-01-01' });
    expect(await read(`?asOf=${between}`)).to.include({ months: 24, start: null });
    expect((await costs(closings, '2026-01', `&asOf=${between}`)).total.amortised).to.equal(-200);
    expect((await costsByDeal(closings, '2026-01'))['D1'].amortised).to.equal(-133.33);
    await api.expect(200, 'DELETE', '/v1/deals/D1/contract');
    const gone = await api.get('/v1/deals/D1/contract');
    expect([gone.status, gone.body.code]).to.deep.equal([404, 'contract_not_found']);
    for (const wrong of [
      { end: '2026-12-31', months: 12 },
      { start: '2026-12-31', end: '2026-01-01' },
      { start: '2026-12-31', terminatedOn: '2026-01-01' },
      { renewalOf: 'D1' },
    ]) {
      const { status, body } = await api.put('/v1/deals/D1/contract', wrong);
      expect([status, body.code]).to.deep.equal([400, 'invalid_terms']);
    }
    expect(await closings.books.moved('2026-01', 'accrued_commission')).to.equal(-4800);
  });
});
