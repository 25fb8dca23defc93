import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import pg from 'pg';
import { ApiClient } from '#test/support/api-client.js';
import { query } from '#test/support/ledger-checks.js';
import { openTransaction, untilBlocked } from '#test/support/open-transaction.js';
import { type RedisServer, startRedis } from '#test/support/redis-server.js';
import { type ServiceProcess } from '#test/support/service-process.js';
import { backends, ServiceProcesses } from '#test/support/service-processes.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { useOwnServer } from '#test/support/test-database.js';
import { until } from '#test/support/until.js';
import { type Workspace } from '#test/support/workspace.js';

const people = Array.from({ length: 20 }, (_, index) => `rep${index}`);
const dealsEach = 40;
const boundMs = 60_000;

describe('asynchronous recalculations', () => {
  // The death of a server process closes every connection of its server.
  before(useOwnServer);

  for (const backend of backends)
    describe(`with the queue on ${backend}`, () => {
      let service: ServiceProcesses;
      let redis: RedisServer | null;
      let apis: ServiceProcess[];
      let workers: ServiceProcess[];
      let workspace: Workspace;
      let repIds: string[];
      const jobIds: string[] = [];

      before(async function () {
        const started = await ServiceProcesses.startIfInstalled({ backend });
        if (started === null) return this.skip();
        service = started;
        redis = service.redis;
        const { ownerUrl } = service.database;
        // Test servers respond before a commit is written to disk, so a killed server process loses the last commits.
        await query(ownerUrl, `alter database ${new URL(ownerUrl).pathname.slice(1)} set synchronous_commit = on`);
        const startTwo = (kind: 'api' | 'worker') => Promise.all([0, 1].map(() => service.startProcess(kind)));
        apis = await startTwo('api');
        workers = await startTwo('worker');
        workspace = await service.workspace();
        repIds = await saveSimpleTerms(client(0), people);
        const deals = people.flatMap((ownerId) =>
          Array.from({ length: dealsEach }, (_, index) => ({
            dealId: `${ownerId}-${index}`,
            amount: 1000 + index,
            closeDate: '2026-02-03',
            ownerId,
          })),
        );
        await client(0).expect(200, 'POST', '/v1/deals/import', { deals });
        await client(0).expect(200, 'POST', '/v1/commissions/recalculate', {});
      });

      after(async () => {
        if (redis !== service?.redis) await redis?.stop();
        await service?.stop();
      });

      const client = (index: number) => new ApiClient(apis[index]?.url ?? '', workspace.apiKey);

      /** Retries as a client without a response does: the same request with the same key until there is a response. */
      async function startJob(repId: string, index: number): Promise<string> {
        const deadline = Date.now() + boundMs;
        for (;;) {
          const body = { repId, async: true };
          const key = { 'Idempotency-Key': `recalculate-${index}` };
          const answer = await client(index % 2)
            .send('POST', '/v1/commissions/recalculate', body, key)
            .catch(() => null);
          if (answer?.status === 200) return answer.body.jobId;
          if (Date.now() > deadline) throw new Error(`no job was started: ${JSON.stringify(answer?.body)}`);
          await sleep(100);
        }
      }

      /** When a server process dies, PostgreSQL restarts completely and closes every connection. */
      async function killPostgres(): Promise<void> {
        const victim = new pg.Client({ connectionString: service.database.ownerUrl });
        victim.on('error', () => {});
        await victim.connect();
        const { rows } = await victim.query<{ pid: number }>('select pg_backend_pid() as pid');
        process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
        await victim.end().catch(() => {});
      }

      async function restart(process: ServiceProcess | undefined): Promise<void> {
        await process?.end('SIGKILL');
        await process?.start();
      }

      const faults: readonly (readonly [string, () => Promise<void>])[] = [
        ['the first worker', () => restart(workers[0])],
        ['the second worker', () => restart(workers[1])],
        ['the first API', () => restart(apis[0])],
        ['the second API', () => restart(apis[1])],
        ...(backend === 'redis'
          ? [
              [
                'Redis',
                async () => {
                  const { port } = redis as RedisServer;
                  await redis?.stop();
                  redis = await startRedis(port);
                },
              ] as const,
            ]
          : []),
        ...(process.env['TEST_DATABASE_URL'] === undefined ? [['PostgreSQL', killPostgres] as const] : []),
      ];

      it('reach a correct final status while each process is killed and restarted', async () => {
        let started = 0;
        for (const [, kill] of faults) {
          const until = started + Math.ceil(people.length / faults.length);
          for (; started < Math.min(until, people.length); started += 1)
            jobIds.push(await startJob(repIds[started] ?? '', started));
          await kill();
        }
        expect(new Set(jobIds).size).to.equal(people.length);
        const deadline = Date.now() + boundMs;
        for (const jobId of jobIds) {
          for (;;) {
            const { status, body } = await client(0).get(`/v1/commissions/recalculate/jobs/${jobId}`);
            if (status === 200 && body.status !== 'running') break;
            expect(status, JSON.stringify(body)).to.be.oneOf([200, 503]);
            if (Date.now() > deadline) throw new Error(`the job still runs: ${JSON.stringify(body)}`);
            await sleep(50);
          }
          const job = await client(0).expect(200, 'GET', `/v1/commissions/recalculate/jobs/${jobId}`);
          expect(job).to.deep.include({ status: 'completed', progress: { done: 1, total: 1 } });
          expect(job.result).to.deep.include({ count: dealsEach, eventsWritten: 0, eventsReversed: 0 });
          expect(await client(1).expect(200, 'GET', `/v1/commissions/recalculate/jobs/${jobId}`)).to.deep.equal(job);
        }
        await workspace.expectSoundLedger();
      });

      it('are readable from every API process for six hours after their end', async () => {
        const endedAgo = (interval: string) =>
          query(service.database.ownerUrl, 'update jobs set finished_at = now() - $1::interval where job_id = $2', [
            interval,
            jobIds[0],
          ]);
        // Redis keeps the copy of a job for an hour after its end.
        const deleteCopies = async () => {
          if (service.redis === null) return;
          const redis = new Redis(service.redis.url);
          await redis.flushall();
          redis.disconnect();
        };
        const statuses = () =>
          Promise.all(
            [0, 1].map(
              async (index) => (await client(index).get(`/v1/commissions/recalculate/jobs/${jobIds[0]}`)).status,
            ),
          );
        await endedAgo('5 hours 59 minutes');
        expect(await statuses()).to.deep.equal([200, 200]);
        await endedAgo('6 hours 1 minute');
        await deleteCopies();
        expect(await statuses()).to.deep.equal([404, 404]);
      });
    });
});

