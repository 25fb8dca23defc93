import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import { migrations } from '#migrations/index.js';
import { readConfig } from '#src/platform/config.js';
import { appRole } from '#src/platform/database/pool.js';
import { checkRedis } from '#src/platform/jobs/redis-settings.js';
import { createLog } from '#src/platform/log.js';
import { type Servers, startServers } from '#test/support/backends.js';
import { type PgBouncer, startPgBouncer } from '#test/support/pgbouncer.js';
import { startRedis } from '#test/support/redis-server.js';
import { ServiceProcess } from '#test/support/service-process.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { createTestDatabase, testServer } from '#test/support/test-database.js';
import { ApiClient, migrateTestDatabase, startTestService } from '#test/support/test-service.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const command = path.join(root, 'bin', 'commissions.js');

describe('migrations', function () {
  this.timeout(120_000);

  const migrate = (url: string) => {
    const env = { PATH: process.env['PATH'], DATABASE_URL: url, LOG_LEVEL: 'silent' };
    return spawn(process.execPath, [command, 'migrate'], { cwd: root, env, stdio: 'ignore' });
  };

  it('may start four at once', async () => {
    const database = await createTestDatabase();
    try {
      const runs = [0, 1, 2, 3].map(() => migrate(database.ownerUrl));
      const codes = await Promise.all(runs.map(async (run) => (await once(run, 'exit'))[0]));
      expect(codes).to.deep.equal([0, 0, 0, 0]);
      await expectMigrated(database.ownerUrl);
    } finally {
      await database.drop();
    }
  });

  it('may be killed midway, four at once, and run again', async () => {
    const database = await createTestDatabase();
    const watcher = new pg.Client({ connectionString: database.ownerUrl });
    await watcher.connect();
    try {
      const runs = [0, 1, 2, 3].map(() => migrate(database.ownerUrl));
      const ends = runs.map((run) => once(run, 'exit'));
      const deadline = Date.now() + 30_000;
      const begun = `select from pg_locks where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`;
      while ((await watcher.query(begun)).rowCount === 0 && Date.now() < deadline) {}
      for (const run of runs) run.kill('SIGKILL');
      await Promise.all(ends);
      expect(await once(migrate(database.ownerUrl), 'exit')).to.deep.equal([0, null]);
      await expectMigrated(database.ownerUrl);
    } finally {
      await watcher.end();
      await database.drop();
    }
  });

  it('are left alone when told, and a process then refuses a database that lacks one', async () => {
    const database = await createTestDatabase();
    try {
      for (const part of ['--api', '--worker']) {
        const env = { PATH: process.env['PATH'], DATABASE_URL: database.ownerUrl, MIGRATE_AT_START: '0', PORT: '0' };
        const failed = await promisify(execFile)(process.execPath, [command, 'serve', part], { cwd: root, env }).catch(
          (error: { code: number; stderr: string }) => error,
        );
        expect(failed).to.include({ code: 1 });
        expect(failed.stderr).to.match(/The database lacks migrations\. Run "npx commissions migrate" first\./);
      }
    } finally {
      await database.drop();
    }
  });
});

async function expectMigrated(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by 1');
  await client.end();
  expect(rows.map(({ name }) => name)).to.deep.equal(Object.keys(migrations).sort());
}

