import { expect } from 'chai';
import { sql } from 'kysely';
import { allDays, type DayRange } from '#src/kernel/day.js';
import { type Trigger } from '#src/ledger/requests/calculation-requests.js';
import { expectSoundLedger } from '#test/support/ledger-checks.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { expectProportional, type StatementWork, statementWork } from '#test/support/statement-work.js';
import { workedTiers } from '#test/support/worked-example.js';

const few = 250;
const many = 4 * few;
/** Statements that process fewer rows have a constant cost. */
const minRows = 2000;
const ledgerTables = [
  'deals',
  'commission_events',
  'commission_event_history',
  'quotas',
  'rep_months',
  'lanes',
  'calculation_requests',
];

describe('the statements of a calculation, on tables that were never analyzed', () => {
  let workspace: OfflineWorkspace;
  let planId: string;

  before(async () => {
    workspace = await OfflineWorkspace.create({ now: '2026-03-20T12:00:00Z' });
    for (const table of ledgerTables)
      await sql`alter table ${sql.table(table)} set (autovacuum_enabled = off)`.execute(workspace.db.owner);
    const rules = ['New business', 'Accelerator'].map((name) => ({ name, measure: 'amount', tiers: workedTiers }));
    planId = await workspace.insert.plan('AE', { rules });
    const others = await Promise.all(Array.from({ length: 20 }, () => rep()));
    for (const repId of others) await addDeals(repId, 100);
    for (const repId of others) await calculate(repId, allDays);
  });

  async function rep(): Promise<string> {
    const repId = await workspace.insert.rep('Ada');
    await workspace.insert.assignment(repId, planId);
    for (const quarter of [1, 2, 3, 4])
      for (const measure of ['New business', 'Accelerator'])
        await workspace.insert.quota(repId, planId, measure, `2026-Q${quarter}`, 50_000);
    return repId;
  }

  const addDeals = (repId: string, count: number) => workspace.insert.deals(repId, count, { amount: 1000 });

  const changeDeals = (repIds: string | readonly string[], change: ReturnType<typeof sql>) =>
    sql`update deals set ${change} where rep_id = any(${[repIds].flat()}::uuid[])`.execute(workspace.db.owner);

  async function calculate(
    repIds: string | readonly string[],
    days: DayRange,
    trigger: Trigger = 'recalculation',
  ): Promise<void> {
    const lanes = [repIds].flat();
    await workspace.request(lanes, { days, trigger });
    const { runs } = await workspace.calculate(lanes, { wait: true });
    expect(runs.map(({ state }) => state)).to.deep.equal(lanes.map(() => 'ran'));
  }

  async function changesOf(deals: number): Promise<ReadonlyMap<string, StatementWork>> {
    const repId = await rep();
    await addDeals(repId, deals);
    const works = new Map<string, StatementWork>();
    const measured = async (name: string, days: DayRange) =>
      works.set(name, await statementWork(() => calculate(repId, days)));
    await measured('the first calculation', allDays);
    await changeDeals(repId, sql`amount = 2000`);
    await measured('changed amounts', allDays);
    await changeDeals(repId, sql`close_date = date '2025-07-01' + (close_date - date '2026-01-01') % 60`);
    await measured('deals that moved to another quarter', { from: '2025-07-01', to: '2025-09-30' });
    await expectSoundLedger(workspace.db.ownerUrl, workspace.workspaceId);
    await changeDeals(repId, sql`deleted_at = now()`);
    await measured('deleted deals', allDays);
    await changeDeals(repId, sql`deleted_at = null`);
    await measured('restored deals', allDays);
    await expectSoundLedger(workspace.db.ownerUrl, workspace.workspaceId);
    return works;
  }

  /** A batch of reps with five deals each. */
  async function changesOfBatch(reps: number): Promise<ReadonlyMap<string, StatementWork>> {
    const repIds = await Promise.all(Array.from({ length: reps }, () => rep()));
    for (const repId of repIds) await addDeals(repId, 5);
    const works = new Map<string, StatementWork>();
    works.set('the first calculation', await statementWork(() => calculate(repIds, allDays)));
    await changeDeals(repIds, sql`amount = 2000`);
    works.set('changed amounts', await statementWork(() => calculate(repIds, allDays)));
    await changeDeals(repIds, sql`amount = 3000`);
    works.set(
      'changed deals',
      await statementWork(() => calculate(repIds, { from: '2026-01-02', to: '2026-12-31' }, 'deal_change')),
    );
    await expectSoundLedger(workspace.db.ownerUrl, workspace.workspaceId);
    return works;
  }

  it('process rows in proportion to the deals of the rep', async () => {
    expectMeasured(await changesOf(few), await changesOf(many));
  });

  it('process rows in proportion to the reps of a batch', async () => {
    expectMeasured(await changesOfBatch(10), await changesOfBatch(40));
  });

  it('process few rows for one changed deal of a rep with many', async () => {
    const repId = await rep();
    await addDeals(repId, 4 * many);
    await calculate(repId, allDays);
    const last = { from: '2026-03-31', to: '2026-03-31' };
    await sql`update deals set amount = 3000 where rep_id = ${repId} and close_date = ${last.from}`.execute(
      workspace.db.owner,
    );
    const work = await statementWork(() => calculate(repId, last, 'deal_change'));
    expect([...work].filter(([, rows]) => rows > minRows)).to.deep.equal([]);
    await expectSoundLedger(workspace.db.ownerUrl, workspace.workspaceId);
  });

  type Works = ReadonlyMap<string, StatementWork>;
  function expectMeasured(small: Works, large: Works): void {
    const grown = expectProportional(small, large, minRows);
    const measured = grown.filter(({ rows }) => rows >= 200);
    expect(measured, 'statements that were measured').to.have.length.above(10);
  }
});
