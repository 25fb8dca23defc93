import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { type CrmWorld, crmbWorld, payEveryone } from '#test/support/crm-worlds.js';
import { query } from '#test/support/ledger-checks.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';

const few = 300;
const many = 4 * few;
/** Four times the deals may take this many times the work; work that grows with the page number takes 16 times. */
const maxGrowth = 6;
/** Tables of which fewer rows are processed have a constant cost. */
const minRows = 2000;
const pageSize = 100;

/**
 * PostgreSQL reads a table of a few pages from its begin to its end if autovacuum has seen it, and by the index otherwise.
 * The time of autovacuum must not decide how many rows are read.
 */
const withoutAutovacuum = `do $$ declare name regclass; begin
  for name in select relid from pg_stat_user_tables loop
    execute format('alter table %s set (autovacuum_enabled = false)', name);
  end loop;
end $$`;
const openConnections = `select count(*)::int as open from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

interface Work {
  /** Rows read and written, by table. */
  readonly rows: ReadonlyMap<string, number>;
  readonly requests: number;
  readonly engineRuns: number;
  /** Deals that the engine read. */
  readonly engineDeals: number;
}

describe('a sync', () => {
  let world: CrmWorld;
  let people: string[];

  before(async () => {
    world = await crmbWorld();
    people = ['Ada', 'Ben', 'Cy'].map((name) => world.addPerson(name));
  });

  after(() => world.stop());

  async function finished(api: ApiClient, options: object): Promise<void> {
    const { jobId } = await api.expect(200, 'POST', '/v1/commissions/sync', { ...options, async: true });
    expect(await api.finishedJob(jobId)).to.include({ status: 'completed' });
  }

  /** Three syncs on a separate database: of new deals, without changes, and with a comparison. */
  async function workOf(deals: number): Promise<Work> {
    const service = await Service.start({ crms: [world], settings: { CRM_POLL_SECONDS: '86400' } });
    const { ownerUrl } = service.database;
    try {
      await query(ownerUrl, withoutAutovacuum);
      world.generateDeals(deals, (position) => ({
        owner: people[position % people.length] as string,
        amount: position,
        won: true,
        closeDate: '2026-02-10',
      }));
      const { api, workspaceId } = await service.workspace();
      await world.connect(api, service.url);
      await api.expect(200, 'POST', '/v1/reps/sync');
      await payEveryone(api);
      await service.waitForCalculations(workspaceId);
      const before = world.server.countRequests(/./);
      for (const options of [{}, {}, { reconcile: true }]) await finished(api, options);
      const requests = world.server.countRequests(/./) - before;
      const [engine] = await query<{ runs: number; deals: number; paid: number }>(
        ownerUrl,
        `select count(*)::int as runs, coalesce(sum(deals), 0)::int as deals,
          (select count(*)::int from commission_events) as paid
        from audit_runs where trigger = 'sync'`,
      );
      expect(engine?.paid).to.equal(deals);
      // A connection reports what it has read at the latest when it ends, which follows its closing.
      await service.running.stop();
      await until(async () => {
        const [connections] = await query<{ open: number }>(ownerUrl, openConnections);
        return connections?.open === 0;
      });
      const tables = await query<{ name: string; rows: number }>(
        ownerUrl,
        `select relname as name,
          (seq_tup_read + coalesce(idx_tup_fetch, 0) + n_tup_ins + n_tup_upd + n_tup_del)::int as rows
        from pg_stat_user_tables`,
      );
      const rows = new Map(tables.map((table) => [table.name, table.rows]));
      return { rows, requests, engineRuns: engine?.runs ?? 0, engineDeals: engine?.deals ?? 0 };
    } finally {
      await service.running.stop();
      await service.database.drop();
    }
  }

  it('processes rows, pages and deals of the engine in proportion to the deals', async () => {
    const [small, large] = [await workOf(few), await workOf(many)];
    const grown = [...large.rows].map(([table, rows]) => ({ table, rows, fewer: small.rows.get(table) ?? 0 }));
    expect(grown.filter(({ rows, fewer }) => rows > minRows && rows > maxGrowth * fewer)).to.deep.equal([]);
    expect(grown.filter(({ rows }) => rows >= many).map(({ table }) => table)).to.include.members([
      'deals',
      'crm_sync_run_deals',
      'commission_events',
    ]);
    // Each sync requests a page of ids and a page of deals.
    expect(large.requests - small.requests).to.equal((3 * 2 * (many - few)) / pageSize);
    expect([small.engineRuns, large.engineRuns]).to.deep.equal([people.length, people.length]);
    expect([small.engineDeals, large.engineDeals]).to.deep.equal([few, many]);
  });
});
