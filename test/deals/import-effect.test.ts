import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { flatRule, flatTier, won } from '#test/support/terms.js';

describe('the effect of an import on commission', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;
  let ann: string;

  const header = 'id,amount,stage,close_date,owner_id';
  const send = (rows: readonly string[], query = '') =>
    api.expect(200, 'POST', `/v1/deals/import?idColumn=id${query}`, [header, ...rows].join('\n'), {
      'Content-Type': 'text/csv',
    });
  const total = async (period: string) => {
    await service.waitForCalculations(workspaceId);
    return (await api.expect(200, 'GET', `/v1/commissions?period=${period}`)).totals.total;
  };

  beforeEach(async () => {
    ({ api, workspaceId } = await service.workspace());
    const people = await api.saveReps(
      { name: 'Mia', role: 'manager' },
      { name: 'Ann', crmMemberId: 'ann', managerEmail: 'mia@x.io' },
    );
    ann = people[1] as string;
    const config = {
      dealConditions: [won],
      rules: [
        flatRule('New', 0.1),
        { name: 'Override', measure: 'amount', executionPhase: 'cascade', dependsOn: 'New', tiers: flatTier(0.2) },
      ],
    };
    await api.createPlan({ name: 'AE', config }, people);
    await send(['d1,1000,Won,2026-01-10,ann', 'd2,500,Open,2026-02-10,ann']);
    await service.waitForCalculations(workspaceId);
  });

  it('is what the import then does, for owners and their managers, and a dry run writes nothing', async () => {
    const rows = [
      'd1,1000,Won,2026-01-10,ann',
      'd2,500,Won,2026-02-10,ann',
      'd3,2000.50,Won,2026-02-11,ann',
      'd4,x,,,',
    ];
    const before = await total('2026');
    const dry = await send(rows, '&dryRun=true&effect=true');
    expect(dry).to.include({ created: 1, changed: 1, unchanged: 1, accepted: 2 });
    expect(dry.rejected).to.have.length(1);
    // 10 % of 2,500.50, and 20 % of that for the manager.
    expect(dry.effect).to.deep.equal({
      lines: 4,
      reps: 2,
      totals: [{ currency: 'USD', delta: 300.06 }],
      locked: [],
    });
    expect(await total('2026')).to.equal(before);
    expect((await api.expect(200, 'GET', '/v1/deals?limit=10')).count).to.equal(2);
    const real = await send(rows);
    expect(real).to.include({ created: 1, changed: 1, unchanged: 1 }).and.not.have.property('effect');
    expect(await total('2026')).to.be.closeTo(before + dry.effect.totals[0].delta, 0.001);
  });

  it('counts managers whose own commission alone changes', async () => {
    const override = { name: 'Team', measure: 'points', executionPhase: 'cascade', tiers: flatTier(0.5) };
    const mia = (await api.expect(200, 'GET', '/v1/reps')).reps.find(({ name }: { name: string }) => name === 'Mia').id;
    await api.createPlan({ name: 'Managers', config: { rules: [override] } }, [mia]);
    await service.waitForCalculations(workspaceId);
    const before = await total('2026');
    const rows = ['id,amount,stage,close_date,owner_id,points', 'd1,1000,Won,2026-01-10,ann,7'].join('\n');
    const importRows = (query: string) =>
      api.expect(200, 'POST', `/v1/deals/import?idColumn=id${query}`, rows, { 'Content-Type': 'text/csv' });
    const { effect } = await importRows('&dryRun=true&effect=true');
    expect(effect).to.deep.equal({ lines: 1, reps: 1, totals: [{ currency: 'USD', delta: 50 }], locked: [] });
    await importRows('');
    expect(await total('2026')).to.be.closeTo(before + 50, 0.001);
  });

  it('lists what approved periods would owe, which do not change', async () => {
    await api.generate(ann, '2026-01');
    await api.approve(ann, '2026-01');
    const { effect } = await send(['d1,1500,Won,2026-01-10,ann'], '&dryRun=true&effect=true');
    expect(effect.locked).to.deep.equal([{ repId: ann, period: '2026-01', currency: 'USD', delta: 50 }]);
    expect(effect.totals).to.deep.equal([]);
  });

  it('is absent unless it is requested, and empty for deals that no plan pays', async () => {
    expect(await send(['d9,1,Open,2026-01-10,ann'], '&dryRun=true')).not.to.have.property('effect');
    const { effect } = await send(['d9,1,Open,2026-01-10,nobody'], '&dryRun=true&effect=true');
    expect(effect).to.deep.equal({ lines: 0, reps: 0, totals: [], locked: [] });
  });
});
