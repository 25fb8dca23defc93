import { expect } from 'chai';
import { readPdf } from './documents.js';
import { row } from './rows.js';
import { service } from './running-service.js';
import { exampleDeals, exampleTiers, expectError, flatTier, type Plan, World, won } from './world.js';

/** Section 1 of the specification: the pipeline, roles, exports, idempotent writes. */
export function describePipeline(): void {
  describe('1: what the service does', () => {
    describeLockedRuns();
    describeCascade();
    describeRoles();
    describeEvents();
  });
}

function describeLockedRuns(): void {
  describe('a run that meets an approved statement', () => {
    let world: World;

    before(async () => {
      ({ world } = await World.example());
      await world.approve('ben', '2026-Q1');
      // The approved total is 16,500; this change would lower it.
      await world.deal('D1', { amount: 20_000 });
      await world.waitForCalculations();
    });

    const lockedRun = async (trigger: RegExp) => {
      const { runs } = await world.get(`/v1/workspaces/audit-logs?limit=50`);
      return runs.find(
        (run: { trigger: string; counters: { statementLocked: boolean } }) =>
          trigger.test(run.trigger) && run.counters.statementLocked,
      );
    };

    row(2, 'an approved statement stops the run, which reports blocked.statementLocked true', async () => {
      const run = await lockedRun(/./);
      expect(run.outcome).to.equal('statement_locked');
      expect(run.blocked).to.deep.include({ statementLocked: true, periods: ['2026-Q1'] });
      expect(run.counters).to.include({ eventsWritten: 0, eventsReversed: 0 });
      expect(await world.earned()).to.deep.equal({ D1: 4800, D2: 7200, D3: 4500 });
    });

    row(3, 'the response of a recalculation has blocked.statementLocked true', async () => {
      const answer = await world.recalculate({ repId: world.ids.ben });
      expect(answer).to.include({ triggered: true, scope: 'rep', eventsWritten: 0, eventsReversed: 0 });
      expect(answer.blocked).to.include({ statementLocked: true });
    });

    row(5, 'in an approved period a new deal upserts the snapshot and writes no commission', async () => {
      await world.deal('D4', { amount: 5000, closeDate: '2026-03-20' });
      await world.waitForCalculations();
      const { deals } = await world.get('/v1/deals?limit=500');
      expect(deals.find((deal: { deal_id: string }) => deal.deal_id === 'D4')).to.include({
        amount: 5000,
        closeDate: '2026-03-20',
        repId: world.ids.ben,
      });
      expect((await world.breakdown('D4')).events).to.deep.equal([]);
      expect(await world.earned()).to.have.all.keys('D1', 'D2', 'D3');
    });

    row(7, 'a deal that arrives in an approved period is reported with blocked.statementLocked true', async () => {
      await world.deal('D5', { amount: 700, closeDate: '2026-03-21' });
      await world.waitForCalculations();
      const { runs } = await world.get('/v1/workspaces/audit-logs?limit=5');
      expect(runs[0]).to.include({ outcome: 'statement_locked' });
      expect(runs[0].blocked).to.deep.include({ statementLocked: true, periods: ['2026-Q1'] });
    });
  });
}

