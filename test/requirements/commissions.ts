import { expect } from 'chai';
import { adminOnly, forbidden, invalid, rejects, unauthorized } from './rejections.js';
import { row } from './rows.js';
import { type Json, service } from './running-service.js';
import { currentMonth, exampleTiers, expectError, flatTier, type Plan, unknownId, World } from './world.js';

const recalculate = '/v1/commissions/recalculate';

/** Section 4 of the specification, commissions: recalculation, breakdowns, dashboards and simulation. */
export function describeCommissions(): void {
  describe('4: commissions', () => {
    let world: World;
    let plan: Plan;

    before(async () => {
      ({ world, plan } = await World.example());
      await world.deal('Open', { amount: 5000, stage: 'Negotiation', closeDate: '2026-12-31' });
      await world.waitForCalculations();
    });

    describeRecalculation(() => ({ world, plan }));
    describeJobRoutes(() => world);
    describeViews(() => world);
    describeDashboards(() => world);
    describePeriods(() => world);
    describeSimulation(() => ({ world, plan }));
  });
}

type Given = () => { readonly world: World; readonly plan: Plan };

function describeRecalculation(given: Given): void {
  row(214, 'a synchronous recalculation returns {triggered, count, skipped, scope}', async () => {
    const answer = await given().world.recalculate({});
    expect(answer).to.include({ triggered: true, scope: 'workspace' });
    expect(answer.skipped).to.be.a('number');
  });

  row(215, 'count is the number of calculated deals', async () => {
    const { world } = given();
    expect((await world.recalculate({})).count).to.equal(4);
    expect((await world.recalculate({ repId: world.ids.cat })).count).to.equal(0);
  });

  row(216, 'a recalculation works without any body', async () => {
    const answer = await given().world.admin.expect(200, 'POST', recalculate);
    expect(answer).to.include({ triggered: true, scope: 'workspace', count: 4 });
  });

  row(217, 'a recalculation of one rep', async () => {
    const { world } = given();
    expect(await world.recalculate({ repId: world.ids.ben })).to.include({ triggered: true, scope: 'rep', count: 4 });
  });

  row(218, 'a recalculation of one plan', async () => {
    const { world, plan } = given();
    const answer = await world.recalculate({ planId: plan.planId });
    expect(answer).to.include({ triggered: true, scope: 'plan', eventsWritten: 0 });
  });

  row(219, 'a recalculation of one deal', async () => {
    const answer = await given().world.recalculate({ dealId: 'D1' });
    expect(answer).to.include({ triggered: true, scope: 'deal', count: 1, eventsWritten: 0, eventsReversed: 0 });
  });

  row(220, 'a recalculation of one rep with async: true', async () => {
    const { world } = given();
    const answer = await world.recalculate({ repId: world.ids.ben, async: true });
    expect(answer).to.include({ triggered: true, async: true, status: 'running', scope: 'rep' });
    expect((await world.jobEnd(answer.jobId)).result).to.include({ count: 4, eventsWritten: 0 });
  });

  row(221, 'a recalculation of what is calculated rewrites nothing', async () => {
    const { world } = given();
    const rows = () => service().sql('select * from commission_events where workspace_id = $1', world.workspaceId);
    const before = await rows();
    expect(await world.recalculate({ repId: world.ids.ben })).to.include({ eventsWritten: 0, eventsReversed: 0 });
    expect(await rows()).to.have.deep.members(before);
  });

  for (const [number, who] of [
    [243, 'mgr'],
    [244, 'cat'],
    [245, 'conn'],
  ] as const)
    forbidden(number, `a recalculation with the token ${who} is 403`, () =>
      given().world.client(who).post(recalculate, {}),
    );

  unauthorized(246, 'a recalculation', () => given().world.anyone.post(recalculate, {}));
}

