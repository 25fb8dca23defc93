import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import { z } from 'zod';
import { DecayingLoad } from '#src/platform/jobs/decaying-load.js';
import { type JobDeclaration, JobQueue, JobWorker, type QueueBackend } from '#src/platform/jobs/job-queue.js';
import { createLog } from '#src/platform/log.js';
import { type ApiClient } from '#test/support/api-client.js';
import { type ServiceProcess } from '#test/support/service-process.js';
import { backends, ServiceProcesses } from '#test/support/service-processes.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { until } from '#test/support/until.js';
import { type Workspace } from '#test/support/workspace.js';

const log = createLog('silent');

interface Visit {
  tenant: string;
  number: number;
}

const visit: JobDeclaration<Visit> = {
  name: 'visit.v1',
  payload: z.object({ tenant: z.string(), number: z.int() }),
  attempts: 1,
  key: ({ tenant, number }) => `${tenant} ${number}`,
  share: ({ tenant }) => ({ tenant, units: 1 }),
};

describe('the recent load of a tenant', () => {
  it('is a sum in which a request of ten seconds ago counts half', () => {
    let now = 0;
    const load = new DecayingLoad(() => now);
    expect(load.add('a', 8)).to.equal(8);
    now = 10_000;
    expect(load.add('a', 1)).to.equal(5);
    expect(load.add('b', 1)).to.equal(1);
    now = 1_000_000;
    expect(load.add('a', 1)).to.be.closeTo(1, 1e-9);
  });
});

for (const backend of backends)
  describe(`the queue on ${backend}`, () => {
    let service: ServiceProcesses;
    let place: QueueBackend;

    before(async function () {
      const started = await ServiceProcesses.startIfInstalled({ backend });
      if (started === null) return this.skip();
      service = started;
      place = service.redis === null ? { postgresUrl: service.database.appUrl } : { redis: service.redis.servers };
    });

    after(() => service?.stop());

    /** Processes waiting jobs one at a time until `count` are done, and returns their payloads. */
    async function work(count: number): Promise<Visit[]> {
      const done: Visit[] = [];
      let finish = () => {};
      const finished = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const handler = {
        declaration: visit,
        run: async (payload: Visit) => {
          done.push(payload);
          if (done.length === count) finish();
        },
      };
      const worker = new JobWorker(place, [handler as never], 1, log);
      await worker.start();
      await finished;
      await worker.close();
      return done;
    }

    it('runs a small request before the rest of a large one, and loses neither', async () => {
      const queue = new JobQueue(place, log);
      await queue.add(visit, ...Array.from({ length: 300 }, (_, number) => ({ tenant: 'flood', number })));
      await queue.add(visit, { tenant: 'other', number: 0 }, { tenant: 'other', number: 1 });
      const done = await work(302);
      await queue.close();
      const places = done.flatMap(({ tenant }, index) => (tenant === 'other' ? [index] : []));
      expect(places).to.have.length(2);
      expect(places[1]).to.be.lessThan(10);
      expect(new Set(done.map(({ tenant, number }) => `${tenant} ${number}`)).size).to.equal(302);
    });

    it('reports whether a job with a higher priority is waiting', async () => {
      const queue = new JobQueue(place, log);
      expect(await queue.isAnyBefore(10)).to.equal(false);
      await queue.add(visit, { tenant: 'first', number: 0 });
      expect(await queue.isAnyBefore(2)).to.equal(false);
      expect(await queue.isAnyBefore(3)).to.equal(true);
      await work(1);
      expect(await queue.isAnyBefore(10)).to.equal(false);
      await queue.close();
    });

    it('alternates between two equal tenants in the order of their requests', async () => {
      const queue = new JobQueue(place, log);
      for (let number = 0; number < 20; number += 1)
        await queue.add(visit, { tenant: 'left', number }, { tenant: 'right', number });
      const done = await work(40);
      await queue.close();
      expect(done.slice(0, 20).filter(({ tenant }) => tenant === 'left')).to.have.length(10);
    });

    it('distributes a recalculation of a large workspace over two workers', async () => {
      await service.startProcess('api');
      const workers = await Promise.all(
        [0, 1].map(() => service.startProcess('worker', { LOG_LEVEL: 'info', METRICS_PORT: '0' })),
      );
      const { api } = await service.workspace();
      await saveSimpleTerms(
        api,
        Array.from({ length: 200 }, (_, index) => `rep${index}`),
      );
      await recalculated(api);
      // A plan without assigned reps requests no calculation, and yet no lane has a freshness mark under it.
      const tiers = [{ tierIndex: 0, minThreshold: 0, rate: 0.01 }];
      const rules = [{ name: 'Bonus', measure: 'amount', attainmentPeriod: 'monthly', tierMode: 'marginal', tiers }];
      await api.createPlan({ name: 'Another', config: { rules } });
      const before = await Promise.all(workers.map(lanesOf));
      expect(await recalculated(api)).to.equal('completed');
      const after = await Promise.all(workers.map(lanesOf));
      const lanes = after.map((count, index) => count - (before[index] ?? 0));
      expect(lanes.reduce((sum, count) => sum + count)).to.be.at.least(200);
      for (const count of lanes) expect(count, `lanes of each worker: ${lanes}`).to.be.at.least(40);
    });
  });

/** Runs a recalculation of the workspace and returns its final status. */
async function recalculated(client: ApiClient): Promise<string> {
  const { jobId } = await client.expect(200, 'POST', '/v1/commissions/recalculate', { async: true });
  let status = 'running';
  await until(async () => {
    ({ status } = await client.expect(200, 'GET', `/v1/commissions/recalculate/jobs/${jobId}`));
    return status !== 'running';
  });
  return status;
}

