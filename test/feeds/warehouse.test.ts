import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import { listCommissionEvents } from '#src/commissions/queries/list-commission-events.js';
import { deleteDeal } from '#src/deals/commands/delete-deal.js';
import { putDeal } from '#src/deals/commands/put-deal.js';
import { listDealChanges } from '#src/deals/queries/list-deal-changes.js';
import { createAssignments } from '#src/people/assignments/commands/create-assignments.js';
import { upsertReps } from '#src/people/reps/commands/upsert-reps.js';
import { listReps } from '#src/people/reps/queries/list-reps.js';
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
    const database = await createTestDatabase();
    const warehouse = new pg.Client({ connectionString: database.ownerUrl });
    await warehouse.connect();
    try {
      await warehouse.query(/```sql\n([\s\S]*?)```/.exec(page)?.[1] ?? '');
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
    } finally {
      await warehouse.end();
      await database.drop();
    }
  });
});

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
