import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import { listCommissionEvents } from '#src/commissions/queries/list-commission-events.js';
import { deleteDeal } from '#src/deals/commands/delete-deal.js';
import { putDeal } from '#src/deals/commands/put-deal.js';
import { setDealLines } from '#src/deals/commands/set-deal-lines.js';
import { listDealChanges } from '#src/deals/queries/list-deal-changes.js';
import { createAssignments } from '#src/people/assignments/commands/create-assignments.js';
import { upsertReps } from '#src/people/reps/commands/upsert-reps.js';
import { listReps } from '#src/people/reps/queries/list-reps.js';
import { setRateTable } from '#src/plans/rate-tables/commands/set-rate-table.js';
import { getRateTable } from '#src/plans/rate-tables/queries/get-rate-table.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { flatRule } from '#test/support/terms.js';
import { createTestDatabase, useOwnServer } from '#test/support/test-database.js';

const page = readFileSync(fileURLToPath(new URL('../../../docs/warehouse.md', import.meta.url)), 'utf8');

describe('the sample schema of a data warehouse', () => {
  before(useOwnServer);

  it('holds what the service has, after a first load and after changes', async () => {
    const workspace = await OfflineWorkspace.create();
    const [ann] = await workspace.addReps('Ann');
    const { planId } = await workspace.addPlan('AE', [flatRule('New', 0.1)]);
    await workspace.run(createAssignments, { body: { repIds: [ann], planId } });
    for (const dealId of ['d1', 'd2', 'd3']) {
      const body = { amount: 100, stage: 'Closed Won', closeDate: '2026-03-10', repId: ann };
      await workspace.run(putDeal, { params: { dealId }, body });
    }
    await workspace.calculateAll();
    await inWarehouse(async (warehouse) => {
      await load(workspace, warehouse);
      const earned = async () =>
        (await warehouse.query('select month::text, rep_id, name, currency, earned from earned_by_month')).rows;
      expect(await earned()).to.deep.equal([
        { month: '2026-03-01', rep_id: ann, name: 'Ann', currency: 'USD', earned: '30' },
      ]);
      await workspace.run(upsertReps, { body: { reps: [{ email: 'ann@x.io', name: 'Anna' }] } });
      await workspace.run(deleteDeal, { params: { dealId: 'd2' } });
      await workspace.calculateAll();
      await load(workspace, warehouse);
      expect((await earned())[0]).to.include({ name: 'Anna', earned: '20' });
      expect(
        (await warehouse.query('select deal_id, deleted_at is not null as deleted from deals order by 1')).rows,
      ).to.deep.equal([
        { deal_id: 'd1', deleted: false },
        { deal_id: 'd2', deleted: true },
        { deal_id: 'd3', deleted: false },
      ]);
    });
  });

  it('holds the lines of deals that count, and what each of them paid', async () => {
    const workspace = await OfflineWorkspace.create();
    const [ann] = await workspace.addReps('Ann');
    const params = { name: 'Products' };
    const keys = [{ name: 'family', field: 'line.family', match: 'exact' }];
    const rows = [{ keys: { family: 'software' }, values: { base: 0.1 } }];
    await workspace.run(setRateTable, { params, body: { keys, columns: [{ name: 'base' }], rows, noMatch: 'zero' } });
    const rule = {
      name: 'New',
      measure: 'line.amount',
      lines: {},
      tiers: [{ tierIndex: 0, minThreshold: 0, table: 'Products' }],
    };
    const { planId } = await workspace.addPlan('AE', [rule]);
    await workspace.run(createAssignments, { body: { repIds: [ann], planId } });
    const put = (lines: readonly object[]) =>
      workspace.run(putDeal, {
        params: { dealId: 'd1' },
        body: { amount: 100, stage: 'Closed Won', closeDate: '2026-03-10', repId: ann, lines },
      });
    const software = { lineId: 'a', family: 'software', amount: 70 };
    await put([software, { lineId: 'b', family: 'services', amount: 30 }]);
    await workspace.calculateAll();
    await inWarehouse(async (warehouse) => {
      const linesOf = async () => {
        await load(workspace, warehouse);
        await warehouse.query('select load_rate_table($1)', [
          JSON.stringify(await workspace.run(getRateTable, { params })),
        ]);
        const { rows: lines } = await warehouse.query(
          `select line_id, family, d.amount::float8 as amount, e.amount::float8 as paid
           from deal_lines d join event_lines e using (line_id) order by 1`,
        );
        return lines;
      };
      expect(await linesOf()).to.deep.equal([
        { line_id: 'a', family: 'software', amount: 70, paid: 7 },
        { line_id: 'b', family: 'services', amount: 30, paid: 0 },
      ]);
      expect((await warehouse.query('select "values" from rate_table_rows')).rows).to.deep.equal([
        { values: { base: 0.1 } },
      ]);
      await workspace.run(setDealLines, { params: { dealId: 'd1' }, body: { lines: [{ ...software, amount: 80 }] } });
      await workspace.calculateAll();
      expect(await linesOf()).to.deep.equal([{ line_id: 'a', family: 'software', amount: 80, paid: 8 }]);
    });
  });
});

/** A database with the sample schema, which is removed afterwards. */
async function inWarehouse(work: (warehouse: pg.Client) => Promise<void>): Promise<void> {
  const database = await createTestDatabase();
  const warehouse = new pg.Client({ connectionString: database.ownerUrl });
  await warehouse.connect();
  try {
    await warehouse.query(/```sql\n([\s\S]*?)```/.exec(page)?.[1] ?? '');
    await work(warehouse);
  } finally {
    await warehouse.end();
    await database.drop();
  }
}

async function load(workspace: OfflineWorkspace, warehouse: pg.Client): Promise<void> {
  await warehouse.query('select load_people($1)', [JSON.stringify(await workspace.run(listReps))]);
  for (const [feed, operation, into] of [
    ['deal-changes', listDealChanges, 'load_deals'],
    ['commission-events', listCommissionEvents, 'load_events'],
  ] as const) {
    const { rows } = await warehouse.query('select cursor from feed_cursors where feed = $1', [feed]);
    for (let cursor: string | undefined = rows[0]?.cursor, more = 'true'; more === 'true'; ) {
      const { body, headers } = await workspace.run(operation, { query: { limit: '2', format: 'ndjson', cursor } });
      cursor = headers['X-Next-Cursor'];
      more = headers['X-More'];
      await warehouse.query(`select ${into}($1, $2)`, [`[${body.trim().split('\n').join(',')}]`, cursor]);
    }
  }
}