/** The number of lanes that the worker has calculated, from its metrics. */
async function lanesOf(worker: ServiceProcess): Promise<number> {
  const url = /"url":"(http:[^"]+)"/.exec(worker.output)?.[1];
  const text = await (await fetch(`${url}/metrics`)).text();
  return [...text.matchAll(/^engine_run_duration_seconds_count\{[^}]*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

const metricsToken = 'a-token-of-the-metrics';

async function readActiveJobs({ url }: ServiceProcess): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${metricsToken}` } });
  return Number(/^queue_jobs\{queue="[^"]*",state="active"\} (\d+)$/m.exec(await response.text())?.[1]);
}

describe('the queue on PostgreSQL', () => {
  let service: ServiceProcesses;
  let owner: pg.Client;
  let workspace: Workspace;
  let proxy: Awaited<ReturnType<typeof startFaultyProxy>>;

  beforeEach(async () => {
    service = await ServiceProcesses.start();
    proxy = await startFaultyProxy(Number(new URL(service.database.ownerUrl).port));
    owner = new pg.Client({ connectionString: service.database.ownerUrl });
    await owner.connect();
  });

  afterEach(async () => {
    await owner.end();
    proxy.close();
    await service.stop();
  });

  /** The time from a change of a deal to its event. */
  async function msToEvent(dealId: string): Promise<number> {
    const started = performance.now();
    await until(async () => {
      const deal = { amount: 1000, closeDate: '2026-02-03', ownerId: 'ann' };
      const { status } = await workspace.api.put(`/v1/deals/${dealId}`, deal);
      expect(status).to.be.oneOf([200, 201, 503]);
      return status !== 503;
    });
    await until(async () => {
      const { rowCount } = await owner.query(
        'select 1 from commission_events where workspace_id = $1 and deal_key = $2',
        [workspace.workspaceId, dealId],
      );
      return rowCount === 1;
    });
    return performance.now() - started;
  }

  it('starts work within seconds after all its connections are lost repeatedly', async () => {
    await Promise.all((['api', 'worker'] as const).map((kind) => service.startProcess(kind)));
    workspace = await service.workspace();
    await saveSimpleTerms(workspace.api, ['ann']);
    for (let round = 0; round < 3; round += 1) {
      const { rowCount } = await owner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like 'commissions%'`,
      );
      expect(rowCount, 'connections that were ended').to.be.greaterThan(2);
      expect(await msToEvent(`D-${round}`)).to.be.lessThan(9000);
    }
    expect(service.processes.map((process) => process.isRunning)).to.deep.equal([true, true]);
  });

  it('retries once per second while PostgreSQL starts, logs that once, and then continues', async () => {
    const behind = new URL(service.database.appUrl);
    behind.port = String(proxy.port);
    const warnings: string[] = [];
    const heard = createLog('warn', { write: (line) => warnings.push(line) });
    const done = new Set<number>();
    const handler = { declaration: visit, run: async ({ number }: Visit) => void done.add(number) };
    const worker = new JobWorker({ postgresUrl: behind.href }, [handler as never], 1, heard);
    const queue = new JobQueue({ postgresUrl: service.database.appUrl }, log);
    try {
      await worker.start();
      await queue.add(visit, { tenant: 'before', number: 0 });
      await until(async () => done.has(0));
      proxy.simulateStartup();
      await until(async () => proxy.rejectedConnections() >= 3);
      const [from, start] = [proxy.rejectedConnections(), performance.now()];
      await until(async () => proxy.rejectedConnections() >= from + 4);
      expect(performance.now() - start, 'time of four more tries').to.be.greaterThan(1500);
      expect(warnings).to.have.length(1);
      proxy.recover();
      await queue.add(visit, { tenant: 'after', number: 1 });
      await until(async () => done.has(1));
    } finally {
      await worker.close();
      await queue.close();
    }
  });

  it('starts work through the sweep when notifications do not arrive', async () => {
    const behind = new URL(service.database.appUrl);
    behind.port = String(proxy.port);
    const api = await service.startProcess('api', { METRICS_TOKEN: metricsToken });
    const activeJobs = () => readActiveJobs(api);
    await service.startProcess('worker', { QUEUE_DATABASE_URL: behind.href });
    workspace = await service.workspace();
    await saveSimpleTerms(workspace.api, ['ann']);
    await msToEvent('D-heard');
    // A worker that has not completed its job may find the next request without a notification.
    await until(async () => (await activeJobs()) === 0);
    proxy.dropTraffic();
    // The sweep runs every two seconds and takes requests that are older than five seconds.
    expect(await msToEvent('D-unheard')).to.be.within(1000, 15_000);
  });
});

/** The response of PostgreSQL to a connection while it starts. */
const startingUp = Buffer.from('E\0\0\0\x3eSFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0', 'latin1');

/**
 * Forwards bytes until `dropTraffic`, after which it accepts bytes without forwarding them or closing connections, or
 * until `simulateStartup`, after which it rejects every connection.
 */
async function startFaultyProxy(target: number) {
  const sockets: Socket[] = [];
  let silent = false;
  let starting = false;
  let rejectedConnections = 0;
  const server = createServer((near) => {
    if (starting) {
      rejectedConnections += 1;
      near.on('error', () => {});
      near.once('data', () => near.end(startingUp));
      return;
    }
    const far = connect(target, '127.0.0.1');
    sockets.push(near, far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (chunk) => silent || to.write(chunk));
      from.on('error', () => {});
      from.on('close', () => silent || to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    dropTraffic: () => {
      silent = true;
    },
    simulateStartup: () => {
      starting = true;
      for (const socket of sockets.splice(0)) socket.destroy();
    },
    rejectedConnections: () => rejectedConnections,
    recover: () => {
      starting = false;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
