import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type pg from 'pg';
import { listCommissionEvents } from '#src/commissions/queries/list-commission-events.js';
import { putDeal } from '#src/deals/commands/put-deal.js';
import { listDealChanges } from '#src/deals/queries/list-deal-changes.js';
import { createAssignments } from '#src/people/assignments/commands/create-assignments.js';
import { upsertReps } from '#src/people/reps/commands/upsert-reps.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { flatRule } from '#test/support/terms.js';
import { useOwnServer } from '#test/support/test-database.js';
import { begin, connectWriters, expectCompleteCopies } from './feed-worlds.js';

const warehousePage = readFileSync(fileURLToPath(new URL('../../../docs/warehouse.md', import.meta.url)), 'utf8');

describe('the feeds of deals and commission events', () => {
  before(useOwnServer);

  let workspace: OfflineWorkspace;
  let writers: pg.Client[] = [];

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create();
  });

  afterEach(async () => {
    for (const client of writers) await client.end();
    writers = [];
  });

  const insertDeal = (dealId: string, amount: number) =>
    workspace.db.sql(
      `insert into deals (workspace_id, deal_id, amount, content_hash) values ($1, $2, $3, gen_random_uuid())
       on conflict (workspace_id, deal_id) do update set amount = excluded.amount`,
      workspace.workspaceId,
      dealId,
      amount,
    );
  const readDeals = (query: object = {}) => workspace.run(listDealChanges, { query });
  const dealIds = (page: { deals: { deal_id: string }[] }) => page.deals.map(({ deal_id }) => deal_id);

  it('a copy is complete, whatever transactions write, delete and roll back meanwhile', async () => {
    writers = await connectWriters(workspace.db.appUrl);
    for (let seed = 1; seed <= 12; seed += 1)
      await expectCompleteCopies(await OfflineWorkspace.in(workspace.db), writers, seed);
  });

  it('a row that a later transaction commits first waits for the earlier one', async () => {
    writers = await connectWriters(workspace.db.appUrl);
    const [early, late] = writers as [pg.Client, pg.Client];
    const insert = (client: pg.Client, dealId: string) =>
      client.query(`insert into deals (workspace_id, deal_id, content_hash) values ($1, $2, gen_random_uuid())`, [
        workspace.workspaceId,
        dealId,
      ]);
    for (const client of [early, late]) await begin(client, workspace.workspaceId);
    await insert(early, 'early');
    await insert(late, 'late');
    await late.query('commit');
    const first = await readDeals();
    expect(dealIds(first)).to.deep.equal([]);
    await early.query('commit');
    const second = await readDeals({ cursor: first.nextCursor });
    expect(dealIds(second)).to.deep.equal(['early', 'late']);
    expect((await readDeals({ cursor: second.nextCursor })).deals).to.deep.equal([]);
  });

  it('a deal that changes between two pages is on a later page, and none is missed', async () => {
    for (const dealId of ['a', 'b', 'c']) await insertDeal(dealId, 1);
    const first = await readDeals({ limit: '1' });
    await insertDeal('b', 2);
    const second = await readDeals({ limit: '1', cursor: first.nextCursor });
    const third = await readDeals({ limit: '1', cursor: second.nextCursor });
    expect([first, second, third].flatMap(dealIds)).to.deep.equal(['a', 'c', 'b']);
    expect(third.more).to.equal(false);
  });

  it('begins again with the cursor of another server, and lists every deletion', async () => {
    await insertDeal('a', 1);
    await insertDeal('b', 1);
    const { nextCursor } = await readDeals();
    await workspace.db.sql(`delete from deals where deal_id = 'b'`);
    const [, ...rest] = JSON.parse(Buffer.from(nextCursor, 'base64url').toString());
    const elsewhere = Buffer.from(JSON.stringify(['1', ...rest])).toString('base64url');
    const page = await readDeals({ cursor: elsewhere });
    expect([dealIds(page), page.deleted]).to.deep.equal([['a'], [{ deal_id: 'b' }]]);
  });

  it('rows that were restored on another server are read after the next migration', async () => {
    await insertDeal('a', 1);
    await workspace.db.sql(
      `begin; set local session_replication_role = replica; update deals set changed_in = '900000000000';
       delete from database_identity; insert into database_identity values (1); commit`,
    );
    expect(dealIds(await readDeals())).to.deep.equal([]);
    await workspace.db.sql('select adopt_database()');
    expect(dealIds(await readDeals())).to.deep.equal(['a']);
    expect(await workspace.db.sql('select system_identifier from pg_control_system()')).to.deep.equal(
      await workspace.db.sql('select system_identifier from database_identity'),
    );
  });

  const { events, deals } = { ...listCommissionEvents.response.shape, ...listDealChanges.response.shape };
  for (const { operation, list, key, description } of [
    { operation: listCommissionEvents, list: 'events', key: 'eventId', description: events.description },
    { operation: listDealChanges, list: 'deals', key: 'deal_id', description: deals.description },
  ])
    it(`a copy of ${operation.id} lacks only new values of the fields that its description and docs/warehouse.md name`, async () => {
      const [ann] = await workspace.addReps('Ann');
      const { planId } = await workspace.addPlan('AE', [flatRule('New', 0.1)]);
      await workspace.run(createAssignments, { body: { repIds: [ann], planId } });
      const body = { amount: 100, stage: 'Closed Won', closeDate: '2026-03-10', repId: ann };
      await workspace.run(putDeal, { params: { dealId: 'd1' }, body: { ...body, name: 'One' } });
      await workspace.insert.row('crm_connections', { provider: 'crma', account_id: 'a', deal_url: 'https://a/{id}' });
      await workspace.db.sql(`update deals set provider = 'crma'`);
      await workspace.calculateAll();
      const first = await workspace.run(operation);
      await workspace.run(upsertReps, { body: { reps: [{ email: 'ann@x.io', name: 'Anna' }] } });
      await workspace.run(putDeal, { params: { dealId: 'd1' }, body: { ...body, name: 'Uno' } });
      await workspace.db.sql(`update plans set name = 'AE 2'`);
      await workspace.db.sql(`update crm_connections set deal_url = 'https://b/{id}'`);
      await workspace.calculateAll();
      const later = await workspace.run(operation, { query: { cursor: first.nextCursor } });
      const copy = new Map([...first[list], ...later[list]].map((row) => [row[key], row]));
      const stale = (await workspace.run(operation))[list].flatMap((row: Record<string, unknown>) =>
        Object.keys(row).filter((name) => JSON.stringify(row[name]) !== JSON.stringify(copy.get(row[key])[name])),
      );
      const named = [...`${description}`.matchAll(/`(\w+)`/g)].map(([, name]) => name);
      expect(named).to.include.members(stale);
      for (const name of named) expect(warehousePage).to.include(`\`${name}\``);
    });

  it('is read as lines, with the cursor in a header', async () => {
    await insertDeal('a', 1);
    const { nextCursor } = await readDeals();
    await insertDeal('b', 1);
    await workspace.db.sql(`delete from deals where deal_id = 'a'`);
    const file = await readDeals({ cursor: nextCursor, format: 'ndjson' });
    const lines = file.body
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line));
    expect(
      lines.map(({ deal_id, deleted }: { deal_id: string; deleted?: boolean }) => [deal_id, deleted]),
    ).to.deep.equal([
      ['b', undefined],
      ['a', true],
    ]);
    expect(file.headers['X-More']).to.equal('false');
    expect(dealIds(await readDeals({ cursor: file.headers['X-Next-Cursor'] }))).to.deep.equal([]);
  });

  for (const operation of [listCommissionEvents, listDealChanges])
    it(`${operation.id} rejects what is not a cursor`, async () => {
      for (const cursor of ['x', Buffer.from('["1",["1","\\u0000"],["1",""],null,"1"]').toString('base64url')])
        await workspace.expectError('VALIDATION_FAILED', 400, operation, { query: { cursor } });
    });
});
