import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { createWorkspace } from '#src/access/workspaces/create-workspace.js';
import { readConfig } from '#src/app/config.js';
import { start } from '#src/app/main.js';
import { appRole, appSessionOptions } from '#src/platform/database/pool.js';
import { createLog } from '#src/platform/log.js';
import { ApiClient } from '#test/support/api-client.js';
import { type DebianPostgres, ownedDatabase, startDebianPostgres15 } from '#test/support/debian-postgres.js';
import { migrateTestDatabase } from '#test/support/migrate-test-database.js';
import { flatTier } from '#test/support/terms.js';
import { createTestDatabase, type TestDatabase } from '#test/support/test-database.js';

/** Keys and indexes whose first column is not the workspace, each with its reason. */
const withoutWorkspace: Readonly<Record<string, string>> = {
  tokens_by_hash: 'a token is looked up before its workspace is known',
  agent_grants_by_hash: 'a code or refresh token is looked up before its workspace is known',
  inbound_routes_by_route: 'a delivery names an account and no workspace',
  billing_bindings_by_subscription: 'a subscription that another workspace paid for is not one of this workspace',
  reps_by_email: 'who signs in names an address and no workspace',
};

/** Tables without a workspace. The service accesses them only through functions. */
const outsideWorkspaces: Readonly<Record<string, string>> = {
  sign_in_codes: 'codes are requested by e-mail, before the workspace is known',
  sign_in_failures: 'counted by address',
  sign_in_states: 'stored while the identity provider authenticates the person',
  attempt_counters: 'counted by network address',
  agent_clients: 'a client of agents registers before a person signs in',
  mail_outbox: 'mail to addresses that may have no rep',
  installation: 'the mail server and the operator of all workspaces',
  identity_providers: 'people choose one before their workspace is known',
  billing_recovery: 'how far the events of the billing provider were taken in, of all workspaces',
  billing_unmatched: 'payments that name no workspace',
  database_identity: 'the server that numbers transactions, of all workspaces',
  directory_workspaces: 'belongs to the service: which database has a workspace',
  directory_keys: 'looked up before the workspace is known',
};

