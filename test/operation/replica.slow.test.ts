import { expect } from 'chai';
import pg from 'pg';
import {
  type DebianPostgres,
  ownedDatabase,
  startDebianPostgres15,
  startStandby,
} from '#test/support/debian-postgres.js';
import { migrateTestDatabase } from '#test/support/migrate-test-database.js';
import { Service } from '#test/support/service.js';
import { databaseOf } from '#test/support/test-database.js';
import { until } from '#test/support/until.js';
import { type Workspace } from '#test/support/workspace.js';

describe('a streaming replica', () => {
  let primary: DebianPostgres;
  let standby: DebianPostgres;
  let service: Service;
  let workspace: Workspace;
  let puts = 0;

  before(async function () {
    const started = await startDebianPostgres15();
    if (started === undefined) return this.skip();
    primary = started;
    const { ownerUrl, appUrl } = await ownedDatabase(primary.superuserUrl);
    await migrateTestDatabase(ownerUrl);
    standby = await startStandby(primary);
    const replicaUrl = new URL(appUrl);
    replicaUrl.port = new URL(standby.superuserUrl).port;
    const database = databaseOf({ ownerUrl, appUrl });
    const settings = {
      DATABASE_READ_URL: replicaUrl.href,
      DATABASE_READ_MAX_LAG_SECONDS: '2',
      METRICS_TOKEN: 'metrics-of-a-test',
    };
    service = await Service.start({ settings, database: Promise.resolve(database) });
    workspace = await service.workspace();
  });

  after(async () => {
    await service?.stop();
    await standby?.stop();
    await primary?.stop();
  });

  /** Stores another deal and returns its amount. */
  async function put(): Promise<number> {
    puts += 1;
    await workspace.api.expect(201, 'PUT', `/v1/deals/D-${puts}`, { fields: { amount: puts } });
    return puts;
  }

  async function lists(amount: number): Promise<boolean> {
    const { deals } = await workspace.api.expect(200, 'GET', '/v1/deals');
    return deals.some((deal: { amount: number }) => deal.amount === amount);
  }

  async function isInUse(): Promise<boolean> {
    const headers = { Authorization: 'Bearer metrics-of-a-test' };
    const page = await (await fetch(`${service.url}/metrics`, { headers })).text();
    return /^replica_in_use\{[^}]*\} 1$/m.test(page);
  }

  async function onStandby(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: standby.superuserUrl });
    await client.connect();
    await client.query(statement);
    await client.end();
  }

  it('serves lists, and is left when it falls behind, until it has caught up', async () => {
    await until(isInUse);
    const first = await put();
    await until(() => lists(first));
    await onStandby('select pg_wal_replay_pause()');
    const second = await put();
    expect(await lists(second), 'within the bound the list may be older').to.equal(false);
    await until(() => lists(second));
    expect(await isInUse()).to.equal(false);
    await onStandby('select pg_wal_replay_resume()');
    await until(isInUse);
    expect(await lists(second)).to.equal(true);
  });

  it('delays no request for long when it hangs, and serves again when it responds', async () => {
    await until(isInUse);
    standby.signal('SIGSTOP');
    try {
      const amount = await put();
      await until(() => lists(amount));
      expect(await isInUse()).to.equal(false);
    } finally {
      standby.signal('SIGCONT');
    }
    await until(isInUse);
  });

  it('need not run when the service starts', async () => {
    const { DATABASE_READ_URL: _, ...environment } = service.environment;
    const unreachable = new URL(service.database.appUrl);
    unreachable.port = '9';
    const process = await service.startProcess('api', { ...environment, DATABASE_READ_URL: unreachable.href });
    const { api } = workspace;
    const response = await fetch(`${process.url}/v1/deals`, {
      headers: { Authorization: `Bearer ${workspace.apiKey}` },
    });
    expect(await response.json()).to.deep.equal(await api.expect(200, 'GET', '/v1/deals'));
  });
});