function describeJobRoutes(world: () => World): void {
  let jobId: string;
  const path = (id: string) => `/v1/commissions/recalculate/jobs/${id}`;

  row(247, 'a recalculation with async: true returns a job at once', async () => {
    const answer = await world().recalculate({ async: true });
    expect(answer).to.include({ triggered: true, async: true, status: 'running', scope: 'workspace' });
    expect(Date.parse(answer.startedAt)).to.be.closeTo(Date.now(), 1_800_000);
    jobId = answer.jobId;
  });

  row(248, 'GET job returns jobId, status, scope, startedAt, finishedAt and result', async () => {
    const job = await world().jobEnd(jobId);
    expect(job).to.include({ jobId, status: 'completed', scope: 'workspace' });
    expect(Date.parse(job.finishedAt)).to.be.at.least(Date.parse(job.startedAt));
    expect(job.result).to.include({ count: 4, eventsWritten: 0, eventsReversed: 0 });
  });

  rejects(249, 'GET of an unknown job is 404', 404, 'job_not_found', () => world().admin.get(path(unknownId)));
  rejects(250, 'GET of a job id that is no id is 404', 404, 'job_not_found', () => world().admin.get(path('nonsense')));
  adminOnly(251, 'GET of a job', (who) => world().client(who).get(path(jobId)));
}

function describeViews(world: () => World): void {
  row(222, 'GET ?dealId gives the deal, its events and the total', async () => {
    const { deal, events, total } = await world().breakdown('D2');
    expect(deal).to.include({ deal_id: 'D2', amount: 60_000, closeDate: '2026-02-10', repId: world().ids.ben });
    expect(events).to.have.length(1);
    expect(events[0]).to.include({
      ruleName: 'Commission',
      amount: 7200,
      base: 60_000,
      tierName: 'Over',
      status: 'earned',
    });
    expect(total).to.equal(7200);
  });

  row(223, 'the event of a breakdown carries the calculation trace', async () => {
    const [{ trace }] = (await world().breakdown('D2')).events;
    expect(trace).to.deep.include({
      measure: 60_000,
      credit: 60_000,
      before: 60_000,
      after: 120_000,
      target: 100_000,
      attainmentBefore: 0.6,
      attainmentAfter: 1.2,
      raw: 7200,
      amount: 7200,
    });
    expect(trace.tier).to.deep.include({ tierIndex: 1, name: 'Over' });
    expect(trace.conditions[0]).to.deep.include({ field: 'stage', operator: 'equals', seen: 'Won', passed: true });
  });

  forbidden(232, "a rep's request for a deal of another rep is 403", () =>
    world().cat.get('/v1/commissions?dealId=D1'),
  );

  row(233, 'a rep sees the breakdown of an own deal', async () => {
    const { events, total } = await world().ben.expect(200, 'GET', '/v1/commissions?dealId=D1');
    expect(total).to.equal(4800);
    expect(events[0].trace).to.include({ amount: 4800, attainmentAfter: 0.6 });
  });

  unauthorized(234, 'GET', () => world().anyone.get('/v1/commissions'));

  rejects(238, 'GET of an unknown deal is 404', 404, 'deal_not_found', () =>
    world().admin.get('/v1/commissions?dealId=nope'),
  );

  rejects(239, 'GET of an unknown rep is 404', 404, 'rep_not_found', () =>
    world().admin.get(`/v1/commissions?repId=${unknownId}`),
  );

  for (const [number, what, query] of [
    [235, 'the team overview', () => ''],
    [236, 'a rep and period', () => `?repId=${world().ids.ben}&period=2026-Q1`],
    [237, 'a deal', () => '?dealId=D1'],
  ] as const)
    row(number, `/dashboard returns the same for ${what}`, async () => {
      const answer = await world().get(`/v1/commissions${query()}`);
      expect(await world().get(`/v1/commissions/dashboard${query()}`)).to.deep.equal(answer);
      expect(Object.keys(answer)).to.not.deep.equal([]);
    });
}

