import { expect } from 'chai';
import { sql } from 'kysely';
import { buildLaneBatches } from '#src/ledger/lanes/lane-batches.js';
import { TimeSlice } from '#src/ledger/lanes/lane-runner.js';
import { expectSoundLedger } from '#test/support/ledger-checks.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { workedTiers } from '#test/support/worked-example.js';

describe('a batch of lanes', () => {
  let workspace: OfflineWorkspace;

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create({ now: '2026-03-20T12:00:00Z' });
  });

  const request = (...repIds: readonly string[]) => workspace.request(repIds);
  const calculate = (...repIds: readonly string[]) => workspace.calculate(repIds);

  const newBusiness = () =>
    workspace.insert.plan('AE', { rules: [{ name: 'New business', measure: 'amount', tiers: workedTiers }] });

  async function reps(count: number, planId: string): Promise<string[]> {
    const repIds: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const repId = await workspace.insert.rep(`Rep ${index}`);
      await workspace.insert.assignment(repId, planId);
      await workspace.insert.quota(repId, planId, 'New business', '2026-Q1', 10_000);
      repIds.push(repId);
    }
    return repIds;
  }

  const addDeals = (repId: string, count: number, amount = 10) =>
    workspace.insert.deals(repId, count, { amount, spacing: 1, days: 60 });

  async function paid(repId: string): Promise<{ events: number; amount: number }> {
    const { rows } = await sql<{ events: number; amount: number }>`
      select count(*)::int as events, coalesce(sum(amount), 0)::float as amount from commission_events
      where rep_id = ${repId} and status = 'earned'`.execute(workspace.db.owner);
    return rows[0] as { events: number; amount: number };
  }

  it('writes the events, totals and one audit row of each rep, and leaves the others unchanged', async () => {
    const planId = await newBusiness();
    const [ada, ben, eve] = (await reps(3, planId)) as [string, string, string];
    for (const [repId, count] of [
      [ada, 3],
      [ben, 5],
      [eve, 7],
    ] as const)
      await addDeals(repId, count);
    await request(ada, ben);
    const { runs } = await calculate(ada, ben, eve);
    expect(new Map(runs.map(({ repId, state }) => [repId, state]))).to.deep.equal(
      new Map([
        [ada, 'ran'],
        [ben, 'ran'],
        [eve, 'idle'],
      ]),
    );
    expect([await paid(ada), await paid(ben), await paid(eve)]).to.deep.equal([
      { events: 3, amount: 2.4 },
      { events: 5, amount: 4 },
      { events: 0, amount: 0 },
    ]);
    expect(await workspace.db.sql('select rep_id, events_written, deals from audit_runs')).to.have.deep.members([
      { rep_id: ada, events_written: 3, deals: 3 },
      { rep_id: ben, events_written: 5, deals: 5 },
    ]);
    await expectSoundLedger(workspace.db.ownerUrl, workspace.workspaceId);
  });

  it('leaves a rep whose lane is held to the holder', async () => {
    const [ada, ben] = (await reps(2, await newBusiness())) as [string, string];
    await request(ada, ben);
    await workspace.db.owner.transaction().execute(async (holder) => {
      await sql`select from lanes where rep_id = ${ada} for update`.execute(holder);
      const { runs } = await calculate(ada, ben);
      expect(runs.map(({ repId, state }) => [repId, state])).to.have.deep.members([
        [ben, 'ran'],
        [ada, 'busy'],
      ]);
    });
    expect((await workspace.requests()).map((row) => row.rep_id)).to.deep.equal([ada]);
  });

  it('in which one rep fails is calculated for the others, and only the failed lane counts a failure', async () => {
    const repIds = await reps(5, await newBusiness());
    const failing = repIds[3] as string;
    for (const repId of repIds) await addDeals(repId, 2);
    await sql`
      create function reject_rep() returns trigger language plpgsql as $$
      begin
        if exists (select from new_rows where rep_id = ${sql.lit(failing)}) then raise exception 'rejected'; end if;
        return null;
      end $$`.execute(workspace.db.owner);
    await sql`create trigger reject_rep after insert on commission_events referencing new table as new_rows
      for each statement execute function reject_rep()`.execute(workspace.db.owner);
    await request(...repIds);
    await workspace.laneRunner().run(workspace.workspaceId, repIds);
    await sql`drop function reject_rep() cascade`.execute(workspace.db.owner);
    const events = await Promise.all(repIds.map(async (repId) => (await paid(repId)).events));
    expect(events).to.deep.equal([2, 2, 2, 0, 2]);
    const failed = await workspace.db.sql('select rep_id from lanes where attempts > 0');
    expect(failed).to.deep.equal([{ rep_id: failing }]);
    expect((await workspace.requests()).map((row) => row.rep_id)).to.deep.equal([failing]);
    await expectSoundLedger(workspace.db.ownerUrl, workspace.workspaceId);
  });

  it('has at most a thousand deals, and managers come after the reps below', async () => {
    const [ada, ben, eve, mia, top] = (await reps(5, await newBusiness())) as [string, string, string, string, string];
    const override = await workspace.insert.overridePlan(0.01);
    for (const managerId of [mia, top]) await workspace.insert.assignment(managerId, override);
    for (const repId of [ada, ben, eve]) await addDeals(repId, 400, 37.5);
    await workspace.insert.reportingLines(mia, ada, ben, eve);
    await workspace.insert.reportingLines(top, mia);
    await request(top, mia, eve, ben, ada);
    const { unitOfWork } = workspace.db;
    const batches = await unitOfWork.run(workspace.admin, { lock: 'none', access: 'read' }, (tx) =>
      buildLaneBatches(tx, [top, mia, eve, ben, ada]),
    );
    expect(batches).to.deep.equal([[eve, ben], [ada], [mia], [top]]);
    const unlimited = new TimeSlice(undefined, Number.POSITIVE_INFINITY);
    await workspace.laneRunner().run(workspace.workspaceId, [top, mia, eve, ben, ada], unlimited);
    expect([await paid(mia), await paid(top)]).to.deep.equal([
      { events: 1200, amount: 46.05 },
      { events: 1200, amount: 46.05 },
    ]);
    const runs = await workspace.db.sql('select from audit_runs');
    expect(runs, 'one calculation for each rep').to.have.length(5);
  });
});
