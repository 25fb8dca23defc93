import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { flatRule, won } from '#test/support/terms.js';
import { type Workspace } from '#test/support/workspace.js';

const tiers = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08 },
  { tierIndex: 1, minThreshold: 1, rate: 0.12 },
];
const rules = [{ name: 'New business', measure: 'amount', tierMode: 'full_rate', tiers }];
const period = '2026-Q1';

interface ForecastDeal {
  readonly dealId: string;
  readonly probability: object | null;
  readonly worth: number | null;
}

describe('the forecast of pay', () => {
  const service = Service.duringSuite();
  let workspace: Workspace;
  let api: ApiClient;
  let ben: string;
  let ada: string;
  let mia: string;
  let planId: string;

  /** 60,000 of a quota of 100,000 are won; 30,000 and 20,000 are open. Ada reports to Mia, Ben has no manager. */
  beforeEach(async () => {
    workspace = await service.workspace({ currency: 'USD' });
    ({ api } = workspace);
    [ben, ada, mia] = await api.saveReps(
      'Ben',
      { name: 'Ada', managerEmail: 'mia@x.io' },
      { name: 'Mia', role: 'manager' },
    );
    ({ planId } = await api.createPlan({ name: 'AE', config: { dealConditions: [won], rules } }, [ben, ada]));
    await api.setQuota([ben, ada], 'New business', period, 100_000);
    await putDeals('ben', [
      { dealId: 'won', amount: 60_000, closeDate: '2026-01-15', stage: 'Won' },
      { dealId: 'first', amount: 30_000, closeDate: '2026-03-10', fields: { probability: 60 } },
      { dealId: 'second', amount: 20_000, closeDate: '2026-03-20', fields: { probability: 0.5 } },
    ]);
  });

  async function putDeals(ownerId: string, deals: readonly object[]): Promise<void> {
    const body = { deals: deals.map((deal) => ({ ownerId, stage: 'Proposal', ...deal })) };
    await api.expect(200, 'POST', '/v1/deals/import', body);
    await workspace.calculated();
  }

  const forecast = (repId: string, query = '', client = api) =>
    client.expect(200, 'GET', `/v1/forecast?repId=${repId}&period=${period}${query}`);
  const worthOf = (deals: readonly ForecastDeal[]) =>
    Object.fromEntries(deals.map(({ dealId, worth }) => [dealId, worth]));

  it('pays each outcome with the engine: 4,800 (20 %), 7,200 (30 %), 6,400 (20 %) and 9,600 (30 %)', async () => {
    const { calculatedAt, ...found } = await forecast(ben);
    expect(Date.parse(calculatedAt)).to.be.closeTo(Date.now(), 600_000);
    expect(found).to.deep.include({ repId: ben, name: 'Ben', period, currency: 'USD', method: 'all_outcomes' });
    expect(found).to.deep.include({ sure: 4800, expected: 7280, p10: 4800, p90: 9600, otherCurrencies: [] });
    // 8,400 with the deal of 30,000 and 5,600 without; 8,320 with that of 20,000 and 6,240 without.
    expect(worthOf(found.deals)).to.deep.equal({ first: 2800, second: 2080 });
    expect(found.deals.map(({ probability }: ForecastDeal) => probability)).to.deep.equal([
      { value: 0.6, source: 'deal', field: 'probability' },
      { value: 0.5, source: 'deal', field: 'probability' },
    ]);
    expect(found.plans).to.have.lengthOf(1);
    expect(found.plans[0]).to.include({ planId, version: 1 });
  });

  it('stores nothing', async () => {
    const earned = () => workspace.sql('select * from commission_events where workspace_id = $1 order by event_id');
    const before = await earned();
    await forecast(ben, '&goal=9000');
    expect(await earned()).to.deep.equal(before);
  });

  it('counts deals without a probability as lost, and says so', async () => {
    await putDeals('ben', [
      { dealId: 'unknown', amount: 500_000, closeDate: '2026-03-25', fields: { probability: 250 } },
    ]);
    const { expected, deals } = await forecast(ben);
    expect(expected).to.equal(7280);
    expect(deals[2]).to.deep.include({ dealId: 'unknown', probability: null, worth: null });
  });

  it('takes the rate of the stage from at least 10 closed deals that have been in it, with the sample', async () => {
    const closed = (count: number, stage: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => ({
        dealId: `old-${index}`,
        amount: 1,
        closeDate: '2025-06-01',
        stage: stage(index),
      }));
    const open = { dealId: 'unrated', amount: 10_000, closeDate: '2026-03-25', stage: 'Demo' };
    await putDeals('ada', [...closed(9, () => 'Demo'), open]);
    await putDeals(
      'ada',
      closed(9, (index) => (index < 4 ? 'Won' : 'Closed Lost')),
    );
    expect((await forecast(ada)).deals[0].probability).to.equal(null);
    await putDeals(
      'ada',
      closed(10, (index) => (index < 9 ? 'Closed Lost' : 'Demo')),
    );
    await putDeals(
      'ada',
      closed(10, (index) => (index < 4 ? 'Won' : 'Closed Lost')),
    );
    const { deals, expected } = await forecast(ada);
    expect(deals[0].probability).to.deep.equal({ value: 0.4, source: 'stage', won: 4, closed: 10 });
    expect(expected).to.equal(0.4 * 800);
  });

  it('finds the fewest deals that reach a goal, then the smallest, or what is missing', async () => {
    const goal = async (amount: number) => (await forecast(ben, `&goal=${amount}`)).goal;
    expect(await goal(4800))
      .to.include({ reached: true, pay: 4800, missing: 0, exact: true })
      .and.deep.include({ dealIds: [] });
    expect((await goal(6000)).dealIds).to.deep.equal(['second']);
    expect((await goal(7200)).dealIds).to.deep.equal(['first']);
    expect((await goal(9600)).dealIds).to.deep.equal(['first', 'second']);
    expect(await goal(10_000)).to.deep.equal({
      amount: 10_000,
      reached: false,
      dealIds: ['first', 'second'],
      pay: 9600,
      missing: 400,
      exact: true,
    });
    await expectError('400 VALIDATION_FAILED', api.get(`/v1/forecast?goal=10000`));
  });

  it('draws equal outcomes for equal seeds, also under another plan, and more than 12 deals approach their expectation', async () => {
    const many = Array.from({ length: 13 }, (_, index) => ({
      dealId: `open-${index}`,
      amount: 1000,
      closeDate: '2026-03-12',
      fields: { probability: 3 },
    }));
    await putDeals('ada', many);
    const [first, again, other] = [await forecast(ada), await forecast(ada), await forecast(ada, '&seed=2')];
    expect(first).to.include({ method: 'draws', seed: 1 });
    expect({ ...again, calculatedAt: null }).to.deep.equal({ ...first, calculatedAt: null });
    expect(other.expected).not.to.equal(first.expected);
    // 8 % of 13 deals of 1,000 at 3 %: 31.2, with a standard error of 0.77.
    expect(first.expected).to.be.closeTo(31.2, 4);
    expect(first.deals[0].worth).to.be.closeTo(80, 24);
    // A second plan pays twice as much for the same draws.
    await api.createPlan({ name: 'Double', config: { dealConditions: [won], rules: [flatRule('Flat', 0.16)] } }, [ada]);
    expect((await forecast(ada)).expected).to.be.closeTo(first.expected * 3, 0.02);
  });

  it('is read by the person, by managers for their team and by admins', async () => {
    await putDeals('ada', [{ dealId: 'of-ada', amount: 10_000, closeDate: '2026-03-12', fields: { probability: 50 } }]);
    await api.expect(200, 'PATCH', '/v1/workspaces', { managerScope: 'reports' });
    const [asBen, asMia] = [await workspace.as(ben), await workspace.as(mia)];
    expect((await forecast(ben, '', asBen)).expected).to.equal(7280);
    await expectError('403 forbidden', asBen.get(`/v1/forecast?repId=${ada}&period=${period}`));
    await expectError('403 forbidden', asBen.get(`/v1/forecast?period=${period}`));
    await expectError('403 forbidden', asMia.get(`/v1/forecast?repId=${ben}&period=${period}`));
    const ofTeam = await asMia.expect(200, 'GET', `/v1/forecast?period=${period}`);
    expect(ofTeam).to.deep.include({ currency: 'USD', sure: 0, expected: 400, otherCurrencies: [] });
    expect(ofTeam.reps.map(({ name }: { name: string }) => name)).to.deep.equal(['Ada']);
    const all = await api.expect(200, 'GET', `/v1/forecast?period=${period}`);
    expect(all).to.deep.include({ sure: 4800, expected: 7680 });
    await expectError('404 rep_not_found', api.get('/v1/forecast?repId=nobody'));
  });

  it('compares the credit of an ended month with the working days up to its end', async () => {
    const ofJanuary = await api.expect(200, 'GET', `/v1/forecast?repId=${ben}&period=2026-01`);
    // January has 22 of the 64 working days of the quarter.
    expect(ofJanuary.paces[0]).to.include({ credit: 60_000, workingDays: 64, elapsedDays: 22 });
    expect(ofJanuary.paces[0].pace).to.be.closeTo((60_000 * 64) / (100_000 * 22), 0.001);
    expect((await forecast(ben)).paces[0]).to.include({ credit: 60_000, workingDays: 64, elapsedDays: 64 });
  });

  it('adds what is paid whatever happens: adjustments and approved periods', async () => {
    await api.generate(ben, '2026-01');
    await api.approve(ben, '2026-01');
    const { sure, expected } = await forecast(ben);
    expect({ sure, expected }).to.deep.equal({ sure: 4800, expected: 7280 });
  });
});
