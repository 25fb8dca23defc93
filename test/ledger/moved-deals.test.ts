import { expect } from 'chai';
import { type DayRange } from '#src/kernel/day.js';
import { expectSoundLedger, ledgerRows } from '#test/support/ledger-checks.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { workedTiers } from '#test/support/worked-example.js';

const february = { from: '2026-02-01', to: '2026-02-28' };
const april = { from: '2026-04-01', to: '2026-04-30' };

describe('a deal that has moved', () => {
  let workspace: OfflineWorkspace;

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create({ now: '2026-03-20T12:00:00Z' });
  });

  const newBusiness = () =>
    workspace.insert.plan('AE', { rules: [{ name: 'New business', measure: 'amount', tiers: workedTiers }] });

  const quotas = async (repId: string, planId: string, measure: string) => {
    for (const period of ['2026-Q1', '2026-Q2']) await workspace.insert.quota(repId, planId, measure, period, 10_000);
  };

  const move = (dealId: string, repId: string, closeDate: string) =>
    workspace.db.sql(
      'update deals set rep_id = $2, close_date = $3, given = $4 where deal_id = $1',
      dealId,
      repId,
      closeDate,
      JSON.stringify({ repId, closeDate }),
    );

  const request = (repId: string, days: DayRange, dealId: string) =>
    workspace.request([repId], { days, trigger: 'deal_change', dealId });

  /** Only this lane: the test itself runs the lanes that are woken, in the order under test. */
  const run = (repId: string) => workspace.laneRunner().run(workspace.workspaceId, [repId]);

  it('leaves the counters and months of its former date, although only its new days were requested', async () => {
    const ada = await workspace.insert.rep('Ada');
    const plan = await newBusiness();
    await workspace.insert.assignment(ada, plan);
    await quotas(ada, plan, 'New business');
    await workspace.insert.deal('D1', ada);
    await workspace.insert.deal('D2', ada, { amount: 500 });
    await workspace.recalculate();
    await move('D1', ada, '2026-04-15');
    await request(ada, april, 'D1');
    await run(ada);
    await expectSoundLedger(workspace.db.ownerUrl, workspace.workspaceId);
    const counted = await workspace.db.sql('select current_value from quotas order by period');
    expect(counted.map((one) => Number(one['current_value']))).to.deep.equal([500, 1000]);
  });

  it('leaves the manager who counted it under both reps as soon as its former owner is calculated', async () => {
    const [ada, ben, boss] = [
      await workspace.insert.rep('Ada'),
      await workspace.insert.rep('Ben'),
      await workspace.insert.rep('Boss'),
    ];
    const plan = await newBusiness();
    const override = await workspace.insert.overridePlan(0.1);
    await workspace.insert.assignment(boss, override);
    await quotas(boss, override, 'Team');
    for (const repId of [ada, ben]) {
      await workspace.insert.assignment(repId, plan);
      await quotas(repId, plan, 'New business');
    }
    await workspace.insert.reportingLines(boss, ada, ben);
    await workspace.insert.deal('D1', ada);
    await workspace.recalculate();
    await move('D1', ben, '2026-04-15');
    await request(ben, april, 'D1');
    await request(ada, february, 'D1');
    for (const repId of [ben, boss, ada, boss]) await run(repId);
    const paid = await workspace.db.sql('select amount::float from commission_events where rep_id = $1', boss);
    expect(paid).to.deep.equal([{ amount: 8 }]);
    const calculated = await ledgerRows(workspace.db.ownerUrl, workspace.workspaceId);
    await workspace.recalculate();
    expect(calculated).to.deep.equal(await ledgerRows(workspace.db.ownerUrl, workspace.workspaceId));
  });
});
