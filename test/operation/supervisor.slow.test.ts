import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { isAlive } from '#embedded-postgres/processes.js';
import { ApiClient } from '#test/support/api-client.js';
import { freePort } from '#test/support/free-port.js';
import { runCommand } from '#test/support/run-command.js';
import { bundledCommand } from '#test/support/service-bundle.js';
import { type ServiceProcess } from '#test/support/service-process.js';
import { ServiceProcesses } from '#test/support/service-processes.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { until } from '#test/support/until.js';

const metricsToken = 'metrics-token-of-sixteen';

/** The process that the supervisor has started; null while there is none. */
function supervised(supervisor: number): number | null {
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      if (parent === supervisor && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('--restarts'))
        return Number(name);
    } catch {
      // The process has ended.
    }
  }
  return null;
}

/** A module that is loaded before the service. */
const preload = (code: string) => ['--import', `data:text/javascript,${encodeURIComponent(code)}`];

describe('the supervisor of `serve`', () => {
  let service: ServiceProcesses;
  let port: string;
  let running: ServiceProcess | null = null;

  before(async () => {
    service = await ServiceProcesses.start();
  });
  after(() => service?.stop());
  beforeEach(async () => {
    port = String(await freePort());
  });
  afterEach(async () => {
    if (running?.isRunning === true) await running.end();
    running = null;
  });

  async function start(environment: NodeJS.ProcessEnv = {}, nodeOptions: readonly string[] = []) {
    const settings = { PORT: port, LOG_LEVEL: 'info', METRICS_TOKEN: metricsToken, ...environment };
    running = await service.startProcess('both', settings, { isSupervised: true, nodeOptions });
    return running;
  }

  /** The entries of the log with this message. */
  const entries = (message: string) =>
    (running?.output ?? '')
      .split('\n')
      .filter((line) => line.includes(message))
      .map((line) => JSON.parse(line));
  const firstEntry = (message: string) => until(() => entries(message)[0]);

  async function metric(url: string, name: string): Promise<number> {
    const page = await new ApiClient(url, metricsToken).get('/metrics');
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(page.body)?.[1]);
  }

  it('restarts a killed process, and no acknowledged write is lost', async () => {
    const { pid, url } = await start();
    const { api: client } = await service.workspace();
    await saveSimpleTerms(client, ['ann']);
    const acknowledged: string[] = [];
    for (let sent = 0; acknowledged.length < 40; sent += 1) {
      const dealId = `S-${sent}`;
      const deal = { amount: 1000, closeDate: '2026-02-03', ownerId: 'ann' };
      const response = await client.put(`/v1/deals/${dealId}`, deal).catch(() => null);
      if (response?.status === 201) acknowledged.push(dealId);
      if (sent === 15) process.kill(supervised(pid) as number, 'SIGKILL');
      if (response === null) await until(async () => (await client.get('/livez').catch(() => null)) !== null);
    }
    const { deals } = await client.expect(200, 'GET', '/v1/deals?limit=500');
    expect(deals.map(({ deal_id: id }: { deal_id: string }) => id)).to.include.members(acknowledged);
    expect(await client.expect(200, 'GET', '/readyz')).to.deep.include({ status: 'ready', restarts: 1 });
    expect((await client.get('/livez')).body).to.equal('ok (restarts: 1)');
    expect(await metric(url, 'process_restarts_total')).to.equal(1);
    expect(entries('ended unexpectedly')[0]).to.include({ endedBy: 'SIGKILL', restarts: 1 });
    expect(await firstEntry('is ready again')).to.include({ restarts: 1 });
    expect(await running?.end(), 'exit code after SIGTERM').to.equal(0);
  });

  it('pauses ever longer before it restarts a process that ends again and again, and stops in a pause', async () => {
    const dying = `
      const { send } = process;
      if (send !== undefined)
        process.send = function (message, ...more) {
          if (message === 'ready') setTimeout(() => process.kill(process.pid, 'SIGKILL'), 20);
          return send.call(this, message, ...more);
        };`;
    const { pid } = await start({}, preload(dying));
    await until(async () => entries('ended unexpectedly').length >= 4);
    const pauses = entries('ended unexpectedly').map(({ restartInMs }) => restartInMs);
    expect(pauses.slice(0, 4)).to.deep.equal([250, 500, 1000, 2000]);
    await until(async () => supervised(pid) === null, { pauseMs: 5 });
    expect(await running?.end()).to.equal(0);
  });

  it('keeps a process alive in which a promise was rejected, and restarts one with an uncaught exception', async () => {
    const failing = `
      process.on('SIGCONT', () => void Promise.reject(new Error('rejected somewhere')));
      process.on('SIGWINCH', () => setTimeout(() => { throw new Error('thrown somewhere'); }));`;
    const { pid, url } = await start({}, preload(failing));
    const first = supervised(pid) as number;
    process.kill(first, 'SIGCONT');
    await until(async () => (await metric(url, 'unhandled_rejections_total')) === 1);
    const rejection = await firstEntry('no code handled a rejected promise');
    expect(rejection.err.message).to.equal('rejected somewhere');
    expect(supervised(pid)).to.equal(first);
    process.kill(first, 'SIGWINCH');
    await firstEntry('is ready again');
    expect(entries('uncaught exception')[0].err.message).to.equal('thrown somewhere');
    expect(entries('ended unexpectedly')[0]).to.include({ endedBy: 'exit code 1' });
  });

  it('a process whose output is on a full disk serves and stops in order', async function () {
    const full = await open('/dev/full', 'w').catch(() => this.skip());
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, ...service.environment, PORT: port, LOG_LEVEL: 'debug' };
    const child = spawn(process.execPath, [await bundledCommand(), 'serve'], {
      env,
      stdio: ['ignore', full.fd, full.fd],
    });
    const ended = once(child, 'exit');
    const client = new ApiClient(`http://127.0.0.1:${port}`, null);
    await until(async () => (await client.get('/readyz').catch(() => null))?.status === 200);
    for (let sent = 0; sent < 20; sent += 1) expect((await client.get('/v1/reps')).status).to.equal(401);
    child.kill('SIGTERM');
    expect(await ended).to.deep.equal([0, null]);
    await full.close();
  });

  it('ends with a start that fails, and repeats neither the start nor its message', async () => {
    for (const [settings, code] of [
      [{ PORT: 'x' }, 78],
      [{ DATABASE_URL: 'postgres://app:x@127.0.0.1:9/none' }, 1],
    ] as const) {
      const [first, second] = await Promise.all(
        [['serve'], ['serve', '--no-supervisor']].map((args) =>
          runCommand(args, { ...service.environment, PORT: port, ...settings }),
        ),
      );
      expect(first).to.include({ code, stdout: '' });
      expect(first?.stderr).to.equal(second?.stderr);
    }
  });

  describe('with the embedded PostgreSQL', () => {
    let folder: string;
    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'supervisor-'));
    });
    after(() => rm(folder, { recursive: true, force: true }));

    const postmaster = async (dataDir = folder) =>
      Number((await readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0]);
    const settings = () => ({ DATABASE_URL: undefined, DATABASE_OWNER_URL: undefined, DATA_DIR: folder, NO_DEMO: '1' });

    it('a restarted process uses the server that runs', async () => {
      const { pid, url } = await start(settings());
      const server = await postmaster();
      process.kill(supervised(pid) as number, 'SIGKILL');
      await firstEntry('is ready again');
      expect(await postmaster()).to.equal(server);
      expect((await new ApiClient(url, null).get('/readyz')).status).to.equal(200);
      expect(await running?.end()).to.equal(0);
      expect(isAlive(server)).to.equal(false);
    });

    for (const isSupervised of [false, true])
      it(`the server is started again after kill -9, ${isSupervised ? 'with' : 'without'} a supervisor, and no acknowledged write is lost`, async () => {
        running = await service.startProcess(
          'both',
          { ...settings(), PORT: port, LOG_LEVEL: 'info' },
          { isSupervised },
        );
        const setUp = await runCommand(['workspace', 'create', 'Killed', '--json'], {
          ...service.environment,
          ...settings(),
        });
        const client = new ApiClient(running.url, JSON.parse(setUp.stdout).apiKey);
        await saveSimpleTerms(client, ['ann']);
        const acknowledged: string[] = [];
        for (let sent = 0; ; sent += 1) {
          const deal = { amount: 1000, closeDate: '2026-02-03', ownerId: 'ann' };
          const { status } = await client.put(`/v1/deals/S-${sent}`, deal);
          if (status === 201) acknowledged.push(`S-${sent}`);
          else await until(async () => (await client.get('/readyz')).status === 200);
          if (sent === 10 || acknowledged.length === 25) process.kill(await postmaster(), 'SIGKILL');
          if (acknowledged.length === 25) break;
        }
        await until(async () => (await client.get('/readyz')).status !== 200);
        await until(async () => (await client.get('/readyz')).status === 200);
        const { deals } = await client.expect(200, 'GET', '/v1/deals?limit=500');
        expect(deals.map(({ deal_id: id }: { deal_id: string }) => id)).to.include.members(acknowledged);
        expect(await client.expect(200, 'GET', '/readyz')).to.deep.include({ status: 'ready', restarts: 0 });
        const server = await postmaster();
        expect(await running.end()).to.equal(0);
        expect(isAlive(server)).to.equal(false);
      });

    const moments: Readonly<Record<string, (output: string) => boolean>> = {
      'the server starts': () => true,
      'the demo is created': (output) => output.includes('database migrated'),
    };
    for (const [moment, isReached] of Object.entries(moments))
      it(`a signal while ${moment} stops the server too`, async () => {
        const dataDir = path.join(folder, moment.replaceAll(' ', '-'));
        const environment = { ...settings(), DATA_DIR: dataDir, NO_DEMO: undefined, PORT: port, LOG_LEVEL: 'info' };
        running = service.process('both', environment, { isSupervised: true });
        const started = running.start().then(
          () => 'started',
          () => 'stopped',
        );
        const server = await until(async () => (await postmaster(dataDir)) || undefined, { pauseMs: 5 });
        await until(async () => isReached(running?.output ?? '') || undefined, { pauseMs: 5 });
        expect(await running.end(), 'exit code after SIGTERM').to.equal(0);
        expect(await started).to.equal('stopped');
        expect(isAlive(server), 'the server runs').to.equal(false);
        expect(running.output.split('\n').filter((line) => /"level":[4-6]0/.test(line))).to.deep.equal([]);
      });

    it('a process whose supervisor was killed stops, with the server, and the next start works', async () => {
      const { pid } = await start(settings());
      const [child, server] = [supervised(pid) as number, await postmaster()];
      await running?.end('SIGKILL');
      await until(async () => !isAlive(child) && !isAlive(server));
      const { url } = await start(settings());
      expect((await new ApiClient(url, null).get('/readyz')).body).to.deep.include({ status: 'ready', restarts: 0 });
    });
  });
});