function describeDashboards(world: () => World): void {
  const path = (period = '&period=2026-Q1') => `/v1/commissions?repId=${world().ids.ben}${period}`;

  row(224, 'GET ?repId gives earnings, attainment, closed deals and open pipeline', async () => {
    const dashboard = await world().get(path());
    expect(dashboard).to.include({ repId: world().ids.ben, name: 'Ben', period: '2026-Q1', currency: 'USD' });
    expect(dashboard.earnings).to.include({ total: 16_500 });
    expect(dashboard.attainment).to.have.length(1);
    expect(dashboard.closedDeals.map((deal: Json) => deal.dealId)).to.have.members(['D1', 'D2', 'D3']);
    expect(dashboard.openPipeline).to.include({ deals: 1, total: 5000 });
  });

  row(225, 'the figures of the rep dashboard are those of the worked example', async () => {
    const { earnings, attainment, closedDeals, trend } = await world().get(path());
    expect(earnings).to.deep.equal({ total: 16_500, commission: 16_500, bonus: 0, adjustments: 0 });
    expect(attainment[0]).to.include({
      measure: 'Commission',
      period: '2026-Q1',
      target: 100_000,
      credit: 150_000,
      attainment: 1.5,
    });
    const paid = Object.fromEntries(closedDeals.map((deal: Json) => [deal.dealId, deal.commission]));
    expect(paid).to.deep.equal({ D1: 4800, D2: 7200, D3: 4500 });
    const months = Object.fromEntries(trend.map((month: Json) => [month.period, month.total]));
    expect(months).to.include({ '2026-01': 4800, '2026-02': 7200, '2026-03': 4500 });
  });

  row(226, 'the rep dashboard without a period is that of the current month', async () => {
    const before = currentMonth();
    const { period } = await world().get(path(''));
    expect([before, currentMonth()]).to.include(period);
  });

  row(227, 'GET without parameters gives the team overview', async () => {
    const overview = await world().get('/v1/commissions');
    expect(overview).to.include({ period: currentMonth(), currency: 'USD' });
    expect(overview.totals).to.deep.equal({ total: 0, commission: 0, bonus: 0, adjustments: 0 });
    expect(overview.reps.map((rep: Json) => rep.name)).to.include.members(['Ben', 'Cat']);
  });

  row(228, 'a manager sees the team overview with figures by rep', async () => {
    const overview = await world().mgr.expect(200, 'GET', '/v1/commissions?period=2026-Q1');
    expect(overview.totals.total).to.equal(16_500);
    const ben = overview.reps.find((rep: Json) => rep.repId === world().ids.ben);
    expect(ben).to.include({ name: 'Ben', dealCount: 3, statementStatus: 'none' });
    expect(ben.earnings.total).to.equal(16_500);
    expect(ben.attainment[0]).to.include({ attainment: 1.5 });
  });

  forbidden(229, 'the team overview is 403 for a rep', () => world().ben.get('/v1/commissions'));

  row(230, 'a rep sees the own dashboard', async () => {
    const { earnings } = await world().ben.expect(200, 'GET', path());
    expect(earnings.total).to.equal(16_500);
  });

  forbidden(231, "a rep's request for the dashboard of another rep is 403", () => world().cat.get(path()));
}

function describePeriods(world: () => World): void {
  row(240, 'GET periods gives the distinct periods that have events, as strings', async () => {
    expect(await world().get('/v1/commissions/periods')).to.deep.equal(['2026-Q1']);
  });

  row(241, 'GET periods ?repId gives the periods of the rep', async () => {
    expect(await world().get(`/v1/commissions/periods?repId=${world().ids.ben}`)).to.deep.equal(['2026-Q1']);
    expect(await world().get(`/v1/commissions/periods?repId=${world().ids.cat}`)).to.deep.equal([]);
  });

  row(242, 'a rep sees the own periods only', async () => {
    expect(await world().ben.expect(200, 'GET', '/v1/commissions/periods')).to.deep.equal(['2026-Q1']);
    expect(await world().cat.expect(200, 'GET', '/v1/commissions/periods')).to.deep.equal([]);
  });
}

