import { expect } from 'chai';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

describe('the dates of a rule', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;

  /** A contest of three weeks pays 1 % in addition to the tiers. */
  beforeEach(async () => {
    workspace = await WorkedExample.create(service, { deals: false });
    const rules = [
      {
        name: 'Contest',
        measure: 'amount',
        effectiveStart: '2026-02-02',
        effectiveEnd: '2026-02-22',
        tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.01 }],
      },
    ];
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, { config: { rules } });
    for (const day of ['2026-02-01', '2026-02-02', '2026-02-22', '2026-02-23']) await workspace.deal(day, 100, day);
    await workspace.calculated();
  });
  afterEach(() => workspace.expectSoundLedger());

  it('a rule pays deals from its first to its last day, and says why the others do not', async () => {
    expect(await workspace.earned()).to.deep.equal({ '2026-02-02': '1', '2026-02-22': '1' });
    const { exceptions } = await workspace.api.expect(200, 'GET', '/v1/commissions/exceptions?period=2026-02');
    expect(exceptions).to.have.lengthOf(1);
    const [{ reason, deals }] = exceptions;
    const dealIds = deals.map(({ dealId }: { dealId: string }) => dealId).sort();
    expect([reason, dealIds]).to.deep.equal(['outside_rule_dates', ['2026-02-01', '2026-02-23']]);
    const { outcomes } = await workspace.api.expect(200, 'GET', '/v1/commissions?dealId=2026-02-23');
    expect(outcomes[0]).to.include({ reason: 'outside_rule_dates' });
  });

  it('a simulation says the same of a deal that is not stored', async () => {
    const deals = [{ dealId: 'x', amount: 100, closeDate: '2026-02-23' }];
    const request = { planId: workspace.planId, repId: workspace.ben, period: '2026-02', deals };
    const simulated = await workspace.api.expect(200, 'POST', '/v1/commissions/simulate', request);
    expect(JSON.stringify(simulated)).to.include('outside_rule_dates');
  });
});
