import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { slownessOfMachine } from '#test/budgets/machine-speed.js';
import { ServiceMonitor } from '#test/budgets/service-monitor.js';
import { ApiClient } from '#test/support/api-client.js';
import { FileServer } from '#test/support/file-server.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';
import { HostileSources } from './hostile-sources.js';

const maxResponseMs = 200;
const maxFirstFileMs = 5_000;
const abusiveWorkspaces = 5;
const schedule = { every: 'day', at: '06:30' };

describe('the service beside 100 hostile sources', () => {
  let service: Service;
  let sources: HostileSources;
  before(async () => {
    service = await Service.start({ worker: false });
    sources = await HostileSources.start(100);
  });
  after(async () => {
    await sources?.stop();
    await service?.stop();
  });

  it(`answers within ${maxResponseMs} ms, and reads another tenant's first file within ${maxFirstFileMs / 1000} s`, async function () {
    this.timeout(300_000);
    const target = await service.startProcess(
      'both',
      { TIME_LIMIT_FACTOR: '1', LOG_LEVEL: 'silent' },
      { isInstalled: true },
    );
    const client = async () => new ApiClient(target.url, (await service.workspace()).apiKey);
    const tenants = await Promise.all(Array.from({ length: abusiveWorkspaces }, client));
    const other = await client();
    const files = await FileServer.start();
    files.content = 'id,amount,stage,close_date\nB1,1000,Won,2026-01-15\n';
    const monitor = new ServiceMonitor(target.url, target.pid);
    let firstFileMs = Number.POSITIVE_INFINITY;
    const { slowestMs } = await monitor.during(async () => {
      for (const [at, { name, ...more }] of sources.all.entries())
        await tenants[at % tenants.length]?.expect(201, 'POST', '/v1/scheduled-imports', {
          name: `${at} ${name}`,
          subject: 'deals',
          schedule,
          ...more,
        });
      await sleep(5_000);
      const source = { kind: 'url', url: files.url };
      const startedAt = performance.now();
      await other.expect(201, 'POST', '/v1/scheduled-imports', { name: 'Honest', subject: 'deals', source, schedule });
      const isRead = async () =>
        (await other.expect(200, 'GET', '/v1/scheduled-imports')).scheduledImports[0].waitingFileId as string | null;
      await until(isRead, { what: 'the first file of another tenant' });
      firstFileMs = performance.now() - startedAt;
      await sleep(20_000);
    });
    await monitor.stop();
    await files.stop();
    const slowness = slownessOfMachine();
    expect(slowestMs).to.be.lessThan(maxResponseMs * slowness);
    expect(firstFileMs).to.be.lessThan(maxFirstFileMs * slowness);
  });
});
