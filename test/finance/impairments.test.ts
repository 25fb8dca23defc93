import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { type Closings } from './closings.js';
import { amortisedIn, capitalising, costs } from './cost-books.js';

describe('tests of impairment', () => {
  const service = Service.duringSuite();

  const path = (month: string, dealId = 'D1') => `/v1/accounting/impairments/${dealId}/${month}`;
  const test = ({ work }: Closings, month: string, value: number) =>
    work.api.expect(200, 'PUT', path(month), { remainingConsideration: value + 100, remainingCost: 100 });

  async function tested(framework: string): Promise<Closings> {
    const closings = await capitalising(service);
    await closings.books.entity({ framework });
    await closings.work.deal('D1', 60_000, '2026-01-15');
    await test(closings, '2026-06', 3000);
    await test(closings, '2026-09', 9999);
    return closings;
  }

  it('write the lots down to what is recovered, and up again under IFRS (N22)', async () => {
    const closings = await tested('ifrs');
    expect((await costs(closings, '2026-06')).total).to.include({ impaired: -1000, closing: 3000 });
    expect(await amortisedIn(closings, '2026-07')).to.deep.equal([100]);
    expect((await costs(closings, '2026-09')).total).to.include({ impaired: 900, closing: 3600 });
    expect(await closings.books.moved('2026-09', 'impairment_expense')).to.equal(-900);
    expect(await amortisedIn(closings, '2026-10')).to.deep.equal([133.33]);
  });

  it('never write up under US GAAP (N22), and are part of what is known later', async () => {
    const closings = await tested('us_gaap');
    expect((await costs(closings, '2026-09')).total).to.include({ impaired: 0, closing: 2700 });
    const { contractCosts, future } = await costs(closings, '2026-06');
    const later = future.reduce((sum: number, { amount }: { readonly amount: number }) => sum + amount, 0);
    expect(later).to.be.closeTo(contractCosts[0].closing, 0.001);
  });

  it('divide what is lost by the carrying amounts of everyone on the deal', async () => {
    const override = flatRule('Override', 0.25, { executionPhase: 'cascade', dependsOn: 'New business' });
    const closings = await capitalising(service, {}, { rules: [flatRule('New business', 0.08), override] });
    const { api, mia, planId } = closings.work;
    await api.saveReps({ email: 'ben@acme.test', name: 'Ben', crmMemberId: 'ben', managerEmail: 'mia@acme.test' });
    await api.assign([mia], planId);
    await closings.work.deal('D1', 60_000, '2026-01-15');
    await test(closings, '2026-06', 2000);
    const { contractCosts } = await costs(closings, '2026-06', '&groupBy=person');
    const rows = contractCosts.map((row: Record<string, number>) => [row.repName, row.impaired, row.closing]);
    expect(rows).to.have.deep.members([
      ['Ben', -2400, 1600],
      ['Mia', -600, 400],
    ]);
    const { contractCosts: own } = await costs(closings, '2026-06', `&groupBy=person&repId=${mia}`);
    expect(own.map((row: { readonly impaired: number }) => row.impaired)).to.deep.equal([-600]);
  });

  it('count the lots of people who have only what another system began', async () => {
    const closings = await capitalising(service);
    const { api, ben, deal } = closings.work;
    await deal.call(closings.work, 'D1', 60_000, '2026-01-15');
    const lots =
      'lotId,dealId,email,cost,amortised,amortisedTo,start,months\nL1,D1,mia@acme.test,3600,1200,2025-12-31,2025-01-01,36\n';
    await api.expect(200, 'POST', '/v1/accounting/lots/import', lots, { 'Content-Type': 'text/csv' });
    await test(closings, '2026-06', 2000);
    const impaired = async (query: string) =>
      (await costs(closings, '2026-06', query)).contractCosts.map((row: Record<string, number>) => [
        row.repName,
        row.impaired,
      ]);
    const [all, own] = [await impaired('&groupBy=person'), await impaired(`&groupBy=person&repId=${ben}`)];
    expect(all).to.have.length(2);
    expect(own).to.deep.equal(all.filter(([name]: [string]) => name === 'Ben'));
  });

  it('are listed by month, as they were at an instant', async () => {
    const closings = await tested('ifrs');
    const { api } = closings.work;
    const list = async (query: string) =>
      (await api.expect(200, 'GET', `/v1/accounting/impairments?${query}`)).impairments;
    const months = async (query: string) =>
      (await list(query)).map((each: Record<string, unknown>) => [each['dealId'], each['month'], each['dealName']]);
    const [[dealId, , name]] = await months('month=2026-09');
    expect(await months('month=2026-06')).to.deep.equal([[dealId, '2026-06', name]]);
    expect(await months('month=2026-07')).to.deep.equal([]);
    const before = new Date().toISOString();
    await api.expect(200, 'DELETE', path('2026-09'));
    expect(await months('month=2026-09')).to.deep.equal([]);
    expect(await months(`month=2026-09&asOf=${before}`)).to.deep.equal([[dealId, '2026-09', name]]);
  });

  it('are entered in open months, and taken back in them', async () => {
    const closings = await tested('ifrs');
    const { api } = closings.work;
    await api.expect(200, 'DELETE', path('2026-09'));
    const again = await api.delete(path('2026-09'));
    expect([again.status, again.body.code]).to.deep.equal([404, 'impairment_not_found']);
    expect((await costs(closings, '2026-09')).total).to.include({ impaired: 0 });
    await closings.close('2026-01');
    const terms = { remainingConsideration: 1, remainingCost: 0 };
    for (const [at, status, code] of [
      [path('2026-01'), 409, 'month_closed'],
      [path('2030-01'), 404, 'month_not_found'],
      [path('2026-02', 'none'), 404, 'deal_not_found'],
    ] as const) {
      const rejected = await api.put(at, terms);
      expect([rejected.status, rejected.body.code]).to.deep.equal([status, code]);
    }
  });
});
