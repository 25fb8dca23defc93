import { expect } from 'chai';
import { ledgerRows } from '#test/support/ledger-checks.js';
import {
  importPath,
  readPipeline,
  type SalesTeams,
  saveMapping,
  savePlans,
  saveTeams,
} from '#test/support/sales-opportunities.js';
import { Service } from '#test/support/service.js';
import { type Workspace } from '#test/support/workspace.js';

describe('the commission on 8,800 real opportunities', () => {
  const service = Service.duringSuite({ isAlone: true });
  let world: Workspace;
  let teams: SalesTeams;

  before(async () => {
    world = await service.workspace();
    teams = await saveTeams(world.api);
    await saveMapping(world.api);
    await savePlans(world.api, teams);
    const imported = await world.api.expect(200, 'POST', importPath, await readPipeline(), {
      'Content-Type': 'text/csv',
    });
    expect(imported).to.deep.include({ accepted: 8800, unchanged: 0, stale: 0, rejected: [] });
    await service.waitForCalculations(world.workspaceId);
  });

  const sums = () =>
    service.sql<{ rule_name: string; events: number; total: string }>(
      `
    select rule_name, count(*)::int as events, sum(amount)::numeric(20, 2)::text as total from commission_events
    where workspace_id = $1 and status = 'earned' group by rule_name order by rule_name`,
      world.workspaceId,
    );

  it('equals an independent implementation for each rule', async () => {
    expect(await sums()).to.deep.equal([
      { rule_name: 'GTK kicker', events: 15, total: '3750.00' },
      { rule_name: 'New business', events: 4238, total: '737996.10' },
      { rule_name: 'Team override', events: 4238, total: '59339.08' },
    ]);
  });

  it('is returned for the team and the best rep through the API', async () => {
    const overview = await world.api.expect(200, 'GET', '/v1/commissions?period=2017');
    expect(overview.totals.total).to.equal(801_085.18);
    const darcel = await world.api.expect(
      200,
      'GET',
      `/v1/commissions?repId=${teams.repIdByName.get('Darcel Schlecht')}&period=2017`,
    );
    expect(darcel.earnings.total).to.equal(123_465.17);
  });

  it('has a consistent history, counters and totals', () => service.expectSoundLedger(world.workspaceId));

  it('does not change in a second recalculation', async () => {
    const count = () =>
      service.sql(
        `select (select count(*) from commission_event_history) as history, (select sum(revision) from commission_events) as revisions`,
      );
    const before = await count();
    const answer = await world.api.expect(200, 'POST', '/v1/commissions/recalculate', {});
    expect(answer).to.deep.include({ triggered: true, eventsWritten: 0, eventsReversed: 0, scope: 'workspace' });
    expect(await count()).to.deep.equal(before);
  });

  it('does not change when the same file is imported again', async () => {
    const again = await world.api.expect(200, 'POST', importPath, await readPipeline(), { 'Content-Type': 'text/csv' });
    expect(again).to.deep.include({ accepted: 0, unchanged: 8800, stale: 0 });
  });

  it('is the same with the rows of the file in reverse order', async () => {
    const rows = await ledgerRows(service.database.ownerUrl, world.workspaceId);
    const other = await service.workspace();
    const otherTeams = await saveTeams(other.api);
    await saveMapping(other.api);
    const [header, ...lines] = (await readPipeline()).trim().split(/\r?\n/);
    const reversed = [header, ...lines.reverse()].join('\n');
    await other.api.expect(200, 'POST', importPath, reversed, { 'Content-Type': 'text/csv' });
    await savePlans(other.api, otherTeams);
    await service.waitForCalculations(other.workspaceId);
    expect(await ledgerRows(service.database.ownerUrl, other.workspaceId)).to.deep.equal(rows);
  });

  it('moves by the previewed amount when the rates of the plan change', async () => {
    const { api, workspaceId } = world;
    const [plan] = await api.expect(200, 'GET', '/v1/plans');
    const config = JSON.parse(JSON.stringify(plan.config).replaceAll('"rate":0.06', '"rate":0.07'));
    const days = { from: '2016-01-01', to: '2018-12-31' };
    const { delta, count } = await api.expect(200, 'POST', `/v1/plans/${plan.planId}/preview`, { config, ...days });
    expect(count).to.be.greaterThan(1000);
    const totalOf = (rows: Awaited<ReturnType<typeof sums>>) =>
      rows.reduce((total, { total: ofRule }) => total + Math.round(Number(ofRule) * 100), 0) / 100;
    const before = totalOf(await sums());
    await api.expect(200, 'PATCH', `/v1/plans/${plan.planId}`, { config });
    await service.waitForCalculations(workspaceId);
    expect(totalOf(await sums()) - before).to.be.closeTo(delta, 0.005);
  });
});
