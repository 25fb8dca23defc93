import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { migrations } from '#migrations/index.js';
import { tenantTable } from '#migrations/tenant-table.js';
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

const schemaFile = new URL('../../../../docs/reference/schema.sql', import.meta.url);
const header = '-- The schema that the migrations create. `npm run schema` generates this file; do not edit it.\n\n';

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