describe('DATABASE_READ_URL', () => {
  /** What may be seconds behind. A list that grows here must not hold anything that money is decided by. */
  const mayBeStale = [
    'src/audit/queries/list-audit-logs.ts',
    'src/commissions/queries/get-commissions.ts',
    'src/commissions/queries/list-commission-exceptions.ts',
    'src/commissions/queries/list-commission-periods.ts',
    'src/deals/queries/list-deals.ts',
  ];

  it('is used by lists and dashboards, and by no command, worker or statement', () => {
    const files = ['src', 'workers']
      .flatMap((folder) =>
        readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
      )
      .filter((name) => name.endsWith('.ts') && !name.startsWith('src/platform/'));
    const users = files.filter((name) => readFileSync(path.join(root, name), 'utf8').includes('replica: true'));
    expect(users.sort()).to.deep.equal(mayBeStale);
  });

  it('answers those from the replica, and everything else from the primary; without it the primary answers all', async () => {
    const replica = await createTestDatabase({ migrate: migrateTestDatabase });
    const service = await startTestService({ DATABASE_READ_URL: replica.ownerUrl });
    try {
      const { workspaceId, api } = await service.workspace();
      const [repId] = await saveSimpleTerms(api, ['ann']);
      await api.expect(201, 'PUT', '/v1/deals/D-1', { amount: 1000, closeDate: '2026-02-03', ownerId: 'ann' });
      await service.waitForCalculations(workspaceId);
      // This replica never catches up, so what it answers can be told apart.
      expect((await api.expect(200, 'GET', '/v1/deals')).deals).to.deep.equal([]);
      await api.expect(200, 'POST', '/v1/commissions/recalculate', { dealId: 'D-1' });
      await api.expect(200, 'POST', `/v1/statements/${repId}/generate`, { period: '2026-Q1' });
      const { statements } = await api.expect(200, 'GET', `/v1/statements?repId=${repId}&period=2026-Q1`);
      expect(JSON.stringify(statements ?? '')).to.not.equal('[]');
      await api.expect(200, 'POST', `/v1/statements/${repId}/approve`, { period: '2026-Q1', status: 'approved' });
      await replica.drop();
      expect((await api.expect(200, 'GET', '/v1/deals')).deals).to.have.length(1);
    } finally {
      await service.stop();
      await replica.drop();
    }
  });
});

describe('a replica that lags', () => {
  /** As replication would: the rows of the primary, with the revisions that they have there. */
  async function catchUp(from: string, to: string): Promise<void> {
    const [primary, replica] = [from, to].map((connectionString) => new pg.Client({ connectionString })) as [
      pg.Client,
      pg.Client,
    ];
    await Promise.all([primary.connect(), replica.connect()]);
    for (const table of ['workspaces', 'reps', 'deals', 'answer_revisions']) {
      const { rows } = await primary.query(`select to_jsonb(t)::text as row from ${table} t`);
      await replica.query(`truncate ${table} cascade`);
      for (const { row } of rows)
        await replica.query(`insert into ${table} select * from jsonb_populate_record(null::${table}, $1)`, [row]);
    }
    await Promise.all([primary.end(), replica.end()]);
  }

  it('is never remembered longer than it lags', async () => {
    const replica = await createTestDatabase({ migrate: migrateTestDatabase });
    const service = await startTestService({ DATABASE_READ_URL: replica.ownerUrl });
    try {
      const { api } = await service.workspace();
      const amounts = async () =>
        (await api.expect(200, 'GET', '/v1/deals')).deals.map((deal: { amount: number }) => deal.amount);
      const put = (amount: number, status: number) =>
        api.expect(status, 'PUT', '/v1/deals/D-1', { fields: { amount } });
      await put(1, 201);
      await catchUp(service.database.ownerUrl, replica.ownerUrl);
      expect(await amounts()).to.deep.equal([1]);
      await put(2, 200);
      expect(await amounts(), 'while it lags').to.deep.equal([1]);
      await catchUp(service.database.ownerUrl, replica.ownerUrl);
      expect(await amounts(), 'when it has caught up').to.deep.equal([2]);
    } finally {
      await service.stop();
      await replica.drop();
    }
  });
});

