import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { flatRule, won } from '#test/support/terms.js';
import { useOwnServer } from '#test/support/test-database.js';

describe('the feed of commission events', () => {
  before(useOwnServer);

  describe('GET /v1/commission-events', () => {
    const service = Service.duringSuite({ isAlone: true });
    let api: ApiClient;
    let workspaceId: string;
    let ann: string;
    let bob: string;

    before(async () => {
      ({ api, workspaceId } = await service.workspace());
      [ann, bob] = await api.saveReps('Ann', 'Bob');
      await api.createPlan({ name: 'AE', config: { dealConditions: [won], rules: [flatRule('New', 0.1)] } }, [
        ann,
        bob,
      ]);
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
      const events = new Map<string, { dealId: string | null; amount: number; repId: string }>();
      for (let cursor = ''; ; ) {
        const page = await api.expect(200, 'GET', `/v1/commission-events?${query}${cursor}`);
        for (const event of page.events) events.set(event.eventId, event);
        if (!page.more) return [...events.values()];
        await onPage();
        cursor = `&cursor=${page.nextCursor}`;
      }
    }

    it('lists every event with its last amount, also while deals between the pages change', async () => {
      let amount = 900;
      const events = await readAll('limit=2', async () => {
        if (amount === 905) return;
        amount += 1;
        await api.putDeal('d9', { amount, stage: 'Won', closeDate: '2026-09-10', repId: bob });
        await service.waitForCalculations(workspaceId);
      });
      expect(events.map(({ dealId }) => dealId ?? 'none').sort()).to.deep.equal([
        ...Array.from({ length: 9 }, (_, index) => `d${index + 1}`),
        'none',
      ]);
      expect(events.find(({ dealId }) => dealId === 'd9')?.amount).to.equal(amount / 10);
    });

    it('selects by rep, days and time of change', async () => {
      expect((await readAll(`repId=${bob}`)).every(({ repId }) => repId === bob)).to.equal(true);
      const spring = await readAll('earnedFrom=2026-03-01&earnedTo=2026-05-31&limit=1');
      expect(spring.map(({ dealId }) => dealId).sort()).to.deep.equal(['d3', 'd4', 'd5']);
      expect(await readAll('updatedSince=2190-01-01T00:00:00Z')).to.deep.equal([]);
    });

    it('lists events that a person or a reset has deleted', async () => {
      const adjustment = await api.adjust(ann, '2026-02', 40, 'Mistake');
      const before = await api.expect(200, 'GET', '/v1/commission-events');
      const ids = before.events.map(({ eventId }: { eventId: string }) => eventId);
      expect(ids).to.include(adjustment.eventId);
      await api.expect(200, 'DELETE', `/v1/statements/${ann}/adjust/${adjustment.eventId}`);
      const after = await api.expect(200, 'GET', `/v1/commission-events?cursor=${before.nextCursor}`);
      expect(after.deleted).to.deep.equal([{ eventId: adjustment.eventId, repId: ann }]);
      await api.expect(200, 'POST', '/v1/commissions/reset', { scope: 'events' });
      const { deleted } = await api.expect(200, 'GET', `/v1/commission-events?cursor=${after.nextCursor}`);
      expect(deleted.length).to.equal(ids.length - 1);
    });

    it('rejects a time beside a cursor, which contains it', async () => {
      const { nextCursor } = await api.expect(200, 'GET', '/v1/commission-events?updatedSince=2026-01-01T00:00:00Z');
      expect(
        (await api.get(`/v1/commission-events?cursor=${nextCursor}&updatedSince=2026-01-01T00:00:00Z`)).status,
      ).to.equal(400);
    });
  });
});
