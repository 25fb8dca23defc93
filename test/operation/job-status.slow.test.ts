import { expect } from 'chai';
import { Redis } from 'ioredis';
import { mapInParallel } from '#src/kernel/waiting.js';
import { keyPrefix } from '#src/platform/jobs/queue-name.js';
import { type ApiClient } from '#test/support/api-client.js';
import { type DebianPostgres, ownedDatabase, startDebianPostgres15 } from '#test/support/debian-postgres.js';
import { expectError } from '#test/support/errors.js';
import { query } from '#test/support/ledger-checks.js';
import { migrateTestDatabase } from '#test/support/migrate-test-database.js';
import { ServiceProcesses } from '#test/support/service-processes.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { databaseOf } from '#test/support/test-database.js';
import { generousTimeLimits } from '#test/support/time-limits.js';
import { until } from '#test/support/until.js';
import { type Workspace } from '#test/support/workspace.js';

/** Clients that poll each job. */
const clients = 200;
const period = '2026-01';

/** The address of a job of the kind of the path with another id. */
const of = (path = '', jobId = '') => path.replace(/[^/]+$/, jobId);

describe('a server that counts its statements while clients poll jobs, with Redis', () => {
  let postgres: DebianPostgres;
  let service: ServiceProcesses;
  let workspace: Workspace;
  let connection: Redis;
  /** The path of one job of each kind. */
  let paths: readonly string[];

  before(async function () {
    const started = await startDebianPostgres15(['shared_preload_libraries=pg_stat_statements']);
    if (started === undefined) return this.skip();
    postgres = started;
    const { ownerUrl, appUrl } = await ownedDatabase(postgres.superuserUrl);
    await migrateTestDatabase(ownerUrl);
    await query(postgres.superuserUrl, 'create extension pg_stat_statements');
    const database = databaseOf({ ownerUrl, appUrl });
    // Without a worker, jobs stay as they are.
    const running = await ServiceProcesses.startIfInstalled({
      backend: 'redis',
      database,
      processes: ['api'],
      settings: generousTimeLimits,
    });
    if (running?.redis == null) return this.skip();
    service = running;
    connection = new Redis(running.redis.url);
    workspace = await service.workspace();
    const { api } = workspace;
    const repIds = await saveSimpleTerms(api, ['ann', 'ben']);
    const recalculation = await api.expect(200, 'POST', '/v1/commissions/recalculate', { async: true });
    const generation = await api.post('/v1/statements/generate', { period, repIds, async: true });
    const statements = repIds.map((repId) => ({ repId, version: 1 }));
    const approval = await api.post('/v1/statements/approve', { period, statements, async: true });
    const file = await api.get(`/v1/statements/export.xlsx?period=${period}&async=true`);
    paths = [
      `/v1/commissions/recalculate/jobs/${recalculation.jobId}`,
      `/v1/statements/generate/jobs/${generation.body.job.jobId}`,
      `/v1/statements/approve/jobs/${approval.body.job.jobId}`,
      `/v1/statements/export/jobs/${file.body.jobId}`,
    ];
  });

  after(async () => {
    connection?.disconnect();
    await service?.stop();
    await postgres?.stop();
  });

  /** How often statements have read jobs. `due_stored_jobs(…)` of the workers is none of them. */
  async function readsOf(poll: () => Promise<unknown>): Promise<number> {
    await query(postgres.superuserUrl, 'select pg_stat_statements_reset()');
    await poll();
    const [row] = await query<{ reads: string | null }>(
      postgres.superuserUrl,
      `select sum(calls) as reads from pg_stat_statements where query ~ 'from "?([a-z_]+_)?jobs"?(\\s|$)'`,
    );
    return Number(row?.reads ?? 0);
  }

  async function pollAll(status: 'running' | 'completed'): Promise<void> {
    for (const path of paths)
      await mapInParallel(Array.from({ length: clients }), async () => {
        const job = await workspace.api.expect(200, 'GET', path);
        expect(job.status, path).to.equal(status);
      });
  }

  const untilAll = (status: string) =>
    until(async () => {
      const jobs = await Promise.all(paths.map((path) => workspace.api.expect(200, 'GET', path)));
      return jobs.every((job) => job.status === status);
    });

  for (const status of ['running', 'completed'] as const)
    it(`receives no query of 200 clients for the status of jobs that are ${status}`, async () => {
      if (status === 'completed') await service.startProcess('worker');
      await untilAll(status);
      const published = () => connection.keys(`${keyPrefix}:job:${workspace.workspaceId}:*`);
      await until(async () => (await published()).length >= paths.length);
      // Each job may be published once in this time, after a commit that has changed it.
      expect(await readsOf(() => pollAll(status))).to.be.at.most(paths.length);
    });

  it('gives the answers of a service without Redis', async () => {
    const answersOf = (api: ApiClient) => Promise.all(paths.map((path) => api.expect(200, 'GET', path)));
    const withRedis = await answersOf(workspace.api);
    await service.startProcess('api', { REDIS_URL: undefined });
    expect(await answersOf(service.client(workspace.apiKey))).to.deep.equal(withRedis);
    const [recalculation, ...others] = paths.map((path) => path.split('/').at(-1));
    for (const path of paths.slice(1))
      await expectError('404 job_not_found', workspace.api.get(of(path, recalculation)));
    for (const jobId of others) await expectError('404 job_not_found', workspace.api.get(of(paths[0], jobId)));
  });

  it('receives the queries of one reader of each job after Redis was emptied', async () => {
    await connection.flushall();
    expect(await readsOf(() => pollAll('completed'))).to.be.within(paths.length, 2 * paths.length);
    expect(await readsOf(() => pollAll('completed'))).to.equal(0);
  });
});
