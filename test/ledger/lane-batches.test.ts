import { expect } from 'chai';
import { sql } from 'kysely';
import { allDays } from '#src/kernel/day.js';
import { calculateLanes } from '#src/ledger/calculate-lanes.js';
import { requestCalculation } from '#src/ledger/calculation-requests.js';
import { laneBatches } from '#src/ledger/lane-batches.js';
import { LaneRunner, TimeSlice } from '#src/ledger/lane-runner.js';
import { type Work } from '#src/platform/database/unit-of-work.js';
import { createLog } from '#src/platform/log.js';
import { expectSoundLedger } from '#test/support/ledger-checks.js';
import { workedTiers } from '#test/support/worked-example.js';
import { WorkspaceFixture } from '#test/support/workspace-fixture.js';

const tiers = [{ tierIndex: 0, minThreshold: 0, rate: 0.01 }];

describe('a batch of lanes', function () {
  this.timeout(60_000);
  let world: WorkspaceFixture;
  let runner: LaneRunner;
  let woken: string[];

  beforeEach(async () => {
    world = await WorkspaceFixture.create();
    woken = [];
    const { unitOfWork } = world.slice;
    const wake = async (_workspaceId: string, repIds: readonly string[]) => void woken.push(...repIds);
    runner = new LaneRunner(unitOfWork, { now: () => world.slice.now }, wake, createLog('silent'));
  });

  const write = <T>(work: (trx: Work) => Promise<T>) =>
    world.slice.unitOfWork.run(world.admin, { lock: 'none', access: 'write' }, work);

  const request = (...repIds: readonly string[]) =>
    write((trx) =>
      requestCalculation(
        trx,
        world.workspaceId,
        repIds.map((repId) => ({ repId, days: allDays, trigger: 'recalculation' as const })),
      ),
    );

  const calculate = (...repIds: readonly string[]) =>
    calculateLanes(
      { unitOfWork: world.slice.unitOfWork, clock: { now: () => world.slice.now } },
      world.workspaceId,
      repIds,
      { wait: false },
    );

  const newBusiness = () =>
    world.plan('AE', { rules: [{ name: 'New business', measure: 'amount', tiers: workedTiers }] });

  async function reps(count: number, planId: string): Promise<string[]> {
    const repIds: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const repId = await world.rep(`Rep ${index}`);
      await world.assign(repId, planId);
      await world.quota(repId, planId, 'New business', '2026-Q1', 10_000);
      repIds.push(repId);
    }
    return repIds;
  }

  async function addDeals(repId: string, count: number, days = 60): Promise<void> {
    await sql`
      insert into deals (workspace_id, deal_id, rep_id, name, amount, close_date, is_closed, is_won, fields, given, content_hash)
      select ${world.workspaceId}, ${repId} || n, ${repId}, 'Deal', 10, date '2026-01-01' + n % ${days}::int, true, true, '{}',
        '{}', md5(n::text)::uuid
      from generate_series(1, ${count}::int) n`.execute(world.slice.owner);
  }

  async function report(repId: string, managerId: string): Promise<void> {
    await world.slice.owner
      .insertInto('reporting_lines')
      .values({
        workspace_id: world.workspaceId,
        rep_id: repId,
        from_day: '1900-01-01',
        to_day: null,
        manager_id: managerId,
      })
      .execute();
  }

  async function paid(repId: string): Promise<{ events: number; amount: number }> {
    const { rows } = await sql<{ events: number; amount: number }>`
      select count(*)::int as events, coalesce(sum(amount), 0)::float as amount from commission_events
      where rep_id = ${repId} and status = 'earned'`.execute(world.slice.owner);
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
    const audit = await world.slice.owner
      .selectFrom('audit_runs')
      .select(['rep_id', 'events_written', 'deals'])
      .execute();
    expect(audit).to.have.deep.members([
      { rep_id: ada, events_written: 3, deals: 3 },
      { rep_id: ben, events_written: 5, deals: 5 },
    ]);
    await expectSoundLedger(world.slice.ownerUrl, world.workspaceId);
  });

  it('leaves a rep whose lane is held to the holder', async () => {
    const [ada, ben] = (await reps(2, await newBusiness())) as [string, string];
    await request(ada, ben);
    await world.slice.owner.transaction().execute(async (holder) => {
      await sql`select from lanes where rep_id = ${ada} for update`.execute(holder);
      const { runs } = await calculate(ada, ben);
      expect(runs.map(({ repId, state }) => [repId, state])).to.have.deep.members([
        [ben, 'ran'],
        [ada, 'busy'],
      ]);
    });
    expect((await world.slice.requests(world.workspaceId)).map((row) => row.rep_id)).to.deep.equal([ada]);
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
      end $$`.execute(world.slice.owner);
    await sql`create trigger reject_rep after insert on commission_events referencing new table as new_rows
      for each statement execute function reject_rep()`.execute(world.slice.owner);
    await request(...repIds);
    await runner.run(world.workspaceId, repIds);
    await sql`drop function reject_rep() cascade`.execute(world.slice.owner);
    const events = await Promise.all(repIds.map(async (repId) => (await paid(repId)).events));
    expect(events).to.deep.equal([2, 2, 2, 0, 2]);
    const failed = await world.slice.owner.selectFrom('lanes').select('rep_id').where('attempts', '>', 0).execute();
    expect(failed).to.deep.equal([{ rep_id: failing }]);
    expect((await world.slice.requests(world.workspaceId)).map((row) => row.rep_id)).to.deep.equal([failing]);
    await expectSoundLedger(world.slice.ownerUrl, world.workspaceId);
  });

  it('has at most some thousand deals, and managers come after the reps below', async () => {
    const [ada, ben, eve, mia, top] = (await reps(5, await newBusiness())) as [string, string, string, string, string];
    const override = await world.plan('Override', {
      rules: [{ name: 'Team', measure: 'amount', executionPhase: 'cascade', tiers }],
    });
    for (const managerId of [mia, top]) await world.assign(managerId, override);
    for (const repId of [ada, ben, eve]) {
      await addDeals(repId, 1500);
      await report(repId, mia);
    }
    await report(mia, top);
    await request(top, mia, eve, ben, ada);
    const batches = await write((trx) => laneBatches(trx, world.workspaceId, [top, mia, eve, ben, ada]));
    expect(batches).to.deep.equal([[eve, ben], [ada], [mia], [top]]);
    await runner.run(world.workspaceId, [top, mia, eve, ben, ada], new TimeSlice(undefined, Number.POSITIVE_INFINITY));
    expect([await paid(mia), await paid(top)]).to.deep.equal([
      { events: 4500, amount: 52.53 },
      { events: 4500, amount: 52.53 },
    ]);
    const runs = await world.slice.owner.selectFrom('audit_runs').select('rep_id').execute();
    expect(runs, 'one calculation for each rep').to.have.length(5);
  });
});
