import { expect } from 'chai';
import { row } from './rows.js';
import { type Json } from './running-service.js';
import { flatTier, type Plan, World, won } from './world.js';

type Status = 'draft' | 'active' | 'archived' | 'deleted';

const config = (rate: number) => ({
  dealConditions: [won],
  rules: [{ name: 'Commission', measure: 'amount', tiers: flatTier(rate) }],
});

interface TwoVersions {
  readonly world: World;
  readonly planId: string;
  readonly first: Plan & Json;
  readonly second: Plan & Json;
}

/** Ben on a plan that paid 5 % and was corrected to 10 %; one deal of 1,000 in January. */
async function twoVersions(): Promise<TwoVersions> {
  const world = await World.create();
  const first = await world.admin.createPlan({ name: 'AE', config: config(0.05) });
  await world.assign(first, 'ben');
  const second = await world.admin.expect(200, 'PATCH', `/v1/plans/${first.planId}`, { config: config(0.1) });
  await world.deal('A', { amount: 1000, closeDate: '2026-01-15' });
  expect(await world.earned()).to.deep.equal({ A: 100 });
  return { world, planId: first.planId, first, second };
}

const setStatus = (world: World, planRef: string, status: Status): Promise<Json> =>
  world.admin.expect(200, 'PATCH', `/v1/plans/${planRef}/status`, { status });

/** The status in the response, or the plan's own status if the version has another. */
const statusOf = (plan: Json): string => plan.planStatus ?? plan.status;

/** Plan status of section 3, on plans of one and of several versions. */
export function describePlanStates(): void {
  describe('plan status', () => {
    describeStopped();
    describeVersions();
    describeInPlace();
  });
}

function describeStopped(): void {
  row(127, 'status deleted by identity archives and hides a plan of two versions', async () => {
    const { world, planId } = await twoVersions();
    await setStatus(world, planId, 'deleted');
    expect(await world.get('/v1/plans')).to.deep.equal([]);
    expect((await world.get('/v1/workspaces')).plans).to.deep.equal([]);
    await world.deal('B', { amount: 2000, closeDate: '2026-02-15' });
    expect(await world.earned()).to.deep.equal({ A: 100 });
    expect(await world.get(`/v1/plans/${planId}/history`)).to.have.length(2);
  });

  row(128, 'a plan set to deleted or archived by its identity pays no new deals', async () => {
    for (const status of ['deleted', 'archived'] as const) {
      const { world, planId } = await twoVersions();
      await setStatus(world, planId, status);
      await world.deal('B', { amount: 2000, closeDate: '2026-02-15' });
      expect(await world.earned(), status).to.deep.equal({ A: 100 });
    }
  });

  row(129, 'a deleted plan set back to active by its identity pays again at its newest version', async () => {
    const { world, planId } = await twoVersions();
    await setStatus(world, planId, 'deleted');
    await world.deal('B', { amount: 2000, closeDate: '2026-02-15' });
    const active = await setStatus(world, planId, 'active');
    expect(statusOf(active)).to.equal('active');
    await world.recalculate();
    expect(await world.earned()).to.deep.equal({ A: 100, B: 200 });
    expect((await world.get('/v1/plans')).map((plan: Json) => plan.planId)).to.deep.equal([planId]);
  });

  row(131, 'archiving a plan of two versions by planId retains its commission events', async () => {
    const { world, planId } = await twoVersions();
    const archived = await setStatus(world, planId, 'archived');
    expect(statusOf(archived)).to.equal('archived');
    await world.recalculate();
    expect(await world.earned()).to.deep.equal({ A: 100 });
    expect((await world.breakdown('A')).events[0]).to.include({ status: 'earned', amount: 100 });
  });
}

