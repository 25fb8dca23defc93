import { expect } from 'chai';
import { type RedisServer, startRedis } from '#test/support/redis-server.js';
import { importPath, readPipeline, saveMapping, savePlans, saveTeams } from '#test/support/sales-opportunities.js';
import { Service } from '#test/support/service.js';

describe('the service with the queue on Redis', () => {
  let redis: RedisServer;
  let service: Service;

  before(async function () {
    const started = await startRedis();
    if (started === null) return this.skip();
    redis = started;
    service = await Service.start({ settings: { REDIS_URL: redis.url } });
  });

  after(async () => {
    await service?.stop();
    await redis?.stop();
  });

  it('calculates the same commission as on PostgreSQL, and a recalculation changes nothing', async () => {
    const { workspaceId, api } = await service.workspace();
    const teams = await saveTeams(api);
    await saveMapping(api);
    await savePlans(api, teams);
    await api.expect(200, 'POST', importPath, await readPipeline(), { 'Content-Type': 'text/csv' });
    await service.waitForCalculations(workspaceId);
    const { totals } = await api.expect(200, 'GET', '/v1/commissions?period=2017');
    expect(totals).to.deep.equal({ total: 801_085.18, commission: 797_335.18, bonus: 3750, adjustments: 0 });
    const again = await api.expect(200, 'POST', '/v1/commissions/recalculate', {});
    expect(again).to.deep.include({ triggered: true, eventsWritten: 0, eventsReversed: 0 });
  });
});
