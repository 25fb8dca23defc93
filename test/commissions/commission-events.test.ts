import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { flatRule, won } from '#test/support/terms.js';

describe('GET /v1/commission-events', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;
  let ann: string;
  let bob: string;

  before(async () => {
    ({ api, workspaceId } = await service.workspace());
    [ann, bob] = await api.saveReps('Ann', 'Bob');
    await api.createPlan({ name: 'AE', config: { dealConditions: [won], rules: [flatRule('New', 0.1)] } }, [ann, bob]);
    for (let deal = 1; deal <= 9; deal += 1)
      await api.putDeal(`d${deal}`, {
        amount: deal * 100,
        stage: 'Won',
        closeDate: `2026-0${deal}-10`,
        repId: deal % 3 === 0 ? bob : ann,
      });
    await api.adjust(ann, '2026-02', 25, 'Contest');
    await service.waitForCalculations(workspaceId);
  });

  async function readAll(query: string, onPage: () => Promise<unknown> = async () => undefined) {
    const events: { dealId: string | null; amount: number; repId: string }[] = [];
    for (let after = ''; ; ) {
      const page = await api.expect(200, 'GET', `/v1/commission-events?${query}${after}`);
      events.push(...page.events);
      await onPage();
      if (page.nextAfter === null) return events;
      after = `&after=${page.nextAfter}`;
    }
  }

  it('lists every event once, also while deals between the pages change', async () => {
    let changes = 0;
    const events = await readAll('limit=2', async () => {
      changes += 1;
      await api.putDeal('d9', { amount: 900 + changes, stage: 'Won', closeDate: '2026-09-10', repId: bob });
      await service.waitForCalculations(workspaceId);
    });
    expect(events.map(({ dealId }) => dealId ?? 'none').sort()).to.deep.equal([
      ...Array.from({ length: 9 }, (_, index) => `d${index + 1}`),
      'none',
    ]);
  });

  it('selects by rep, days and time of change', async () => {
    expect((await readAll(`repId=${bob}`)).every(({ repId }) => repId === bob)).to.equal(true);
    const spring = await readAll('earnedFrom=2026-03-01&earnedTo=2026-05-31&limit=1');
    expect(spring.map(({ dealId }) => dealId).sort()).to.deep.equal(['d3', 'd4', 'd5']);
    expect(await readAll('updatedSince=2190-01-01T00:00:00Z')).to.deep.equal([]);
    expect((await api.get('/v1/commission-events?after=x')).status).to.equal(400);
  });
});
