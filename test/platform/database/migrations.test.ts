import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { migrations } from '#migrations/index.js';
import { tenantTable } from '#migrations/tenant-table.js';
import { newId } from '#src/kernel/ids.js';
import {
  assertMigrated,
  listPendingMigrations,
  type Migrations,
  migrateToLatest,
} from '#src/platform/database/migrate.js';
import { createDatabase, type Database } from '#src/platform/database/pool.js';
import { type ApiClient } from '#test/support/api-client.js';
import { describeSchema } from '#test/support/describe-schema.js';
import { migrateTestDatabase } from '#test/support/migrate-test-database.js';
import { Service } from '#test/support/service.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { createTestDatabase, type TestDatabase } from '#test/support/test-database.js';
import { until } from '#test/support/until.js';

const schemaFile = new URL('../../../../docs/reference/schema.sql', import.meta.url);
const migrationsFolder = new URL('../../../../migrations/', import.meta.url);
const changelog = new URL('../../../../CHANGELOG.md', import.meta.url);
const header = '-- The schema that the migrations create. `npm run schema` generates this file; do not edit it.\n\n';

/** The hashes of the files of each release, by version and name; `npm run release:migrations` adds one. */
function listReleased(): Map<string, Map<string, string>> {
  const [, ...releases] = readFileSync(new URL('released.sha256', migrationsFolder), 'utf8').split(/^# /m);
  return new Map(
    releases.map((text) => {
      const [version = '', ...lines] = text.trim().split('\n');
      return [version, new Map(lines.map((line) => line.split('  ').reverse() as [string, string]))];
    }),
  );
}

/** The migrations of 0.1.0, whose tables have another form than later ones. */
const first: Migrations = Object.fromEntries(
  Object.entries(migrations).filter(([name]) => listReleased().get('0.1.0')?.has(`${name}.ts`)),
);

/** A migration as a later release may contain it: a column with a value for each row, an index and a table. */
const later: Migrations = {
  ...migrations,
  '999_territories': {
    up: async (db: Kysely<unknown>) => {
      await sql`
        create table territories (
          workspace_id uuid not null references workspaces,
          territory_id uuid not null default gen_random_uuid(),
          name text not null,
          primary key (workspace_id, territory_id)
        )`.execute(db);
      await tenantTable(db, 'territories');
      await sql`insert into territories (workspace_id, name) select workspace_id, 'All' from workspaces`.execute(db);
      await sql`alter table deals add column territory text`.execute(db);
      await sql`update deals set territory = 'All'`.execute(db);
      await sql`create index deals_by_territory on deals (workspace_id, territory)`.execute(db);
    },
  },
};

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function schemaOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await describeSchema(client);
  } finally {
    await client.end();
  }
}

