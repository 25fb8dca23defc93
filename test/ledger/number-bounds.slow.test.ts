import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

const flat = (name: string, terms: object) => ({
  name,
  tiers: [{ tierIndex: 0, minThreshold: 0, rate: 1 }],
  ...terms,
});
const config = {
  dealConditions: [{ field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' }],
  rules: [
    flat('Amount', { measure: 'amount' }),
    flat('Contract', { measure: 'acv' }),
    {
      name: 'Weighted',
      measure: 'one',
      quotaCredit: [{ field: 'acv', weight: 1e6 }],
      tierMode: 'marginal',
      tiers: [
        { tierIndex: 0, minThreshold: 0, rate: 0.01 },
        { tierIndex: 1, minThreshold: 1, rate: 10 },
      ],
    },
    flat('Month', { measure: 'acv', executionPhase: 'periodic', attainmentPeriod: 'monthly' }),
  ],
};
const override = {
  rules: [flat('Override', { measure: 'amount', executionPhase: 'cascade', dependsOn: 'Amount' })],
};
const extremes: Readonly<Record<string, unknown>> = {
  large: 1e18,
  negative: -1e18,
  largest: 1.7976931348623157e308,
  'text-1e400': '1e400',
  'text-1e99999': '-1e99999',
  'id-of-18-digits': '123456789012345678',
  tiny: '1e-400',
  'many-digits': `0.${'3'.repeat(399)}`,
  nan: 'NaN',
};

describe('deals with extreme numbers', () => {
  const service = Service.duringSuite();

  interface Team {
    readonly api: ApiClient;
    readonly workspaceId: string;
    readonly ann: string;
    readonly max: string;
  }

  async function team(currency: string): Promise<Team> {
    const { api, workspaceId } = await service.workspace({ currency });
    const [max, ann] = await api.saveReps('Max', { name: 'Ann', managerEmail: 'max@x.io' });
    await api.createPlan({ name: 'Sales', config }, [ann]);
    await api.createPlan({ name: 'Managers', config: override }, [max]);
    await api.setQuota([ann], 'Weighted', '2026-Q1', 0.000001);
    return { api, workspaceId, ann, max };
  }

  async function put({ api, ann }: Team, dealId: string, fields: object, more: object = {}): Promise<void> {
    const deal = { fields, stage: 'Won', closeDate: '2026-02-10', repId: ann, ...more };
    await api.expect(201, 'PUT', `/v1/deals/${dealId}`, deal);
  }

  async function lanesWithFailures({ workspaceId }: Team): Promise<object[]> {
    return service.sql(
      'select rep_id, last_error from lanes where workspace_id = $1 and (attempts > 0 or last_error is not null)',
      workspaceId,
    );
  }

  for (const currency of ['USD', 'JPY', 'BHD']) {
    it(`do not prevent the calculation of the rep's other deals and of the manager in ${currency}`, async () => {
      const people = await team(currency);
      const { api, workspaceId, ann, max } = people;
      for (const [name, value] of Object.entries(extremes)) await put(people, name, { acv: value, one: value });
      await put(people, 'usual', { amount: 1000, acv: 500, one: 1 });
      await service.waitForCalculations(workspaceId);
      expect(await lanesWithFailures(people)).to.deep.equal([]);

      const usual = await api.expect(200, 'GET', '/v1/commissions?dealId=usual');
      const amounts = usual.events.map((event: { ruleName: string; amount: number }) => [event.ruleName, event.amount]);
      expect(Object.fromEntries(amounts)).to.include({ Amount: 1000, Contract: 500, Override: 1000 });
      const large = await api.expect(200, 'GET', '/v1/commissions?dealId=id-of-18-digits');
      const contract = large.outcomes.find((each: { ruleName: string }) => each.ruleName === 'Contract');
      expect(contract).to.deep.include({ paid: false, reason: 'value_out_of_range', missing: ['acv'] });

      const drafts = await api.expect(200, 'POST', '/v1/statements/generate', { period: '2026-02' });
      expect(drafts.statements).to.have.length(2);
      const statement = await api.expect(200, 'GET', `/v1/statements?repId=${ann}&period=2026-02`);
      expect(statement.summary.netPayout).to.be.at.least(1500);
      await api.expect(200, 'GET', `/v1/commissions?repId=${max}&period=2026-02`);
      await service.expectSoundLedger(workspaceId);
    });
  }

  it('from a CRM are stored, have an explanation and pay nothing', async () => {
    const people = await team('USD');
    await put(people, 'crm', { amount: 1, value: 500, acv: 5 });
    await put(people, 'usual', { amount: 1000 });
    await service.sql(
      `update deals set amount = null, fields = '{"amount": 1e400, "value": 500, "acv": 5}'
       where workspace_id = $1 and deal_id = 'crm'`,
      people.workspaceId,
    );
    await people.api.expect(200, 'POST', '/v1/commissions/recalculate', {});
    const { events, outcomes } = await people.api.expect(200, 'GET', '/v1/commissions?dealId=crm');
    const amount = outcomes.find((each: { ruleName: string }) => each.ruleName === 'Amount');
    expect(amount).to.deep.include({ paid: false, reason: 'value_out_of_range' });
    expect(
      events
        .filter((event: { status: string }) => event.status === 'earned')
        .map((event: { ruleName: string; amount: number }) => [event.ruleName, event.amount]),
    ).to.deep.include(['Contract', 5]);
  });

  it('are added correctly in statements, dashboards, overviews, exports and true-ups', async () => {
    const people = await team('USD');
    const { api, workspaceId, ann } = people;
    const count = 40;
    const rows = Array.from({ length: count }, (_, index) => [
      { dealId: `won-${index}`, amount: 1e15, stage: 'Won', closeDate: '2026-02-10', repId: ann },
      { dealId: `open-${index}`, amount: '1000000000000000', stage: 'Open', closeDate: '2026-02-10', repId: ann },
    ]).flat();
    expect(await api.expect(200, 'POST', '/v1/deals/import', { deals: rows })).to.deep.include({ rejected: [] });
    await service.waitForCalculations(workspaceId);
    expect(await lanesWithFailures(people)).to.deep.equal([]);
    const total = count * 1e15;

    const dashboard = await api.expect(200, 'GET', `/v1/commissions?repId=${ann}&period=2026-02`);
    expect(dashboard.earnings.total).to.equal(total);
    expect(dashboard.openPipeline).to.deep.include({ deals: count, total });
    const overview = await api.expect(200, 'GET', '/v1/commissions?period=2026-02');
    expect(overview.totals.total).to.equal(2 * total);

    const draft = await api.generate(ann, '2026-02');
    expect(draft.summary.netPayout).to.equal(total);
    await api.approve(ann, '2026-02');
    await api.expect(200, 'GET', '/v1/statements/export.csv?period=2026-02');
    await api.expect(200, 'GET', `/v1/statements?period=2026-02`);

    const removed = rows.filter((row) => row.stage === 'Won').slice(0, 30);
    for (const { dealId } of removed) await api.expect(200, 'DELETE', `/v1/deals/${dealId}`);
    await service.waitForCalculations(workspaceId);
    const trueUp = await api.expect(200, 'POST', `/v1/statements/${ann}/true-up`, { period: '2026-02', force: true });
    expect(trueUp).to.include({ action: 'trued_up', delta: -removed.length * 1e15 });
  });
});