describe('SIGTERM', () => {
  it('fails readiness first, then completes open requests and lanes, and exits with 0', async () => {
    const service = await ServiceProcesses.start({ processes: ['api', 'worker'], settings: { DRAIN_MS: '1500' } });
    const [api, worker] = service.processes as [ServiceProcess, ServiceProcess];
    const { ownerUrl } = service.database;
    try {
      const { api: client, apiKey } = await service.workspace();
      const [repId] = await saveSimpleTerms(client, ['ann']);
      // The lane waits at its first write, and the request waits for the lane.
      const blocker = await openTransaction(ownerUrl, 'lock table audit_runs in exclusive mode');
      const answered = post(`${api.url}/v1/commissions/recalculate`, apiKey, { repId });
      await untilBlocked(ownerUrl, 'audit_runs');
      api.signal('SIGTERM');
      worker.signal('SIGTERM');
      await until(async () => (await client.get('/readyz')).status === 503);
      expect((await client.get('/v1/whoami')).status, 'still answered while it drains').to.not.equal(503);
      await sleep(1700);
      expect([api.isRunning, worker.isRunning]).to.deep.equal([true, true]);
      await blocker.rollback();
      const answer = await answered;
      expect(answer).to.deep.include({ status: 200 });
      expect(await api.ended(), api.output).to.equal(0);
      expect(await worker.ended(), worker.output).to.equal(0);
      expect(await query(ownerUrl, 'select from audit_runs where rep_id = $1', [repId])).not.to.be.empty;
    } finally {
      await service.stop();
    }
  });
});

describe('SIGTERM while Redis is away', () => {
  let service: ServiceProcesses;

  before(async function () {
    const processes = ['api', 'worker', 'worker'] as const;
    const started = await ServiceProcesses.startIfInstalled({ backend: 'redis', processes });
    if (started === null) return this.skip();
    service = started;
  });

  after(() => service?.stop());

  it('completes lanes, and every process exits with 0 within seconds', async () => {
    const { processes } = service;
    const [api, ...workers] = processes as [ServiceProcess, ...ServiceProcess[]];
    const { api: client } = await service.workspace();
    const [repId] = await saveSimpleTerms(client, ['ann']);
    const { ownerUrl } = service.database;
    const runs = async () => (await query(ownerUrl, 'select from audit_runs where rep_id = $1', [repId])).length;
    await client.expect(200, 'POST', '/v1/commissions/recalculate', { repId });
    const before = await runs();
    const blocker = await openTransaction(ownerUrl, 'lock table audit_runs in exclusive mode');
    await client.expect(201, 'PUT', '/v1/deals/D1', { amount: 1000, closeDate: '2026-02-03', ownerId: 'ann' });
    await untilBlocked(ownerUrl, 'audit_runs');
    await service.redis?.stop();
    const startedAt = performance.now();
    for (const process of processes) process.signal('SIGTERM');
    await api.ended();
    await Promise.race(workers.map((worker) => worker.ended()));
    expect(workers.filter((worker) => worker.isRunning).length, 'workers with a lane to finish').to.equal(1);
    await blocker.rollback();
    expect(await Promise.all(processes.map((process) => process.ended()))).to.deep.equal([0, 0, 0]);
    expect(performance.now() - startedAt).to.be.lessThan(15_000);
    expect(await runs()).to.equal(before + 1);
  });
});

function post(url: string, apiKey: string, body: unknown): Promise<{ status: number }> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
    const sending = request(url, { method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode ?? 0 }));
    });
    sending.on('error', reject);
    sending.end(JSON.stringify(body));
  });
}
