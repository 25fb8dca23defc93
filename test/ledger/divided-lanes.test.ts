import { expect } from 'chai';
import { sql } from 'kysely';
import { lanesToCalculate } from '#src/ledger/lane-freshness.js';
import { expectSoundLedger } from '#test/support/ledger-checks.js';
import { workedTiers } from '#test/support/worked-example.js';
import { WorkspaceFixture } from '#test/support/workspace-fixture.js';

const deals = 400;
const maxDeals = 150;
const quarters = ['2026-Q1', '2026-Q2', '2026-Q3', '2026-Q4'];

describe('a rep with more deals than one transaction calculates', () => {
  let world: WorkspaceFixture;
  let ada: string;

  beforeEach(async () => {
    world = await WorkspaceFixture.create();
    ada = await repWithDeals(world, deals);
    await request(world, ada);
  });

  async function repWithDeals(of: WorkspaceFixture, count: number): Promise<string> {
    const planId = await of.plan('AE', { rules: [{ name: 'New business', measure: 'amount', tiers: workedTiers }] });
    const repId = await of.rep('Ada');
    await of.assign(repId, planId);
    for (const quarter of quarters) await of.quota(repId, planId, 'New business', quarter, 10_000);
    await of.deals(repId, count);
    return repId;
  }

  const request = (of: WorkspaceFixture, repId: string) => of.slice.request(of.workspaceId, [repId]);
  const calculate = (of: WorkspaceFixture, repId: string) => of.slice.calculate(of.workspaceId, [repId], { maxDeals });

  async function paidPeriods(of: WorkspaceFixture = world): Promise<string[]> {
    const { rows } = await sql<{ period: string }>`
      select distinct period from commission_events where workspace_id = ${of.workspaceId} and status = 'earned'
      order by period`.execute(of.slice.owner);
    return rows.map(({ period }) => period);
  }

  const requests = () => world.slice.requests(world.workspaceId);
  const freshReps = () =>
    world.slice.unitOfWork.run(world.admin, { lock: 'none', access: 'read' }, async (trx) =>
      (await lanesToCalculate(trx, world.workspaceId, null, '2026-12-31')).map(({ freshCounts }) => freshCounts),
    );

  it('is calculated one attainment period per transaction, each of which leaves a sound ledger', async () => {
    for (const [index] of quarters.entries()) {
      await calculate(world, ada);
      expect(await paidPeriods()).to.deep.equal(quarters.slice(0, index + 1));
      await expectSoundLedger(world.slice.ownerUrl, world.workspaceId);
      const remaining = ['2026-04-01', '2026-07-01', '2026-10-01', null][index];
      expect((await requests()).map((row) => row.from_day)).to.deep.equal(remaining === null ? [] : [remaining]);
    }
  });

  it('blocks neither changes of the configuration nor the calculations of another workspace between two periods', async () => {
    await calculate(world, ada);
    await world.slice.unitOfWork.run(world.admin, { lock: 'exclusive', access: 'write' }, (trx) =>
      trx.updateTable('reps').set({ role: 'manager' }).where('rep_id', '=', ada).execute(),
    );
    const other = await world.another();
    const eve = await repWithDeals(other, 10);
    await request(other, eve);
    await calculate(other, eve);
    expect(await paidPeriods(other)).to.include('2026-Q1');
    expect(await paidPeriods()).to.deep.equal(['2026-Q1']);
    for (let part = 0; part < 3; part += 1) await calculate(world, ada);
    expect(await paidPeriods()).to.deep.equal(quarters);
  });

  it('keeps the calculated periods when a later one fails, and continues there', async () => {
    await calculate(world, ada);
    await sql`create function reject_events() returns trigger language plpgsql as $$ begin raise 'rejected'; end $$`.execute(
      world.slice.owner,
    );
    await sql`create trigger reject_events after insert on commission_events for each statement execute function reject_events()`.execute(
      world.slice.owner,
    );
    await world.slice.laneRunner({ maxDeals }).run(world.workspaceId, [ada]);
    await sql`drop function reject_events() cascade`.execute(world.slice.owner);
    expect(await paidPeriods()).to.deep.equal(['2026-Q1']);
    expect((await requests()).map((row) => row.from_day)).to.deep.equal(['2026-04-01']);
    await expectSoundLedger(world.slice.ownerUrl, world.workspaceId);
    for (let part = 0; part < 3; part += 1) await calculate(world, ada);
    expect(await paidPeriods()).to.deep.equal(quarters);
    await expectSoundLedger(world.slice.ownerUrl, world.workspaceId);
  });

  it('returns to the queue for its remaining days', async () => {
    await world.slice.laneRunner({ maxDeals }).run(world.workspaceId, [ada]);
    expect(world.slice.woken).to.deep.equal([ada]);
  });

  it('is skipped by the next recalculation once its last period is calculated', async () => {
    for (const _ of quarters) {
      expect(await freshReps()).to.deep.equal([null]);
      await calculate(world, ada);
    }
    expect(await freshReps()).to.deep.equal([{ deals, skipped: 0 }]);
  });

  it('is not skipped when a calculated period was requested again before the last', async () => {
    await calculate(world, ada);
    const days = { from: '2026-02-01', to: '2026-02-01' };
    await world.slice.request(world.workspaceId, [ada], { days, trigger: 'deal_change' });
    for (const _ of quarters) await calculate(world, ada);
    expect(await requests()).to.deep.equal([]);
    expect(await freshReps()).to.deep.equal([null]);
    await expectSoundLedger(world.slice.ownerUrl, world.workspaceId);
  });
});