describe('migrations', () => {
  const databases: TestDatabase[] = [];

  async function newDatabase(migrated: boolean): Promise<string> {
    const database = await createTestDatabase(migrated ? { migrate: migrateTestDatabase } : {});
    databases.push(database);
    return database.ownerUrl;
  }

  async function asOwner<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
    const database = createDatabase({ url, size: 1, onError: () => {}, asOwner: true });
    try {
      return await work(database);
    } finally {
      await database.destroy();
    }
  }

  after(async () => {
    for (const database of databases) await database.drop();
  });

  it('create the schema in docs/reference/schema.sql (`npm run schema` writes the file)', async () => {
    const text = `${header}${await schemaOf(await newDatabase(true))}`;
    if (process.env['UPDATE'] === '1') writeFileSync(schemaFile, text);
    else expect(readFileSync(schemaFile, 'utf8')).to.equal(text);
  });

  it('are numbered without gaps, and applied in that order to an empty database', async () => {
    const names = Object.keys(migrations);
    expect(names.map((name) => Number(name.slice(0, 3)))).to.deep.equal(names.map((_, index) => index + 1));
    const url = await newDatabase(false);
    expect(await asOwner(url, (database) => listPendingMigrations(database, migrations, 'owner'))).to.deep.equal(names);
    expect(await migrateToLatest(url, migrations)).to.deep.equal(names);
    expect(await asOwner(url, (database) => listPendingMigrations(database, migrations, 'owner'))).to.deep.equal([]);
  });

  it('of a release never change, and neither does what they import', () => {
    const released = new Map([...listReleased().values()].flatMap((files) => [...files]));
    for (const [name, sha256] of released) {
      const text = readFileSync(new URL(name, migrationsFolder), 'utf8');
      expect(createHash('sha256').update(text).digest('hex'), `${name}; a later migration corrects it`).to.equal(
        sha256,
      );
      for (const [, neighbour] of text.matchAll(/ from '\.\/(.+)\.js'/g))
        expect([...released.keys()], `imported by ${name}`).to.include(`${neighbour}.ts`);
    }
    const names = Object.keys(migrations);
    const ofReleases = names.filter((name) => released.has(`${name}.ts`));
    expect(ofReleases).to.deep.equal(names.slice(0, ofReleases.length));
  });

  it('are listed for every release in the changelog (`npm run release:migrations` adds one)', () => {
    const versions = [...readFileSync(changelog, 'utf8').matchAll(/^## (\d\S*) /gm)].map(([, version]) => version);
    expect([...listReleased().keys()]).to.deep.equal(versions.reverse());
  });

  it('apply nothing if one of them fails', async () => {
    const url = await newDatabase(false);
    const failing: Migrations = {
      ...migrations,
      '999_failing': { up: (db) => sql`select 1 / 0`.execute(db) as never },
    };
    const error = await migrateToLatest(url, failing).catch((thrown: Error) => thrown);
    expect(error).to.have.property('message', 'The migration of the database failed; the failed step was rolled back.');
    expect(await query(url, `select relname from pg_class where relname in ('workspaces', 'deals')`)).to.deep.equal([]);
  });

  describe('on a database with data', () => {
    let service: Service;
    let api: ApiClient;
    let url: string;
    let stored: Record<string, unknown[]>;

    const tables = ['reps', 'plans', 'plan_rules', 'assignments', 'quotas', 'deals', 'commission_events', 'statements'];

    async function rowsOf(names: readonly string[]): Promise<Record<string, unknown[]>> {
      const rows: Record<string, unknown[]> = {};
      for (const name of names) rows[name] = await query(url, `select * from ${name} t order by t::text`);
      return rows;
    }

    before(async () => {
      service = await Service.start();
      url = service.database.ownerUrl;
      const { workspaceId, api: client } = await service.workspace();
      api = client;
      const [ann] = await saveSimpleTerms(api, ['ann', 'bob']);
      for (const [id, ownerId] of Object.entries({ 'D-1': 'ann', 'D-2': 'ann', 'D-3': 'bob' }))
        await api.expect(201, 'PUT', `/v1/deals/${id}`, { amount: 1000, closeDate: '2026-02-03', ownerId });
      await service.waitForCalculations(workspaceId);
      await api.generate(ann, '2026-Q1');
      stored = await rowsOf(tables);
      for (const name of tables) expect(stored[name], name).to.not.deep.equal([]);
    });

    after(() => service?.stop());

    it('change nothing when they run again', async () => {
      const schema = await schemaOf(url);
      expect(await migrateToLatest(url, migrations)).to.deep.equal([]);
      expect(await rowsOf(tables)).to.deep.equal(stored);
      expect(await schemaOf(url)).to.equal(schema);
    });

    it('of a later release preserve the rows, and the present release continues to work', async () => {
      expect(await migrateToLatest(url, later)).to.deep.equal(['999_territories']);
      const { deals = [], ...others } = await rowsOf(tables);
      const { deals: dealsBefore = [], ...othersBefore } = stored;
      expect(others).to.deep.equal(othersBefore);
      // The migration has written the rows, so readers of the feed get them again.
      const withoutNumber = (rows: readonly unknown[]) => rows.map((row) => ({ ...(row as object), changed_in: null }));
      expect(withoutNumber(deals)).to.deep.equal(
        withoutNumber(dealsBefore).map((deal) => ({ ...deal, territory: 'All' })),
      );
      expect(await query(url, 'select name from territories')).to.deep.equal([{ name: 'All' }]);

      await api.expect(201, 'PUT', '/v1/deals/D-4', { amount: 1000, closeDate: '2026-05-03', ownerId: 'bob' });
      expect((await api.expect(200, 'GET', '/readyz')).status).to.equal('ready');
      expect(await migrateToLatest(url, migrations), 'after a rollback').to.deep.equal([]);
    });
  });

  describe('on a database of 0.1.0 with rows', () => {
    const workspaceId = newId();
    const repId = newId();
    let url: string;

    /** Rows in the form of 0.1.0, also without those that they refer to. */
    const insert = (table: string, row: object) => {
      const columns = Object.keys(row).join();
      const json = JSON.stringify({ workspace_id: workspaceId, ...row });
      return query(
        url,
        `begin; set local session_replication_role = replica;
         insert into ${table} (workspace_id, ${columns})
         select workspace_id, ${columns} from json_populate_record(null::${table}, ${pg.escapeLiteral(json)}); commit`,
      );
    };

    const terms = { from: '2026-01', position: 1, match: {}, treatment: 'capitalise', convention: 'daily' };
    const total = { account: 'commission_expense', currency: 'USD', amount: '8', value: '8' };
    const states = { repId, currency: 'USD', approved: '5' };
    const names = { people: {}, deals: {}, plans: {} };
    const company = { name: 'Acme', accounts: { unassigned: { number: '1', name: 'U' } } };

    async function insertBooks(): Promise<void> {
      const proposed = { status: 'proposed', proposed_by: 'x', proposed_at: '2026-01-01' };
      await insert('accounting_policies', { name: 'New', version: 1, terms: { ...terms, months: 36 }, ...proposed });
      await insert('accounting_entities', { code: 'main', name: 'Acme', currency: 'USD', updated_at: '2026-01-02' });
      const prepared = { actor: 'x', prepared_at: '2026-03-01' };
      await insert('accounting_preparations', { month: '2026-02', hash: 'b', totals: [total], ...prepared });
      const closed = { version: 1, hash: 'a', prepared_by: 'x', closed_by: 'y', closed_at: '2026-02-01' };
      const labels = { entity: company.name, accounts: company.accounts, ...names };
      const none = { states: [], warnings: [], labels, future: {}, onePerson: true };
      const some = { ...none, states: [states], future: { '2026-02': '7' } };
      await insert('accounting_closings', { month: '2025-12', content: none, is_opening: true, ...closed });
      await insert('accounting_closings', { month: '2026-01', content: some, is_opening: false, ...closed });
    }

    async function insertEvent(): Promise<void> {
      const event = { rep_id: repId, event_id: repId, kind: 'commission_earned', status: 'earned', credit: 0 };
      const amount = { category: 'commission', amount: 1, currency: 'USD', period: '2026-Q1', earned_on: '2026-01-01' };
      const terms = { ...event, ...amount, idempotency_key: repId };
      await insert('commission_events', { ...terms, revision: 2, changed_in: '77' });
      for (const [index, change] of ['inserted', 'changed'].entries())
        await insert('commission_event_history', { ...terms, revision: index + 1, change });
    }

    before(async () => {
      url = await newDatabase(false);
      await migrateToLatest(url, first);
      await insert('workspaces', { name: 'Acme', currency: 'USD', tier: 'pro' });
      await insertBooks();
      await insertEvent();
      const refund = { deal_id: 'D-1', day: '2026-02-01', cause: 'refund', lines: [{ lineId: '1', amount: null }] };
      await insert('deal_refunds', { refund_id: 'R-1', amount: 10, ...refund });
      await insert('deal_refunds', { refund_id: 'R-2', amount: 20, ...refund, lines: null });
      await migrateToLatest(url, migrations);
    });

    it('give policies of so many months a period, and what is stored of months an entity', async () => {
      const added = {
        scope: 'new',
        period: { months: 36 },
        start: 'earned',
        correction: 'catch_up',
        payrollTax: false,
      };
      expect(await query(url, 'select terms from accounting_policies')).to.deep.equal([
        { terms: { ...terms, ...added } },
      ]);
      expect(
        await query(url, 'select version, framework, stored_at::date::text as day from accounting_entities'),
      ).to.deep.equal([{ version: 1, framework: 'us_gaap', day: '2026-01-02' }]);
      expect(await query(url, 'select totals from accounting_preparations')).to.deep.equal([
        { totals: [{ entity: 'main', ...total }] },
      ]);
      const opening = { states: [], warnings: [], labels: { entities: { main: company }, ...names }, future: {} };
      const closing = { states: [{ entity: 'main', ...states }], future: { main: { '2026-02': '7' } } };
      expect(await query(url, 'select content from accounting_closings order by month')).to.deep.equal([
        { content: { ...opening, onePerson: true } },
        { content: { ...opening, ...closing, onePerson: true } },
      ]);
    });

    it('number the latest revision of an event as its event, so that readers of the feed continue', async () => {
      expect(
        await query(url, 'select revision, changed_in::text as n from commission_event_history order by revision'),
      ).to.deep.equal([
        { revision: 1, n: '0' },
        { revision: 2, n: '77' },
      ]);
    });

    it('leave a refund of lines the amount of its lines, which counted', async () => {
      expect(await query(url, 'select refund_id as id, amount from deal_refunds order by 1')).to.deep.equal([
        { id: 'R-1', amount: null },
        { id: 'R-2', amount: '20.0000' },
      ]);
    });
  });

  it('wait for a transaction that writes two of their tables', async () => {
    const url = await newDatabase(false);
    await migrateToLatest(url, first);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query('begin; lock table cache_versions in row exclusive mode');
      const migrated = migrateToLatest(url, migrations);
      const waiting = `select from pg_locks where not granted and relation = 'cache_versions'::regclass`;
      await until(async () => (await query(url, waiting)).length > 0);
      await client.query('lock table deals in row exclusive mode');
      await client.query('commit');
      expect(await migrated).to.include('025_books');
    } finally {
      await client.end();
    }
  });

  it('wait for the end of a move of a workspace, whose rows cannot be written', async () => {
    const url = await newDatabase(false);
    await migrateToLatest(url, first);
    const moving = 'before update on workspaces for each row execute function suppress_redundant_updates_trigger()';
    await query(url, `create trigger "moving_${newId()}" ${moving}`);
    const failure = await migrateToLatest(url, migrations).catch((error: Error) => String(error.cause));
    expect(failure).to.include('a workspace is being moved or deleted: end that first, then migrate');
  });

  it('explain what to do with a database of an unreleased version', async () => {
    const url = await newDatabase(true);
    await query(url, `delete from kysely_migration`);
    await query(
      url,
      `insert into kysely_migration (name, timestamp) values ('001_workspaces', now()), ('002_people', now())`,
    );
    const explanation =
      /^An unreleased version of the service created this database, and it cannot be migrated\. Delete the data folder \(DATA_DIR\)/;
    const expectExplained = async (failing: Promise<unknown>) => {
      const error = await failing.then(
        () => null,
        (thrown: Error) => thrown,
      );
      expect(error?.message).to.match(explanation);
    };
    await expectExplained(migrateToLatest(url, migrations));
    await expectExplained(asOwner(url, (database) => assertMigrated(database, migrations)));
  });
});
