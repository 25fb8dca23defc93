import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { readConfig } from '#src/app/config.js';
import { openDatabaseServer } from '#src/platform/database/server.js';
import { createLog } from '#src/platform/log.js';
import { ApiClient } from '#test/support/api-client.js';
import { expectSoundLedger, ledgerRows } from '#test/support/ledger-checks.js';
import { serverFolder } from '#test/support/server-folder.js';
import { ServiceProcess } from '#test/support/service-process.js';
import { readingAllWorkspaces } from '#test/support/test-database.js';
import { until } from '#test/support/until.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const command = path.join(root, 'bin', 'commissions.js');

/** The time within which a restarted service must catch up. */
const boundMs = 20_000;

/** Starts the service as a user does in a terminal. */
function startService(dataDir: string): Promise<ServiceProcess> {
  return ServiceProcess.start('both', environment(dataDir), { hasOwnGroup: true });
}

function environment(dataDir: string): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, DATABASE_OWNER_URL: __, REDIS_URL: ___, ...own } = process.env;
  return { ...own, DATA_DIR: dataDir, PORT: '0', NO_DEMO: '1', LOG_LEVEL: 'warn', RATE_LIMIT_PER_MINUTE: '10000' };
}

/** Command lines of the postgres processes whose data directory is in the folder. */
async function postgresProcesses(dataDir: string): Promise<string[]> {
  const usual = path.join(await realpath(dataDir), 'postgres');
  const target = await readlink(usual).catch(() => usual);
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(lines)).filter(
    (line) => line.includes('postgres') && (line.includes(usual) || line.includes(target)),
  );
}

interface Workspace {
  readonly workspaceId: string;
  readonly apiKey: string;
}

interface Deal {
  readonly dealId: string;
  readonly amount: number;
  readonly closeDate: string;
  readonly ownerId: string;
}

const people = ['boss', 'ann', 'bob', 'cid', 'dee'];

/** The same deals of four reps over the year in every run. */
function someDeals(prefix: string, count: number): Deal[] {
  return Array.from({ length: count }, (_, index) => ({
    dealId: `${prefix}-${index}`,
    amount: 1000 + ((index * 7919) % 9000) + 0.25,
    closeDate: `2026-0${1 + (index % 9)}-${String(1 + ((index * 7) % 28)).padStart(2, '0')}`,
    ownerId: people[1 + (index % 4)] as string,
  }));
}

/** Tiers by attainment make every deal depend on the deals before it; a manager earns on all of them. */
async function saveTerms(api: ApiClient): Promise<void> {
  const reps = people.map((name) => ({
    email: `${name}@example.com`,
    name,
    crmMemberId: name,
    ...(name === 'boss' ? {} : { managerEmail: 'boss@example.com' }),
  }));
  const [boss, ...team] = (await api.saveReps(...reps)) as [string, ...string[]];
  const rates = [0.05, 0.1, 0.15];
  const tiers = [0, 0.5, 1].map((minThreshold, tierIndex) => ({ tierIndex, minThreshold, rate: rates[tierIndex] }));
  const commission = { name: 'Commission', measure: 'amount', tierMode: 'marginal', tiers };
  const override = {
    name: 'Override',
    measure: 'amount',
    executionPhase: 'cascade',
    tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }],
  };
  const sales = await api.createPlan({ name: 'Sales', config: { rules: [commission] } });
  const managers = await api.createPlan({ name: 'Managers', config: { rules: [override] } });
  await api.assign(team, sales.planId);
  await api.assign([boss], managers.planId);
  for (const period of ['2026-Q1', '2026-Q2', '2026-Q3']) {
    await api.setQuota(team, 'Commission', period, 100_000);
  }
}

async function put(api: ApiClient, { dealId, ...body }: Deal): Promise<void> {
  const { status } = await api.put(`/v1/deals/${dealId}`, body);
  expect(status).to.be.oneOf([200, 201]);
}

async function importAll(api: ApiClient, deals: readonly Deal[]): Promise<void> {
  expect(await api.expect(200, 'POST', '/v1/deals/import', { deals })).to.deep.include({ rejected: [] });
}