function describeVersions(): void {
  row(130, 'a PATCH of dates alone leaves what a rep with an override earns', async () => {
    const { world, planId, second } = await twoVersions();
    const rules = [{ ruleId: second.rules[0]?.id, tiers: [{ tierIndex: 0, rate: 0.3 }] }];
    const path = `/v1/plans/${second.planVersionId}/overrides/${world.ids.ben}`;
    await world.admin.expect(200, 'PUT', path, { rules });
    expect(await world.earned()).to.deep.equal({ A: 300 });
    const dated = await world.admin.expect(200, 'PATCH', `/v1/plans/${planId}`, { effectiveEnd: '2026-12-31' });
    expect(dated.version).to.equal(3);
    expect(await world.earned()).to.deep.equal({ A: 300 });
    const [carried] = await world.get(`/v1/plans/${dated.planVersionId}/overrides`);
    expect(carried).to.include({ repId: world.ids.ben, planVersionId: dated.planVersionId });
    expect(carried.rules[0].tiers[0]).to.include({ tierIndex: 0, rate: 0.3 });
  });

  row(132, 'a PATCH of status and config gives the status to the new version', async () => {
    const { world, first, second } = await twoVersions();
    const body = { status: 'draft', config: config(0.2) };
    const third = await world.admin.expect(200, 'PATCH', `/v1/plans/${first.planId}`, body);
    expect(third).to.include({ version: 3, status: 'draft', planId: first.planId });
    const history = await world.get(`/v1/plans/${first.planId}/history`);
    expect(history.map((plan: Json) => [plan.version, plan.status])).to.deep.equal([
      [3, 'draft'],
      [2, 'active'],
      [1, 'active'],
    ]);
    expect(third.planVersionId).to.not.equal(second.planVersionId);
    expect(await world.earned()).to.deep.equal({ A: 100 });
  });

  row(142, 'a PATCH of dates by a version id makes a new version of the config of that version', async () => {
    const { world, first } = await twoVersions();
    const body = { effectiveStart: '2026-01-01' };
    const third = await world.admin.expect(200, 'PATCH', `/v1/plans/${first.planVersionId}`, body);
    expect(third).to.include({ version: 3, planId: first.planId, effectiveStart: '2026-01-01' });
    expect(third.config).to.deep.equal(config(0.05));
    expect(third.rules[0].tiers[0].rate).to.equal(0.05);
  });
}

function describeInPlace(): void {
  describe('one version', () => {
    let world: World;
    let plan: Plan;

    before(async () => {
      world = await World.create();
      plan = await world.admin.createPlan({ name: 'AE', config: config(0.1) });
      await world.assign(plan, 'ben');
      await world.deal('A', { amount: 1000, closeDate: '2026-01-15' });
      await world.waitForCalculations();
    });

    const inPlace = async (status: Status) => {
      const answer = await setStatus(world, plan.planId, status);
      expect(statusOf(answer)).to.equal(status);
      expect(answer).to.include({ planVersionId: plan.planVersionId, version: 1 });
      expect(await world.get(`/v1/plans/${plan.planId}/history`)).to.have.length(1);
    };

    row(133, 'the status route sets draft in place', () => inPlace('draft'));

    row(139, 'a draft plan pays nothing', async () => {
      await world.deal('Draft', { amount: 1000, closeDate: '2026-02-15' });
      expect(await world.earned()).to.deep.equal({ A: 100 });
      const own = await World.create();
      const draft = await own.plan('Draft', config(0.1).rules, { status: 'draft' });
      await own.assign(draft, 'ben');
      await own.deal('B', { amount: 1000 });
      expect(await own.earned()).to.deep.equal({});
    });

    row(134, 'the status route sets archived in place', () => inPlace('archived'));

    row(140, 'an archived plan of one version keeps its commission events', async () => {
      await world.recalculate();
      expect(await world.earned()).to.deep.equal({ A: 100 });
    });

    row(141, 'an archived plan of one version pays no new deals', async () => {
      await world.deal('Archived', { amount: 1000, closeDate: '2026-02-16' });
      expect(await world.earned()).to.deep.equal({ A: 100 });
    });

    row(135, 'the status route sets deleted in place', () => inPlace('deleted'));

    row(136, 'a deleted plan is hidden from the list', async () => {
      expect(await world.get('/v1/plans')).to.deep.equal([]);
    });

    row(137, 'GET /v1/plans?status=deleted shows a deleted plan', async () => {
      const plans = await world.get('/v1/plans?status=deleted');
      expect(plans.map((one: Json) => [one.planId, statusOf(one)])).to.deep.equal([[plan.planId, 'deleted']]);
    });

    row(138, 'the status route sets active in place, and the plan pays again', async () => {
      await inPlace('active');
      await world.recalculate();
      expect(await world.earned()).to.deep.equal({ A: 100, Draft: 100, Archived: 100 });
    });
  });
}