describe('behind PgBouncer in transaction mode', function () {
  this.timeout(60_000);
  let servers: Servers;
  let bouncer: PgBouncer;
  let login: URL;
  const processes: ServiceProcess[] = [];

  before(async function () {
    servers = (await startServers('postgres')) as Servers;
    // As the README says: a login of its own that may do what the service may, and owns nothing.
    login = new URL(servers.database.ownerUrl);
    login.username = 'pooled_login';
    login.password = 'pooled';
    const admin = new pg.Client({ connectionString: (await testServer()).superuserUrl });
    await admin.connect();
    await admin.query(`drop role if exists pooled_login`);
    await admin.query(`create role pooled_login login password 'pooled' in role ${appRole}`);
    await admin.query(`alter role pooled_login set timezone = 'UTC'`);
    await admin.end();
    const started = await startPgBouncer(login.href);
    if (started === null) return this.skip();
    bouncer = started;
  });

  after(async () => {
    await Promise.all(processes.map((process) => process.end()));
    await bouncer?.stop();
    await servers?.stop();
  });

  it('the service pays, with the queue and the migrations on the straight way', async () => {
    const environment = {
      ...servers.environment,
      DATABASE_URL: bouncer.url,
      DATABASE_OWNER_URL: servers.database.ownerUrl,
      QUEUE_DATABASE_URL: login.href,
    };
    processes.push(await ServiceProcess.start('api', environment), await ServiceProcess.start('worker', environment));
    const { apiKey } = await servers.workspace();
    const api = new ApiClient(processes[0]?.url ?? '', apiKey);
    const names = Array.from({ length: 12 }, (_, index) => `rep${index}`);
    const [repId] = await saveSimpleTerms(api, names);
    const puts = names.flatMap((ownerId) =>
      [0, 1, 2].map((index) =>
        api.expect(201, 'PUT', `/v1/deals/${ownerId}-${index}`, { amount: 1000, closeDate: '2026-02-03', ownerId }),
      ),
    );
    await Promise.all(puts);
    const job = await api.expect(200, 'POST', '/v1/commissions/recalculate', {});
    expect(job).to.include({ status: 'completed' });
    const { totals } = await api.expect(200, 'GET', '/v1/commissions?period=2026-Q1');
    expect(totals.commission).to.equal(12 * 3 * 50);
    await api.expect(200, 'POST', `/v1/statements/${repId}/generate`, { period: '2026-Q1' });
  });

  it('a role that could read past row-level security is refused, though the pooler swallows the role asked for', async () => {
    const ownerBouncer = await startPgBouncer(servers.database.ownerUrl);
    try {
      const failed = await ServiceProcess.start('worker', {
        ...servers.environment,
        DATABASE_URL: ownerBouncer?.url ?? '',
        QUEUE_DATABASE_URL: servers.database.ownerUrl,
      }).catch((error: Error) => error);
      expect(failed).to.be.instanceOf(Error);
      expect((failed as Error).message).to.include('can read past row-level security');
    } finally {
      await ownerBouncer?.stop();
    }
  });
});

describe('a Redis that forgets', () => {
  const silent = createLog('silent');

  for (const [what, settings, complaint] of [
    ['keeps no append-only file', ['--maxmemory-policy', 'noeviction'], 'keeps no append-only file'],
    ['throws keys out', ['--appendonly', 'yes', '--maxmemory-policy', 'allkeys-lru'], 'allkeys-lru'],
  ] as const)
    it(`because it ${what} is refused in production and else warned of`, async function () {
      const redis = await startRedis(undefined, settings);
      if (redis === null) return this.skip();
      const warnings: string[] = [];
      const log = { ...silent, warn: (warning: unknown) => warnings.push(String(warning)) } as never;
      try {
        const config = readConfig({ REDIS_URL: redis.url });
        await checkRedis(config, log);
        expect(warnings.join()).to.include(complaint);
        const rejected = await checkRedis({ ...config, NODE_ENV: 'production' }, log).catch((error: Error) => error);
        expect((rejected as Error).message).to.include(complaint);
      } finally {
        await redis.stop();
      }
    });

  it('is not one that keeps an append-only file and throws nothing out', async function () {
    const redis = await startRedis(undefined, ['--appendonly', 'yes', '--maxmemory-policy', 'noeviction']);
    if (redis === null) return this.skip();
    try {
      await checkRedis(readConfig({ REDIS_URL: redis.url }), silent);
      await checkRedis({ ...readConfig({ REDIS_URL: redis.url }), NODE_ENV: 'production' }, silent);
    } finally {
      await redis.stop();
    }
  });
});