function describeCascade(): void {
  describe('the cascade', () => {
    let world: World;
    let top: string;

    before(async () => {
      world = await World.create();
      const topEmail = `tom@${world.workspaceId}.test`;
      [top] = await world.admin.saveReps(
        { email: topEmail, name: 'Tom', role: 'manager' },
        { email: world.email('mgr'), name: 'Mia', role: 'manager', crmMemberId: 'mia', managerEmail: topEmail },
      );
      const sales = await world.plan('AE', [
        { name: 'FullRule', measure: 'amount', tiers: exampleTiers },
        { name: 'Extra', measure: 'amount', tiers: flatTier(0.01) },
      ]);
      await world.assign(sales, 'ben');
      await world.quota(sales, 'ben', '2026-Q1', 100_000);
      const overrides = await world.plan('Overrides', [
        cascadeRule('Ten', '_total', 0.1),
        cascadeRule('Five', 'FullRule', 0.05),
      ]);
      await world.assign(overrides, 'mgr');
      const ofTop = await world.plan('Top', [cascadeRule('Top', 'Ten', 0.5)]);
      await assignTo(world, ofTop, top);
      for (const deal of exampleDeals) await world.deal(deal.dealId, deal);
      await world.waitForCalculations();
    });

    row(4, 'the manager earns 10 % of _total and 5 % of FullRule', async () => {
      // FullRule pays 4,800 / 7,200 / 4,500; Extra pays 600 / 600 / 300.
      expect(await world.earned('mgr', 'Ten')).to.deep.equal({ D1: 540, D2: 780, D3: 480 });
      expect(await world.earned('mgr', 'Five')).to.deep.equal({ D1: 240, D2: 360, D3: 225 });
    });

    row(6, 'commission cascades up two levels of managers', async () => {
      const { events, total } = await world.breakdown('D1');
      const ofTop = events.filter((event: { repId: string }) => event.repId === top);
      expect(ofTop).to.have.length(1);
      expect(ofTop[0]).to.include({ ruleName: 'Top', amount: 270, base: 540, status: 'earned', period: '2026-Q1' });
      expect(total).to.equal(4800 + 600 + 540 + 240 + 270);
    });

    row(8, 'a deal of an unknown owner is stored, and resolved to the rep with that CRM member id', async () => {
      const unknown = await world.deal('U1', { ownerId: 'nobody-yet' });
      expect(unknown).to.include({ deal_id: 'U1', repId: null, ownerId: 'nobody-yet' });
      const known = await world.deal('U2', { ownerId: 'cat' });
      expect(known).to.include({ repId: world.ids.cat, repName: 'Cat' });
    });

    row(9, 'the snapshot is stored whatever the stage of the deal', async () => {
      const stages = ['Prospecting', 'Negotiation', 'Lost', 'Won'];
      for (const stage of stages) await world.deal(`S-${stage}`, { stage, ownerId: 'cat' });
      const { deals } = await world.get(`/v1/deals?repId=${world.ids.cat}&limit=500`);
      const stored = deals.filter((deal: { deal_id: string }) => deal.deal_id.startsWith('S-'));
      expect(stored.map((deal: { stage: string }) => deal.stage)).to.have.members(stages);
      await world.waitForCalculations();
      expect(await world.earned('cat')).to.deep.equal({});
    });
  });
}

function cascadeRule(name: string, dependsOn: string, rate: number): object {
  return { name, measure: 'amount', executionPhase: 'cascade', dependsOn, tiers: flatTier(rate) };
}

async function assignTo(world: World, { planId }: Plan, ...repIds: string[]): Promise<void> {
  await world.admin.assign(repIds, planId);
}

