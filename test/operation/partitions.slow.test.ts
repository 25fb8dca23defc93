import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { dividedTables, divideTable } from '#test/support/divided-tables.js';
import { ledgerRows, query } from '#test/support/ledger-checks.js';
import { Service } from '#test/support/service.js';
import { saveSimpleTerms } from '#test/support/simple-terms.js';
import { until } from '#test/support/until.js';

const deal = { amount: 1000, closeDate: '2026-02-03', ownerId: 'ann' };

/** Everything that belongs to a table, without what only a partitioned one has. */
const properties = `
  select 'column' as kind, attname::text as name, concat(format_type(atttypid, atttypmod), attnotnull, attidentity, attstorage, attstattarget) as text
    from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
  union all select 'constraint', conname, pg_get_constraintdef(oid)
    from pg_constraint where conrelid = $1::regclass and conparentid = 0
  union all select 'reference', conname, conrelid::regclass::text from pg_constraint
    where confrelid = $1::regclass and conparentid = 0
  union all select 'index', i.relname, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')
    from pg_index x join pg_class i on i.oid = x.indexrelid where indrelid = $1::regclass
  union all select 'trigger', tgname, pg_get_triggerdef(oid) from pg_trigger where tgrelid = $1::regclass and not tgisinternal
  union all select 'policy', polname, concat(pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid), polroles)
    from pg_policy where polrelid = $1::regclass
  union all select 'grants', grantee::regrole::text, string_agg(privilege_type, ',' order by privilege_type)
    from pg_class c, aclexplode(c.relacl) where c.oid = $1::regclass group by grantee
  union all select 'column grants', attname, attacl::text from pg_attribute where attrelid = $1::regclass and attacl is not null
  union all select 'security', relname, concat(relrowsecurity, relforcerowsecurity) from pg_class where oid = $1::regclass
  order by 1, 2, 3`;

describe('tables that are partitioned', () => {
  const service = Service.duringSuite({ isAlone: true });
  let api: ApiClient;
  let workspaceId: string;

  before(async () => {
    ({ api, workspaceId } = await service.workspace());
    await saveSimpleTerms(api, ['ann', 'ben', 'cleo']);
    for (const id of ['D-1', 'D-2']) await api.expect(201, 'PUT', `/v1/deals/${id}`, deal);
    await api.expect(200, 'PUT', '/v1/deals/D-2', { ...deal, amount: 500 });
    await service.waitForCalculations(workspaceId);
    // Sealing an entry changes its row.
    await until(async () => {
      const unsealed = 'select from audit_entries where position is null';
      return (await query(service.database.ownerUrl, unsealed)).length === 0;
    });
  });

  for (const divided of dividedTables) {
    const [table, key] = divided;
    it(`${table}, divided by ${key}, keeps its rows and everything that belongs to it`, async function () {
      const { ownerUrl } = service.database;
      const state = async () => ({
        properties: await query(ownerUrl, properties, [table]),
        rows: (await query(ownerUrl, `select t::text as row from ${table} t order by 1`)).map(({ row }) => row),
      });
      const before = await state();
      if (!(await divideTable(service.database.environment.DATABASE_OWNER_URL, divided))) return this.skip();
      const after = await state();
      expect(after.properties).to.deep.equal(before.properties);
      expect(after.rows).to.deep.equal(before.rows).and.not.to.deep.equal([]);
      const parts = await query(ownerUrl, 'select from pg_inherits where inhparent = $1::regclass', [table]);
      expect(parts).to.have.length(4);
    });
  }

  it('serve the same requests', async () => {
    await api.expect(201, 'PUT', '/v1/deals/D-3', deal);
    await api.expect(200, 'PUT', '/v1/deals/D-1', { ...deal, amount: 2000 });
    const statuses = await Promise.all(
      Array.from({ length: 8 }, () => api.put('/v1/deals/D-4', deal).then(({ status }) => status)),
    );
    expect(statuses.toSorted()).to.deep.equal([200, 200, 200, 200, 200, 200, 200, 201]);
    await service.waitForCalculations(workspaceId);
    expect(await ledgerRows(service.database.ownerUrl, workspaceId)).to.have.length(4);
    await api.expect(200, 'DELETE', '/v1/deals/D-2');
    await service.waitForCalculations(workspaceId);
    await service.expectSoundLedger(workspaceId);
    const audit = await api.expect(200, 'GET', '/v1/audit');
    expect(audit.entries).to.have.length.above(3);
  });
});
