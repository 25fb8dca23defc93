import { expect } from 'chai';
import { ApiClient } from '#test/support/api-client.js';
import { FileServer } from '#test/support/file-server.js';
import { Service } from '#test/support/service.js';
import { type ServiceProcess } from '#test/support/service-process.js';
import { until } from '#test/support/until.js';
import { HostileSources } from './hostile-sources.js';

const count = 100;
const ofWorkspace = 20;
const schedule = { every: 'day', at: '06:30' };

describe('hostile sources of scheduled imports', () => {
  let service: Service;
  let target: ServiceProcess;
  let sources: HostileSources;
  before(async () => {
    service = await Service.start({ worker: false });
    // Sources that do not answer end after fifteen seconds.
    target = await service.startProcess('both', { TIME_LIMIT_FACTOR: '0.5', LOG_LEVEL: 'warn' });
    sources = await HostileSources.start(count);
  });
  after(async () => {
    await sources?.stop();
    await service?.stop();
  });

  const tenant = async () => new ApiClient(target.url, (await service.workspace()).apiKey);

  it('end no process and fail with a reason, and other tenants go on', async function () {
    this.timeout(900_000);
    const tenants = await Promise.all(Array.from({ length: count / ofWorkspace }, tenant));
    for (const [at, { name, ...more }] of sources.all.entries())
      await tenants[at % tenants.length]?.expect(201, 'POST', '/v1/scheduled-imports', {
        name: `${at} ${name}`,
        subject: 'deals',
        schedule,
        ...more,
      });

    const files = await FileServer.start();
    files.content = 'id,amount,stage,close_date\nB1,1000,Won,2026-01-15\n';
    const other = await tenant();
    const source = { kind: 'url', url: files.url };
    await other.expect(201, 'POST', '/v1/scheduled-imports', { name: 'Honest', subject: 'deals', source, schedule });
    const isRead = async () => {
      const { scheduledImports } = await other.expect(200, 'GET', '/v1/scheduled-imports');
      return scheduledImports[0].waitingFileId as string | null;
    };
    await until(isRead, { what: 'the first file of another tenant' });
    await files.stop();

    const outcomes = async () => {
      const lists = await Promise.all(tenants.map((api) => api.expect(200, 'GET', '/v1/scheduled-imports')));
      const all = lists.flatMap(({ scheduledImports }) => scheduledImports);
      return all.every(({ isRunning }) => !isRunning) ? all : null;
    };
    const ended = await until(outcomes, { what: 'the end of all runs', withinMs: 800_000, pauseMs: 500 });
    expect(ended).to.have.length(count);
    const unexplained = ended.filter(({ error }) => /an error of the service/.test(error ?? ''));
    expect(unexplained.map(({ name, error }) => `${name}: ${error}`)).to.deep.equal([]);
    expect((await fetch(`${target.url}/livez`)).status).to.equal(200);
    expect(target.isRunning).to.equal(true);
    expect(target.output).not.to.match(/uncaught exception|no code handled a rejected promise/);
  });
});