function describeSimulation(given: Given): void {
  const simulate = '/v1/commissions/simulate';
  const body = () => ({ planId: given().plan.planId, period: '2026-Q1' });
  const ofBen = ({ reps }: Json) => reps.find((rep: Json) => rep.repId === given().world.ids.ben);

  row(252, 'simulate takes planId and period', async () => {
    const answer = await given().world.admin.expect(200, 'POST', simulate, body());
    expect(answer).to.include({ planId: given().plan.planId, period: '2026-Q1', currency: 'USD', total: 16_500 });
  });

  row(253, 'simulate returns a breakdown by rule and the trace of each deal', async () => {
    const [rule] = ofBen(await given().world.admin.expect(200, 'POST', simulate, body())).rules;
    expect(rule).to.include({ name: 'Commission', total: 16_500 });
    expect(rule.deals.map((deal: Json) => [deal.dealId, deal.amount, deal.tierName])).to.deep.equal([
      ['D1', 4800, 'Base'],
      ['D2', 7200, 'Over'],
      ['D3', 4500, 'Top'],
    ]);
    expect(rule.deals[2].trace).to.include({ attainmentBefore: 1.2, attainmentAfter: 1.5, amount: 4500 });
  });

  row(254, 'the simulated total equals the ledger', async () => {
    const { world } = given();
    const { total } = ofBen(await world.admin.expect(200, 'POST', simulate, body()));
    const { earnings } = await world.get(`/v1/commissions?repId=${world.ids.ben}&period=2026-Q1`);
    expect(total).to.equal(earnings.commission);
  });

  row(255, 'simulate writes nothing', async () => {
    const { world } = given();
    const state = async () => [await world.events('ben'), await world.historyLength(), await world.get('/v1/quotas')];
    const before = await state();
    const rules = [{ name: 'Commission', measure: 'amount', tiers: flatTier(0.5) }];
    const answer = await world.admin.expect(200, 'POST', simulate, {
      config: { rules },
      period: '2026-Q1',
      repIds: [world.ids.ben],
    });
    expect(answer.total).to.equal(75_000);
    await world.waitForCalculations();
    expect(await state()).to.deep.equal(before);
  });

  unauthorized(256, 'simulate', () => given().world.anyone.post(simulate, body()));

  row(257, 'a manager may simulate', async () => {
    expect((await given().world.mgr.expect(200, 'POST', simulate, body())).total).to.equal(16_500);
  });

  row(258, 'a rep may simulate, for the own person', async () => {
    const answer = await given().world.cat.expect(200, 'POST', simulate, body());
    expect(answer.reps.map((rep: Json) => rep.repId)).to.deep.equal([given().world.ids.cat]);
    const other = { ...body(), repId: given().world.ids.ben };
    await expectError('403 forbidden', given().world.cat.post(simulate, other));
  });

  rejects(259, 'simulate of an unknown plan is 404', 404, 'plan_not_found', () =>
    given().world.admin.post(simulate, { planId: unknownId, period: '2026-Q1' }),
  );

  invalid(
    260,
    'simulate without a period is 400',
    () => given().world.admin.post(simulate, { planId: given().plan.planId }),
    'period',
  );

  row(273, 'simulate takes a draft plan for a rep', async () => {
    const { world } = given();
    const rules = [{ name: 'Draft rule', measure: 'amount', tiers: exampleTiers }];
    const draft = await world.plan('Draft', rules, { status: 'draft' });
    const answer = await world.admin.expect(200, 'POST', simulate, {
      planId: draft.planId,
      period: '2026-Q1',
      repId: world.ids.ben,
      quota: { target: 100_000 },
    });
    expect(answer.total).to.equal(16_500);
    expect(await world.earned('ben', 'Draft rule')).to.deep.equal({});
  });

  row(274, 'the demo workspace has an open pipeline on the dashboards', async () => {
    const { demoKey } = service();
    // Only an embedded database gets the demo.
    if (demoKey === null) return;
    const demo = service().client(demoKey);
    const { reps } = await demo.expect(200, 'GET', '/v1/reps');
    const dashboards = await Promise.all(
      reps.map((rep: Json) => demo.expect(200, 'GET', `/v1/commissions?repId=${rep.id}`)),
    );
    const open = dashboards.map((dashboard) => dashboard.openPipeline).filter((pipeline) => pipeline.deals > 0);
    expect(open.length).to.be.greaterThan(0);
    for (const pipeline of open) expect(pipeline.total).to.be.greaterThan(0);
  });
}