describe('the service under kill -9', () => {
  let dataDir: string;
  let service: ServiceProcess;
  let disturbed: Workspace;
  /** Receives the same deals without any fault. */
  let calm: Workspace;

  const clientOf = ({ apiKey }: Workspace) => new ApiClient(service.url, apiKey);
  const totals = async (workspace: Workspace): Promise<{ total: number }> =>
    (await clientOf(workspace).expect(200, 'GET', '/v1/commissions?period=2026')).totals;

  before(async () => {
    dataDir = await mkdtemp(path.join(serverFolder, 'commissions-crash-'));
    service = await startService(dataDir);
    disturbed = await createWorkspace('Disturbed');
    calm = await createWorkspace('Calm');
    for (const workspace of [disturbed, calm]) await saveTerms(clientOf(workspace));
  });

  after(async () => {
    // The database server of a killed service keeps running. The next process that stops normally stops it too.
    if (service !== undefined && !service.isRunning) service = await startService(dataDir);
    await service?.interrupt();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function createWorkspace(name: string): Promise<Workspace> {
    const options = ['workspace', 'create', name, '--tier', 'enterprise', '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, [command, ...options], {
      cwd: root,
      env: environment(dataDir),
    });
    return JSON.parse(stdout) as Workspace;
  }

  async function restart(): Promise<void> {
    service = await startService(dataDir);
  }

  /** Sends the deals to the calm workspace and waits until both workspaces have the same totals. */
  async function expectCaughtUp(deals: readonly Deal[]): Promise<void> {
    await importAll(clientOf(calm), deals);
    await until(async () => (await runningJobs(calm)) === 0, { what: 'the calm workspace', withinMs: boundMs });
    const expected = await totals(calm);
    await until(async () => (await totals(disturbed)).total === expected.total, {
      what: 'the commission',
      withinMs: boundMs,
    });
    expect(await totals(disturbed)).to.deep.equal(expected);
  }

  async function runningJobs(workspace: Workspace): Promise<number> {
    const { jobs } = await clientOf(workspace).expect(200, 'GET', '/v1/commissions/recalculate/jobs');
    return jobs.filter((job: { status: string }) => job.status === 'running').length;
  }

  it('loses no commission when killed directly after deals were put one by one', async () => {
    const deals = someDeals('put', 40);
    for (const deal of deals) await put(clientOf(disturbed), deal);
    await service.end('SIGKILL');
    await restart();
    await expectCaughtUp(deals);
  });

  it('loses no acknowledged deal when killed while deals are put', async () => {
    const deals = someDeals('burst', 60);
    const answered: Deal[] = [];
    const api = clientOf(disturbed);
    const sending = deals.map((deal) =>
      put(api, deal).then(
        () => answered.push(deal),
        () => undefined,
      ),
    );
    await until(async () => answered.length >= 20, { what: 'half of the responses', withinMs: boundMs });
    await service.end('SIGKILL');
    await Promise.all(sending);
    expect(answered.length).to.be.within(20, 59);
    await restart();
    for (const { dealId } of answered) await clientOf(disturbed).expect(200, 'GET', `/v1/commissions?dealId=${dealId}`);
    // The outcome of the other requests is unknown to the client, which sends them again.
    const unsure = deals.filter((deal) => !answered.includes(deal));
    await Promise.all(unsure.map((deal) => put(clientOf(disturbed), deal)));
    await expectCaughtUp(deals);
  });

  for (const pauseMs of [0, 30, 120]) {
    it(`loses no commission when killed ${pauseMs} ms after an import`, async () => {
      const deals = someDeals(`import-${pauseMs}`, 800);
      await importAll(clientOf(disturbed), deals);
      await sleep(pauseMs);
      await service.end('SIGKILL');
      await restart();
      await expectCaughtUp(deals);
    });
  }

  it('completes a calculation during which it was killed three times', async () => {
    const deals = someDeals('again', 800);
    await importAll(clientOf(disturbed), deals);
    for (let round = 0; round < 3; round += 1) {
      await service.end('SIGKILL');
      await restart();
    }
    await expectCaughtUp(deals);
  });

  it('loses no acknowledged deal when the database server is killed too', async () => {
    const deals = someDeals('both', 200);
    await importAll(clientOf(disturbed), deals);
    const postmaster = await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8');
    await service.end('SIGKILL');
    process.kill(Number(postmaster.split('\n')[0]), 'SIGKILL');
    await restart();
    await expectCaughtUp(deals);
  });

  it('completes a running recalculation after the restart under the same job id', async () => {
    const body = { async: true };
    const started = await clientOf(disturbed).expect(200, 'POST', '/v1/commissions/recalculate', body);
    expect(started).to.include({ triggered: true, async: true, status: 'running', scope: 'workspace' });
    await service.end('SIGKILL');
    await restart();
    const read = () => clientOf(disturbed).expect(200, 'GET', `/v1/commissions/recalculate/jobs/${started.jobId}`);
    expect(await read()).to.include({ jobId: started.jobId, scope: 'workspace' });
    await until(async () => (await read()).status !== 'running', { what: 'the recalculation', withinMs: boundMs });
    const job = await read();
    expect(job).to.include({ status: 'completed' });
    expect(job.result).to.deep.include({ eventsWritten: 0, eventsReversed: 0 });
    expect(job.progress).to.deep.equal({ done: people.length, total: people.length });
  });

  it('leaves the same rows as an undisturbed run, with consistent history and counters', async () => {
    await until(async () => (await runningJobs(disturbed)) === 0, { what: 'the jobs', withinMs: boundMs });
    const server = await openDatabaseServer(readConfig({ DATA_DIR: dataDir }), createLog('silent'));
    try {
      const url = readingAllWorkspaces(server.ownerUrl);
      const rows = await ledgerRows(url, disturbed.workspaceId);
      expect(rows.length).to.equal(2 * (40 + 60 + 4 * 800 + 200));
      expect(rows).to.deep.equal(await ledgerRows(url, calm.workspaceId));
      await expectSoundLedger(url, disturbed.workspaceId);
    } finally {
      await server.stop();
    }
  });

  it('exits with 0 on Ctrl-C, stops the database server, and has all data after the next start', async () => {
    const before = await totals(disturbed);
    expect(await postgresProcesses(dataDir)).not.to.deep.equal([]);
    expect(await service.interrupt()).to.equal(0);
    expect(await postgresProcesses(dataDir)).to.deep.equal([]);
    await restart();
    expect(await totals(disturbed)).to.deep.equal(before);
    expect(await service.interrupt()).to.equal(0);
    expect(await postgresProcesses(dataDir)).to.deep.equal([]);
  });
});
