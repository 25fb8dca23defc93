import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { migrations } from '#migrations/index.js';
import { readConfig } from '#src/app/config.js';
import { appRole } from '#src/platform/database/pool.js';
import { createLog } from '#src/platform/log.js';
import { checkRedis } from '#src/platform/redis/redis-settings.js';
import { root } from '#test/support/command.js';
import { migrateTestDatabase } from '#test/support/migrate-test-database.js';
import { createPooledLogin, type PgBouncer, startPgBouncer } from '#test/support/pgbouncer.js';
import { startRedis } from '#test/support/redis-server.js';
import { runCommand } from '#test/support/run-command.js';
import { Service } from '#test/support/service.js';
import { bundledCommand } from '#test/support/service-bundle.js';
import { ServiceProcesses } from '#test/support/service-processes.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { createTestDatabase } from '#test/support/test-database.js';

describe('migrations', () => {
  const migrate = async (url: string) => {
    const env = { PATH: process.env['PATH'], DATABASE_URL: url, LOG_LEVEL: 'silent' };
    return spawn(process.execPath, [await bundledCommand(), 'migrate'], { cwd: root, env, stdio: 'ignore' });
  };

  it('run once when four processes start concurrently', async () => {
    const database = await createTestDatabase();
    try {
      const runs = await Promise.all([0, 1, 2, 3].map(() => migrate(database.ownerUrl)));
      const codes = await Promise.all(runs.map(async (run) => (await once(run, 'exit'))[0]));
      expect(codes).to.deep.equal([0, 0, 0, 0]);
      await expectMigrated(database.ownerUrl);
    } finally {
      await database.drop();
    }
  });

  it('complete at the next start after four processes were killed during them', async () => {
    const database = await createTestDatabase();
    const watcher = new pg.Client({ connectionString: database.ownerUrl });
    await watcher.connect();
    try {
      const runs = await Promise.all([0, 1, 2, 3].map(() => migrate(database.ownerUrl)));
      const ends = runs.map((run) => once(run, 'exit'));
      const deadline = Date.now() + 30_000;
      const begun = `select from pg_locks where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`;
      while ((await watcher.query(begun)).rowCount === 0 && Date.now() < deadline) {}
      for (const run of runs) run.kill('SIGKILL');
      await Promise.all(ends);
      expect(await once(await migrate(database.ownerUrl), 'exit')).to.deep.equal([0, null]);
      await expectMigrated(database.ownerUrl);
    } finally {
      await watcher.end();
      await database.drop();
    }
  });

  it('are not run if disabled, and a process then exits when one is missing', async () => {
    const database = await createTestDatabase();
    try {
      for (const part of ['--api', '--worker']) {
        const environment = { ...database.environment, MIGRATE_AT_START: '0', PORT: '0' };
        const failed = await runCommand(['serve', part], environment);
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
  /** Queries whose results may be seconds old. None of them may influence amounts. */
  const mayBeStale = [
    'src/audit/queries/list-audit-entries.ts',
    'src/audit/queries/list-audit-logs.ts',
    'src/commissions/exception-reports.ts',
    'src/commissions/find-exceptions.ts',
    'src/commissions/forecast/forecaster.ts',
    'src/commissions/queries/get-commissions.ts',
    'src/commissions/queries/list-commission-periods.ts',
    'src/deals/queries/list-deals.ts',
  ];

  it('is used by lists and dashboards only, not by commands, workers or statements', () => {
    const files = ['src', 'workers']
      .flatMap((folder) =>
        readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
      )
      .filter((name) => name.endsWith('.ts') && !name.startsWith('src/platform/'));
    const users = files.filter((name) => readFileSync(path.join(root, name), 'utf8').includes('replica: true'));
    expect(users.sort()).to.deep.equal(mayBeStale);
  });

  it('serves lists and dashboards from the replica and everything else from the primary', async () => {
    const replica = await createTestDatabase({ migrate: migrateTestDatabase });
    const service = await Service.start({ settings: { DATABASE_READ_URL: replica.appUrl } });
    try {
      const { workspaceId, api } = await service.workspace();
      const [repId] = await saveSimpleTerms(api, ['ann']);
      await api.expect(201, 'PUT', '/v1/deals/D-1', { amount: 1000, closeDate: '2026-02-03', ownerId: 'ann' });
      await service.waitForCalculations(workspaceId);
      // This replica never catches up, so its responses differ from the primary's.
      expect((await api.expect(200, 'GET', '/v1/deals')).deals).to.deep.equal([]);
      await api.expect(200, 'POST', '/v1/commissions/recalculate', { dealId: 'D-1' });
      await api.generate(repId, '2026-Q1');
      const { statements } = await api.expect(200, 'GET', `/v1/statements?repId=${repId}&period=2026-Q1`);
      expect(JSON.stringify(statements ?? '')).to.not.equal('[]');
      await api.approve(repId, '2026-Q1');
      await replica.drop();
      expect((await api.expect(200, 'GET', '/v1/deals')).deals).to.have.length(1);
    } finally {
      await service.stop();
      await replica.drop();
    }
  });
});

describe('a lagging replica', () => {
  /** Copies the rows of the primary, including their cache versions, as replication does. */
  async function catchUp(from: string, to: string): Promise<void> {
    const [primary, replica] = [from, to].map((connectionString) => new pg.Client({ connectionString })) as [
      pg.Client,
      pg.Client,
    ];
    await Promise.all([primary.connect(), replica.connect()]);
    for (const table of ['workspaces', 'reps', 'deals', 'cache_versions']) {
      const { rows } = await primary.query(`select to_jsonb(t)::text as row from ${table} t`);
      await replica.query(`truncate ${table} cascade`);
      for (const { row } of rows)
        await replica.query(`insert into ${table} select * from jsonb_populate_record(null::${table}, $1)`, [row]);
    }
    await Promise.all([primary.end(), replica.end()]);
  }

  it('causes no cached response that outlives the lag', async () => {
    const replica = await createTestDatabase({ migrate: migrateTestDatabase });
    const service = await Service.start({ settings: { DATABASE_READ_URL: replica.appUrl } });
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

describe('behind PgBouncer in transaction mode', () => {
  let service: ServiceProcesses;
  let bouncer: PgBouncer;
  let login: string;

  before(async function () {
    service = await ServiceProcesses.start();
    login = await createPooledLogin(service.database.appUrl, 'pooled_login');
    const started = await startPgBouncer(login);
    if (started === null) return this.skip();
    bouncer = started;
  });

  after(async () => {
    await service?.stop();
    await bouncer?.stop();
  });

  it('calculates commission, with a direct connection for the queue and the migrations', async () => {
    const behind = { DATABASE_URL: bouncer.url, QUEUE_DATABASE_URL: login };
    await Promise.all((['api', 'worker'] as const).map((kind) => service.startProcess(kind, behind)));
    const { api } = await service.workspace();
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
    await api.generate(repId, '2026-Q1');
  });

  for (const [what, variable] of [
    ['service', 'DATABASE_URL'],
    ['replica', 'DATABASE_READ_URL'],
    ['queue', 'QUEUE_DATABASE_URL'],
  ] as const)
    it(`rejects the login of the owner for the connection of the ${what}`, async () => {
      const failed = await service
        .startProcess('worker', { [variable]: service.database.ownerUrl })
        .catch((error: Error) => error);
      expect((failed as Error).message).to.include('can read past row-level security');
      expect((failed as Error).message).to.include(`alter role ${appRole} login password`);
    });

  it('rejects a role that bypasses row-level security, although the pooler ignores the requested role', async () => {
    const ownerBouncer = await startPgBouncer(service.database.ownerUrl);
    try {
      const behind = { DATABASE_URL: ownerBouncer?.url ?? '', QUEUE_DATABASE_URL: service.database.appUrl };
      const failed = await service.startProcess('worker', behind).catch((error: Error) => error);
      expect(failed).to.be.instanceOf(Error);
      expect((failed as Error).message).to.include('can read past row-level security');
    } finally {
      await ownerBouncer?.stop();
    }
  });
});

describe('a Redis server that may lose data', () => {
  const silent = createLog('silent');

  for (const [what, settings, complaint] of [
    ['has no append-only file', ['--maxmemory-policy', 'noeviction'], 'keeps no append-only file'],
    ['throws keys out', ['--appendonly', 'yes', '--maxmemory-policy', 'allkeys-lru'], 'allkeys-lru'],
  ] as const)
    it(`is rejected in production and causes a warning elsewhere if it ${what}`, async function () {
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

  it('is not reported if it has an append-only file and no eviction', async function () {
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
