import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';
import { WorkedExample } from '#test/support/worked-example.js';

describe('sums of several currencies', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;
  let pat: string;

  /** Ben earns dollars, and Pat pounds for a deal of the same month. */
  beforeEach(async () => {
    workspace = await WorkedExample.create(service, { deals: false });
    const { api, planId } = workspace;
    await api.expect(200, 'PATCH', `/v1/plans/${planId}`, { config: { rules: [flatRule('New business', 0.1)] } });
    [pat] = await api.saveReps({ email: 'pat@acme.test', name: 'Pat', crmMemberId: 'pat' });
    const dealConditions = [{ field: 'currency', fieldType: 'text', operator: 'equals', value: 'GBP' }];
    const pounds = { dealConditions, rules: [flatRule('Pounds', 0.1)] };
    await api.createPlan({ name: 'Pounds', config: pounds, currency: 'GBP' }, [pat]);
    await workspace.deal('D1', 10_000, '2026-01-15');
    await workspace.deal('D2', 5003.33, '2026-01-20', { currency: 'GBP', ownerId: 'pat' });
    await workspace.calculated();
  });

  const enter = (from: string, to: string, day: string, rate: number | string) =>
    workspace.api.expect(200, 'PUT', '/v1/fx-rates', { rates: [{ from, to, day, rate }] });
  const team = () => workspace.api.expect(200, 'GET', '/v1/commissions?period=2026-01');
  const dashboard = () => workspace.api.expect(200, 'GET', `/v1/commissions?period=2026-01&repId=${pat}`);

  it('of a team and of a person are in the currency of the workspace, with the rate of the last day', async () => {
    await enter('GBP', 'USD', '2026-01-10', 1.25);
    await enter('GBP', 'USD', '2026-02-01', 1.5);
    const rates = [{ from: 'GBP', to: 'USD', day: '2026-01-31', rate: 1.25 }];
    const { totals, otherCurrencies, converted, reps } = await team();
    expect(totals.total).to.equal(1000);
    expect(otherCurrencies).to.containSubset([{ currency: 'GBP', earnings: { total: 500.33 } }]);
    expect(converted, 'of 500.33 × 1.25 = 625.4125').to.deep.equal({ total: 1625.41, rates, missing: [] });
    const byName = Object.fromEntries(reps.map((rep: { name: string; converted?: object }) => [rep.name, rep]));
    expect(byName['Pat'].converted).to.deep.equal({ total: 625.41, rates, missing: [] });
    expect(byName['Ben']).not.to.have.property('converted');
    expect((await dashboard()).converted).to.deep.equal({ total: 625.41, rates, missing: [] });
  });

  it('have no total while a rate is missing, and say which', async () => {
    await enter('EUR', 'USD', '2026-01-10', 1.08);
    expect((await team()).converted).to.deep.equal({ total: null, rates: [], missing: ['GBP'] });
    await enter('GBP', 'USD', '2025-11-01', 1.25);
    expect((await team()).converted, 'a rate of more than 45 days').to.containSubset({ total: null });
    await enter('USD', 'GBP', '2026-01-31', '0.8');
    expect((await team()).converted).to.containSubset({ total: 1625.41, rates: [{ rate: 1.25 }] });
  });

  it('of a deal have that of the workspace first, now and at an earlier instant', async () => {
    const asOf = new Date().toISOString();
    for (const query of ['', `&asOf=${asOf}`]) {
      const breakdown = await workspace.api.expect(200, 'GET', `/v1/commissions?dealId=D2${query}`);
      const sums = { currency: 'USD', total: 0, otherCurrencies: [{ currency: 'GBP', total: 500.33 }] };
      expect(breakdown, query).to.deep.include(sums);
    }
  });

  it('are apart without exchange rates, and at an earlier instant', async () => {
    for (const body of [await team(), await dashboard()]) expect(JSON.stringify(body)).not.to.contain('converted');
    await enter('GBP', 'USD', '2026-01-10', 1.25);
    const asOf = new Date().toISOString();
    const { body } = await workspace.api.get(`/v1/commissions?period=2026-01&asOf=${asOf}`);
    expect(JSON.stringify(body)).not.to.contain('converted');
  });

  it('of the months of a person are apart', async () => {
    const { trend } = await dashboard();
    const months = trend.filter(({ otherCurrencies }: { otherCurrencies?: object }) => otherCurrencies !== undefined);
    expect(months).to.deep.equal([
      { period: '2026-01', total: 0, otherCurrencies: [{ currency: 'GBP', total: 500.33 }] },
    ]);
  });

  it('of the filtered deals are apart', async () => {
    const { totals } = await workspace.api.expect(200, 'GET', '/v1/deals?totals=true');
    expect(totals).to.deep.equal([
      { currency: 'USD', amount: 10_000, deals: 1 },
      { currency: 'GBP', amount: 5003.33, deals: 1 },
    ]);
  });

  it('of a simulation of a plan that changes its currency are apart', async () => {
    const { api, planId, ben } = workspace;
    await api.expect(200, 'PATCH', `/v1/plans/${planId}`, { currency: 'EUR', effectiveStart: '2026-02-01' });
    await workspace.deal('D3', 7000, '2026-02-10', { currency: 'EUR' });
    await workspace.calculated();
    const simulated = await api.expect(200, 'POST', '/v1/commissions/simulate', {
      planId,
      repId: ben,
      period: '2026-Q1',
    });
    const others = [{ currency: 'EUR', total: 700 }];
    const [{ rules, ...rep }] = simulated.reps;
    expect(simulated).to.containSubset({ currency: 'USD', total: 1000, otherCurrencies: others });
    expect(rep).to.containSubset({ total: 1000, otherCurrencies: others });
    expect(rules).to.containSubset([{ total: 1000, otherCurrencies: others }]);
    const toAmount = ({ dealId, amount, currency = 'USD' }: Record<string, unknown>) => [dealId, amount, currency];
    const amounts = [
      ['D1', 1000, 'USD'],
      ['D3', 700, 'EUR'],
    ];
    expect(rules[0].deals.map(toAmount)).to.deep.equal(amounts);
    expect(rep.outcomes.filter(({ paid }: { paid: boolean }) => paid).map(toAmount)).to.deep.equal(amounts);
    const january = await api.expect(200, 'POST', '/v1/commissions/simulate', {
      planId,
      repId: ben,
      period: '2026-01',
    });
    expect(JSON.stringify(january)).not.to.contain('otherCurrencies');
  });
});
