import { expect } from 'chai';
import { sql } from 'kysely';
import { selectLanesToCalculate } from '#src/ledger/lanes/lane-freshness.js';
import { expectSoundLedger } from '#test/support/ledger-checks.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { workedTiers } from '#test/support/worked-example.js';

const deals = 400;
const maxDeals = 150;
const quarters = ['2026-Q1', '2026-Q2', '2026-Q3', '2026-Q4'];

describe('a rep with more deals than one transaction calculates', () => {
  let workspace: OfflineWorkspace;
  let ada: string;

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create({ now: '2026-03-20T12:00:00Z' });
    ada = await repWithDeals(workspace, deals);
    await request(workspace, ada);
  });

  async function repWithDeals(of: OfflineWorkspace, count: number): Promise<string> {
    const planId = await of.insert.plan('AE', {
      rules: [{ name: 'New business', measure: 'amount', tiers: workedTiers }],
    });
    const repId = await of.insert.rep('Ada');
    await of.insert.assignment(repId, planId);
    for (const quarter of quarters) await of.insert.quota(repId, planId, 'New business', quarter, 10_000);
    await of.insert.deals(repId, count);
    return repId;
  }

  const request = (of: OfflineWorkspace, repId: string) => of.request([repId]);
  const calculate = (of: OfflineWorkspace, repId: string) => of.calculate([repId], { maxDeals });

  async function paidPeriods(of: OfflineWorkspace = workspace): Promise<string[]> {
    const { rows } = await sql<{ period: string }>`
      select distinct period from commission_events where workspace_id = ${of.workspaceId} and status = 'earned'
      order by period`.execute(of.db.owner);
    return rows.map(({ period }) => period);
  }

  const requests = () => workspace.requests();
  const freshReps = () =>
    workspace.db.unitOfWork.run(workspace.admin, { lock: 'none', access: 'read' }, async (tx) =>
      (await selectLanesToCalculate(tx, null, '2026-12-31')).map(({ freshCounts }) => freshCounts),
    );

  it('is calculated one attainment period per transaction, each of which leaves a sound ledger', async () => {
    for (const [index] of quarters.entries()) {
      await calculate(workspace, ada);
      expect(await paidPeriods()).to.deep.equal(quarters.slice(0, index + 1));
      await expectSoundLedger(workspace.db.ownerUrl, workspace.workspaceId);
      const remaining = ['2026-04-01', '2026-07-01', '2026-10-01', null][index];
      expect((await requests()).map((row) => row.from_day)).to.deep.equal(remaining === null ? [] : [remaining]);
    }
  });

  it('blocks neither changes of the configuration nor the calculations of another workspace between two periods', async () => {
    await calculate(workspace, ada);
    await workspace.db.unitOfWork.run(workspace.admin, { lock: 'exclusive', access: 'write' }, (tx) =>
      tx.db.updateTable('reps').set({ role: 'manager' }).where('rep_id', '=', ada).execute(),
    );
    const other = await OfflineWorkspace.in(workspace.db);
    const eve = await repWithDeals(other, 10);
    await request(other, eve);
    await calculate(other, eve);
    expect(await paidPeriods(other)).to.include('2026-Q1');
    expect(await paidPeriods()).to.deep.equal(['2026-Q1']);
    for (let part = 0; part < 3; part += 1) await calculate(workspace, ada);
    expect(await paidPeriods()).to.deep.equal(quarters);
  });

  it('keeps the calculated periods when a later one fails, and continues there', async () => {
    await calculate(workspace, ada);
    await sql`create function reject_events() returns trigger language plpgsql as $$ begin raise 'rejected'; end $$`.execute(
      workspace.db.owner,
    );
    await sql`create trigger reject_events after insert on commission_events for each statement execute function reject_events()`.execute(
      workspace.db.owner,
    );
    await workspace.laneRunner({ maxDeals }).run(workspace.workspaceId, [ada]);
    await sql`drop function reject_events() cascade`.execute(workspace.db.owner);
    expect(await paidPeriods()).to.deep.equal(['2026-Q1']);
    expect((await requests()).map((row) => row.from_day)).to.deep.equal(['2026-04-01']);
    await expectSoundLedger(workspace.db.ownerUrl, workspace.workspaceId);
    for (let part = 0; part < 3; part += 1) await calculate(workspace, ada);
    expect(await paidPeriods()).to.deep.equal(quarters);
    await expectSoundLedger(workspace.db.ownerUrl, workspace.workspaceId);
  });

  it('returns to the queue for its remaining days', async () => {
    await workspace.laneRunner({ maxDeals }).run(workspace.workspaceId, [ada]);
    expect(workspace.db.woken).to.deep.equal([ada]);
  });

  it('is skipped by the next recalculation once its last period is calculated', async () => {
    for (const _ of quarters) {
      expect(await freshReps()).to.deep.equal([null]);
      await calculate(workspace, ada);
    }
    expect(await freshReps()).to.deep.equal([{ deals, skipped: 0 }]);
  });

  it('is not skipped when a calculated period was requested again before the last', async () => {
    await calculate(workspace, ada);
    const days = { from: '2026-02-01', to: '2026-02-01' };
    await workspace.request([ada], { days, trigger: 'deal_change' });
    for (const _ of quarters) await calculate(workspace, ada);
    expect(await requests()).to.deep.equal([]);
    expect(await freshReps()).to.deep.equal([null]);
    await expectSoundLedger(workspace.db.ownerUrl, workspace.workspaceId);
  });
});