describe('the schema', () => {
  let database: TestDatabase;
  let owner: pg.Client;
  let tables: readonly string[];

  before(async () => {
    database = await createTestDatabase({ migrate: migrateTestDatabase });
    owner = new pg.Client({ connectionString: database.ownerUrl });
    await owner.connect();
    tables = (
      await rows<{
        name: string;
      }>(`select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relname not like 'kysely_migration%' order by 1`)
    ).map(({ name }) => name);
  });

  after(async () => {
    await owner.end();
    await database.drop();
  });

  async function rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await owner.query<Row>(text, values)).rows;
  }

  const tenantTables = () => tables.filter((table) => outsideWorkspaces[table] === undefined);

  describe('in the catalogue', () => {
    it('contains tables', () =>
      expect(tables).to.include.members(['workspaces', 'reps', 'plans', 'deals', 'commission_events', 'tokens']));

    it('every table has row-level security, for its owner too', async () => {
      const without = await rows(
        `select relname from pg_class where relname = any($1) and relnamespace = 'public'::regnamespace
           and not (relrowsecurity and relforcerowsecurity)`,
        [tables],
      );
      expect(without).to.deep.equal([]);
    });

    it('every table has a policy for the owner by app.all_workspaces, and a tenant table one for the service by workspace', async () => {
      const policies = await rows<{
        table: string;
        roles: string[];
        using: string;
        check: string | null;
      }>(`
        select tablename as table, roles::text[], qual as using, with_check as check from pg_policies
        where schemaname = 'public' and permissive = 'PERMISSIVE' and cmd = 'ALL'`);
      const {
        rows: [{ count }],
      } = await owner.query(`select count(*)::int from pg_policies where schemaname = 'public'`);
      expect(count).to.equal(policies.length);
      const [ofService, ofOwner] = [true, false].map((isService) =>
        policies.filter(({ roles }) => roles.includes(appRole) === isService),
      ) as [typeof policies, typeof policies];
      expect(ofService.map(({ table }) => table).sort()).to.deep.equal(tenantTables());
      expect(ofOwner.map(({ table }) => table).sort()).to.deep.equal([...tables]);
      for (const { table, roles, using, check } of ofService) {
        expect(roles, table).to.deep.equal([appRole]);
        expect(using, table).to.match(
          /^\(workspace_id = \( SELECT \(NULLIF\(current_setting\('app\.workspace_id'::text, true\), ''::text\)\)::uuid AS \S+\)\)$/,
        );
        expect(check, table).to.equal(using);
      }
      for (const { table, roles, using, check } of ofOwner) {
        expect(roles, table).to.deep.equal(['commissions']);
        expect(using, table).to.equal(
          `((current_setting('app.all_workspaces'::text, true) = 'on'::text) OR (current_setting('search_path'::text) = 'public, pg_temp'::text))`,
        );
        expect(check, table).to.equal(null);
      }
    });

    it('the workspace is the first column of every key and index', async () => {
      const indexes = await rows<{ name: string; table: string }>(
        `
        select i.relname as name, t.relname as table from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
        left join pg_attribute a on a.attrelid = x.indrelid and a.attnum = x.indkey[0]
        where t.relnamespace = 'public'::regnamespace and t.relname = any($1) and a.attname is distinct from 'workspace_id' order by 1`,
        [tenantTables()],
      );
      expect(indexes.filter(({ name }) => withoutWorkspace[name] === undefined)).to.deep.equal([]);
    });

    it('no exception is a key', async () => {
      const keys = await rows(
        `select i.relname from pg_index x join pg_class i on i.oid = x.indexrelid where i.relname = any($1) and (x.indisunique or x.indisprimary)`,
        [Object.keys(withoutWorkspace)],
      );
      expect(keys).to.deep.equal([]);
    });

    it('every table has a primary key', async () => {
      const without = await rows(
        `select relname from pg_class c where relnamespace = 'public'::regnamespace and relname = any($1)
        and not exists (select from pg_index x where x.indrelid = c.oid and x.indisprimary)`,
        [tables],
      );
      expect(without).to.deep.equal([]);
    });

    it('the workspace is the first column of both sides of every foreign key', async () => {
      const foreign = await rows(`
        select k.conname from pg_constraint k
        join pg_attribute here on here.attrelid = k.conrelid and here.attnum = k.conkey[1]
        join pg_attribute there on there.attrelid = k.confrelid and there.attnum = k.confkey[1]
        where k.contype = 'f' and k.connamespace = 'public'::regnamespace and (here.attname <> 'workspace_id' or there.attname <> 'workspace_id')`);
      expect(foreign).to.deep.equal([]);
    });

    it('workspace_id is never null', async () => {
      const nullable = await rows(
        `select c.relname from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relnamespace = 'public'::regnamespace and c.relname = any($1) and a.attname = 'workspace_id' and not a.attnotnull`,
        [tenantTables()],
      );
      expect(nullable).to.deep.equal([]);
      const without = tenantTables().filter((table) => table !== 'workspaces');
      const withColumn = await rows(
        `select c.relname from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relnamespace = 'public'::regnamespace and c.relname = any($1) and a.attname = 'workspace_id'`,
        [without],
      );
      expect(withColumn.length).to.equal(without.length);
    });

    it('no view and no materialised view bypasses the policies', async () => {
      expect(
        await rows(
          `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')
             and not (relkind = 'v' and coalesce(reloptions @> '{security_invoker=true}', false))`,
        ),
      ).to.deep.equal([]);
    });

    it('functions that read across workspaces are not executable by public and set their search path', async () => {
      const functions = await rows<{ name: string; path: string[] | null; isPublic: boolean }>(`
        select p.oid::regprocedure::text as name, p.proconfig as path, has_function_privilege('public', p.oid, 'execute') as "isPublic"
        from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prosecdef`);
      expect(functions.length).to.be.greaterThan(0);
      for (const { name, path, isPublic } of functions) {
        expect(path, name).to.include('search_path=public, pg_temp');
        expect(isPublic, name).to.equal(false);
      }
    });
  });

  describe('the role of the service', () => {
    let app: pg.Client;

    before(async () => {
      app = new pg.Client({ connectionString: database.appUrl, options: appSessionOptions });
      await app.connect();
    });

    after(() => app.end());

    async function expectDenied(text: string): Promise<void> {
      const error = await app.query(text).then(
        () => null,
        (thrown: { code: string }) => thrown,
      );
      expect(error?.code, text).to.equal('42501');
    }

    it('is what connections run as', async () => {
      expect((await app.query('select current_user as name')).rows).to.deep.equal([{ name: appRole }]);
    });

    it('compiles no statements, also where the database would', async () => {
      const { pathname } = new URL(database.appUrl);
      await owner.query(`alter database "${pathname.slice(1)}" set jit = on`);
      const session = new pg.Client({ connectionString: database.appUrl, options: appSessionOptions });
      await session.connect();
      const { rows: settings } = await session.query('show jit');
      await session.end();
      expect(settings).to.deep.equal([{ jit: 'off' }]);
    });

    it('has no role attributes such as superuser', async () => {
      const [role] = await rows(
        `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication from pg_roles where rolname = $1`,
        [appRole],
      );
      expect(role).to.deep.equal({
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolcanlogin: true,
        rolreplication: false,
      });
    });

    it('is a member of no other role', async () => {
      expect(
        await rows(`select roleid::regrole::text from pg_auth_members where member = $1::regrole`, [appRole]),
      ).to.deep.equal([]);
    });

    it('owns nothing', async () => {
      expect(await rows(`select relname from pg_class where relowner = $1::regrole`, [appRole])).to.deep.equal([]);
      expect(await rows(`select proname from pg_proc where proowner = $1::regrole`, [appRole])).to.deep.equal([]);
    });

    it('cannot create, alter or drop tables', async () => {
      await expectDenied('create table public.mine (id int)');
      await expectDenied('create table bullmq.mine (id int)');
      await expectDenied('create schema mine');
      for (const table of tables) {
        await expectDenied(`alter table ${table} disable row level security`);
        await expectDenied(`create policy mine on ${table} using (true)`);
        await expectDenied(`truncate ${table}`);
      }
      await expectDenied('drop table deals');
      await expectDenied('delete from kysely_migration');
    });

    it('cannot become another role', async () => {
      for (const role of ['commissions', 'postgres', 'pg_read_all_data']) {
        await expectDenied(`set role ${role}`);
        await expectDenied(`set session authorization ${role}`);
      }
    });

    it('cannot disable the policies', async () => {
      await app.query('set row_security = off');
      await expectDenied('select * from deals');
      await app.query('set row_security = on');
    });

    it('cannot change or delete rows of the tables that prove what happened', async () => {
      const privileges = await rows<{ table: string; granted: string[] }>(
        `select table_name as table, array_agg(privilege_type::text order by privilege_type) as granted
         from information_schema.role_table_grants where grantee = $1 and table_schema = 'public' group by table_name`,
        [appRole],
      );
      const grantedOn = (table: string) => privileges.find((one) => one.table === table)?.granted ?? [];
      const mayChange = (table: string) => grantedOn(table).some((one) => one === 'UPDATE' || one === 'DELETE');
      const proofs = tables.filter((table) => /_history$|^audit_|_steps$|^statements$/.test(table));
      expect(proofs).to.include.members(['commission_event_history', 'statement_period_history', 'audit_entries']);
      for (const table of proofs) {
        expect(mayChange(table), table).to.equal(false);
        await expectDenied(`update ${table} set workspace_id = workspace_id`);
        await expectDenied(`delete from ${table}`);
      }
    });

    it('accesses tables outside of workspaces only through functions', async () => {
      for (const table of tables.filter((name) => outsideWorkspaces[name] !== undefined)) {
        await expectDenied(`select * from ${table}`);
        await expectDenied(`delete from ${table}`);
      }
    });
  });

  describe('between two workspaces', () => {
    let scratch: TestDatabase;
    let scratchOwner: pg.Client;
    let app: pg.Client;
    const [a, b] = [randomUUID(), randomUUID()];

    /** One row of A and one of B in every table, with all constraints except types disabled. */
    before(async () => {
      scratch = await createTestDatabase({ migrate: migrateTestDatabase });
      scratchOwner = new pg.Client({ connectionString: scratch.ownerUrl });
      await scratchOwner.connect();
      const { rows: constraints } =
        await scratchOwner.query(`select conrelid::regclass::text as table, conname as name from pg_constraint
        where connamespace = 'public'::regnamespace and contype in ('c', 'f', 'x')`);
      for (const { table, name } of constraints)
        await scratchOwner.query(`alter table ${table} drop constraint "${name}"`);
      const requiredColumns = async (table: string) => {
        const { rows: columns } = await scratchOwner.query<{ name: string; type: string }>(
          `select column_name as name, udt_name as type from information_schema.columns
          where table_schema = 'public' and table_name = $1 and is_nullable = 'NO' and column_default is null and is_identity = 'NO' and is_generated = 'NEVER'
            and column_name <> 'workspace_id'`,
          [table],
        );
        return columns;
      };
      for (const table of Object.keys(outsideWorkspaces)) {
        const columns = await requiredColumns(table);
        await scratchOwner.query(
          columns.length === 0
            ? `insert into ${table} default values on conflict do nothing`
            : `insert into ${table} (${columns.map(({ name }) => name)}) values (${columns.map(({ type }) => anyOf(type))}) on conflict do nothing`,
        );
      }
      for (const table of tenantTables()) {
        const columns = await requiredColumns(table);
        for (const workspaceId of [a, b]) {
          const names = ['workspace_id', ...columns.map(({ name }) => name)].join(', ');
          const values = [`'${workspaceId}'`, ...columns.map(({ type }) => anyOf(type))].join(', ');
          await scratchOwner.query(`insert into ${table} (${names}) values (${values})`);
        }
      }
      app = new pg.Client({ connectionString: scratch.appUrl, options: appSessionOptions });
      await app.connect();
    });

    after(async () => {
      await app?.end();
      await scratchOwner?.end();
      await scratch?.drop();
    });

    function anyOf(type: string): string {
      const texts: Readonly<Record<string, string>> = {
        uuid: 'gen_random_uuid()',
        // The id of a line is generated from its content.
        interval: `'1 hour'`,
        jsonb: `'{"lineId": "1"}'`,
        bytea: `decode(md5(random()::text), 'hex')`,
        bool: 'true',
        date: 'current_date',
        time: "'06:30'",
        timestamptz: 'now()',
        text: 'gen_random_uuid()::text',
      };
      if (type.startsWith('_')) return `'{}'`;
      return texts[type] ?? '1';
    }

    async function asWorkspace<T>(workspaceId: string | null, work: () => Promise<T>): Promise<T> {
      await app.query('begin');
      try {
        if (workspaceId !== null) await app.query(`select set_config('app.workspace_id', $1, true)`, [workspaceId]);
        return await work();
      } finally {
        await app.query('rollback');
      }
    }

    const seen = async (table: string) =>
      (await app.query(`select workspace_id from ${table}`)).rows.map((row) => row.workspace_id);

    it('no rows are visible without a workspace', async () => {
      for (const table of tenantTables()) {
        expect(await asWorkspace(null, () => seen(table)), table).to.deep.equal([]);
        expect(await asWorkspace('', () => seen(table)), `${table}, named empty`).to.deep.equal([]);
      }
    });

    for (const change of [
      'set role none',
      'reset role',
      'set session authorization default',
      'reset session authorization',
      `set app.all_workspaces = 'on'`,
      'set role none; set app.all_workspaces = on; set search_path = public, pg_temp',
    ])
      it(`no rows are visible on the connection of the service after ${change}`, async () => {
        try {
          await app.query(change);
          for (const table of tenantTables()) expect(await seen(table), table).to.deep.equal([]);
        } finally {
          await app.query(`reset app.all_workspaces; reset search_path; set role ${appRole}`);
        }
      });

    it('the owner reads no rows without app.all_workspaces', async () => {
      const plain = new pg.Client({ connectionString: scratch.environment.DATABASE_OWNER_URL });
      await plain.connect();
      try {
        for (const table of tables) {
          expect((await scratchOwner.query(`select from ${table} limit 1`)).rowCount, table).to.equal(1);
          expect((await plain.query(`select from ${table}`)).rowCount, table).to.equal(0);
        }
      } finally {
        await plain.end();
      }
    });

    it('workspace A reads its own rows and none of B', async () => {
      // Triggers write further rows of histories.
      for (const table of tenantTables())
        expect([...new Set(await asWorkspace(a, () => seen(table)))], table).to.deep.equal([a]);
    });

    it('workspace A cannot change or delete rows of B, even by their ids', async () => {
      for (const table of tenantTables()) {
        for (const change of [
          `delete from ${table} where workspace_id = $1`,
          `update ${table} set workspace_id = workspace_id where workspace_id = $1`,
        ]) {
          const outcome = await asWorkspace(a, () =>
            app.query(change, [b]).then(
              ({ rowCount }) => rowCount,
              (error: { code: string }) => error.code,
            ),
          );
          expect(outcome, change).to.be.oneOf([0, '42501']);
        }
      }
    });

    it('workspace A cannot insert rows into B', async () => {
      const codeOf = (text: string, values: unknown[]) =>
        asWorkspace(a, () =>
          app.query(text, values).then(
            () => 'written',
            (error: { code: string }) => error.code,
          ),
        );
      for (const table of tenantTables()) {
        expect(await codeOf(`insert into ${table} (workspace_id) values ($1)`, [b]), `insert into ${table}`).to.equal(
          '42501',
        );
        expect(await codeOf(`update ${table} set workspace_id = $1`, [b]), `update ${table}`).to.equal('42501');
      }
    });

    it('the workspace setting ends with its transaction', async () => {
      await asWorkspace(a, () => seen('deals'));
      expect(await seen('deals')).to.deep.equal([]);
    });
  });

  describe("on Debian's PostgreSQL 15", () => {
    let debian: DebianPostgres | undefined;

    before(async function () {
      debian = await startDebianPostgres15();
      if (debian !== undefined) return;
      if (process.env['CI'])
        throw new Error(
          "Debian's PostgreSQL 15 is not installed (apt-get install postgresql-15): CI must prove that the service runs on it",
        );
      this.skip();
    });

    after(() => debian?.stop());

    it('migrates, and pays a commission', async () => {
      const { ownerUrl, appUrl } = await ownedDatabase((debian as DebianPostgres).superuserUrl);
      const running = await start(
        readConfig({ DATABASE_URL: appUrl, DATABASE_OWNER_URL: ownerUrl, PORT: '0', LOG_LEVEL: 'silent' }),
        { api: true, worker: true },
        createLog('silent'),
      );
      try {
        const { apiKey } = await createWorkspace(running.service.unitOfWork, {
          name: 'Old',
          tier: 'enterprise',
          currency: 'USD',
          timezone: 'UTC',
        });
        const api = new ApiClient(running.url as string, apiKey);
        const [, ada] = await api.saveReps({ name: 'Max', role: 'manager' }, { name: 'Ada', managerEmail: 'max@x.io' });
        const tiers = [...flatTier(0.08), { tierIndex: 1, minThreshold: 1, rate: 0.1 }];
        const rule = {
          name: 'New business',
          attainmentPeriod: 'monthly',
          tierMode: 'marginal',
          measure: 'amount',
          tiers,
        };
        await api.createPlan({ name: 'AE', config: { rules: [rule] } }, [ada]);
        await api.setQuota([ada], 'New business', '2026-03', 1000);
        const deal = { amount: 1500, closeDate: '2026-03-10', ownerEmail: 'ada@x.io' };
        await api.expect(201, 'PUT', '/v1/deals/d-1', deal);
        const file = 'id,amount,closeDate,ownerEmail\nd-2,100,2026-03-11,ada@x.io';
        await api.expect(200, 'POST', '/v1/deals/import', file, { 'Content-Type': 'text/csv' });
        const recalculated = await api.expect(200, 'POST', '/v1/commissions/recalculate', {});
        expect(recalculated).to.deep.include({ triggered: true, status: 'completed' });
        const dashboard = await api.expect(200, 'GET', `/v1/commissions?repId=${ada}&period=2026-03`);
        expect(dashboard.earnings.total).to.equal(1000 * 0.08 + 600 * 0.1);
        const [quota] = await api.expect(200, 'GET', '/v1/quotas');
        expect(quota).to.deep.include({ current_value: 1600, attainment: 1.6 });
        expect((await api.expect(200, 'GET', '/readyz')).status).to.equal('ready');
        expect((await api.expect(200, 'DELETE', '/v1/deals/d-2')).reversed).to.equal(1);
      } finally {
        await running.stop();
      }
    });
  });
});