function describeRoles(): void {
  describe('roles', () => {
    let world: World;

    before(async () => {
      ({ world } = await World.example());
    });

    row(1, 'a rep statement is exported as CSV, as JSON and as PDF', async function () {
      await world.generate('ben', '2026-Q1');
      const path = `/v1/statements/${world.ids.ben}/export?period=2026-Q1`;
      const csv = await world.admin.get(path);
      expect(csv.headers.get('content-type')).to.match(/^text\/csv/);
      expect(csv.body.split('\r\n').filter((line: string) => /D[123]/.test(line))).to.have.length(3);
      const json = await world.get(`${path}&format=json`);
      expect(json).to.include({ repId: world.ids.ben, period: '2026-Q1' });
      expect(json.lineItems).to.have.length(3);
      const text = await readPdf(this, world.admin, `${path}&format=pdf`);
      if (text !== null) expect(text).to.contain('Ben').and.to.contain('16,500.00');
    });

    row(10, "a manager sees every rep's dashboard", async () => {
      const ofBen = await world.mgr.expect(200, 'GET', `/v1/commissions?repId=${world.ids.ben}&period=2026-Q1`);
      expect(ofBen).to.include({ repId: world.ids.ben, name: 'Ben', period: '2026-Q1' });
      expect(ofBen.earnings.total).to.equal(16_500);
      const ofCat = await world.mgr.expect(200, 'GET', `/v1/commissions?repId=${world.ids.cat}&period=2026-Q1`);
      expect(ofCat.earnings.total).to.equal(0);
    });

    row(11, 'the session of an admin may recalculate', async () => {
      const email = `ada@${world.workspaceId}.test`;
      const body = { reps: [{ email, name: 'Ada', role: 'admin' }] };
      const { reps } = await world.admin.expect(200, 'PUT', '/v1/reps', body);
      const ada = service().client(await service().token(world.workspaceId, 'sess', reps[0].id));
      const answer = await ada.expect(200, 'POST', '/v1/commissions/recalculate', {});
      expect(answer).to.include({ triggered: true, scope: 'workspace', count: 3 });
    });

    row(12, 'a rep sees the own dashboard and no other', async () => {
      const own = await world.ben.expect(200, 'GET', `/v1/commissions?repId=${world.ids.ben}&period=2026-Q1`);
      expect(own.earnings).to.include({ total: 16_500, commission: 16_500, bonus: 0, adjustments: 0 });
      await expectError('403 forbidden', world.ben.get(`/v1/commissions?repId=${world.ids.cat}`));
    });

    row(51, 'PATCH {effectiveEnd} on a plan by its identity ends the plan on that day', async () => {
      const { world: other, plan } = await World.example();
      const changed = { config: { dealConditions: [won], rules: [rule(0.1)] } };
      await other.admin.expect(200, 'PATCH', `/v1/plans/${plan.planId}`, changed);
      expect(await other.earned()).to.deep.equal({ D1: 6000, D2: 6000, D3: 3000 });
      const ended = await other.admin.expect(200, 'PATCH', `/v1/plans/${plan.planId}`, { effectiveEnd: '2026-02-28' });
      expect(ended).to.include({ planId: plan.planId, effectiveEnd: '2026-02-28', status: 'active' });
      expect(await other.earned(), 'no earlier version takes over after the end').to.deep.equal({ D1: 6000, D2: 6000 });
    });
  });
}

const rule = (rate: number) => ({ name: 'Commission', measure: 'amount', tiers: flatTier(rate) });

function describeEvents(): void {
  describe('events and idempotent writes', () => {
    let world: World;

    before(async () => {
      ({ world } = await World.example());
    });

    row(52, 'every change of an event is recorded in commission_event_history', async () => {
      await world.deal('H1', { amount: 1000, closeDate: '2026-03-30' });
      await world.waitForCalculations();
      await world.deal('H1', { amount: 2000, closeDate: '2026-03-30' });
      await world.waitForCalculations();
      await world.admin.expect(200, 'DELETE', '/v1/deals/H1');
      await world.waitForCalculations();
      const history = await service().sql(
        `select change, status, amount from commission_event_history
         where workspace_id = $1 and deal_key = 'H1' order by revision`,
        world.workspaceId,
      );
      expect(history.map(({ status, amount }) => [status, Number(amount)])).to.deep.equal([
        ['earned', 150],
        ['earned', 300],
        ['reversed', 300],
      ]);
    });

    row(53, 'one current row exists for each rep, deal and rule', async () => {
      await world.deal('D3', { ...exampleDeals[2], amount: 31_000 });
      await world.waitForCalculations();
      await world.deal('D3', exampleDeals[2]);
      await world.waitForCalculations();
      const rows = await service().sql(
        `select rep_id, deal_key, rule_name, count(*)::int as rows from commission_events
         where workspace_id = $1 group by 1, 2, 3`,
        world.workspaceId,
      );
      expect(rows.filter((one) => one.rows !== 1)).to.deep.equal([]);
      expect(rows.filter((one) => one.deal_key === 'D3')).to.have.length(1);
      expect((await world.breakdown('D3')).events).to.have.length(1);
    });

    row(54, 'running a recalculation again duplicates no event', async () => {
      await world.recalculate();
      const before = await world.events('ben');
      const history = await world.historyLength();
      const again = await world.recalculate();
      expect(again).to.include({ eventsWritten: 0, eventsReversed: 0 });
      expect(await world.events('ben')).to.deep.equal(before);
      expect(await world.historyLength()).to.equal(history);
    });
  });
}
