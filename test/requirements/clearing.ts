import { expect } from 'chai';
import { rejects } from './rejections.js';
import { row } from './rows.js';
import { expectError, flatTier, type Person, type Plan, World } from './world.js';

const reset = '/v1/commissions/reset';
const cleanup = '/v1/commissions/cleanup';

/** Section 4 of the specification, cleanup and reset. */
export function describeClearing(): void {
  describe('4: cleanup and reset', () => {
    describeAccess();
    describeCleanup();
    describeReset();
  });
}

const rejected: readonly (readonly [number, Person, string])[] = [
  [264, 'mgr', cleanup],
  [265, 'mgr', reset],
  [266, 'mgr', '/v1/commissions/sync'],
  [267, 'cat', cleanup],
  [268, 'cat', reset],
  [269, 'cat', '/v1/commissions/sync'],
];

function describeAccess(): void {
  describe('access', () => {
    let world: World;

    before(async () => {
      ({ world } = await World.example());
    });

    for (const [number, who, path] of rejected)
      row(number, `${path.split('/').at(-1)} is 403 for ${who === 'mgr' ? 'a manager' : 'a rep'}`, async () => {
        await expectError('403 forbidden', world.client(who).post(path, {}));
        expect(await world.earned()).to.deep.equal({ D1: 4800, D2: 7200, D3: 4500 });
      });

    rejects(270, 'sync without a connected CRM is 400', 400, 'no_crm_configured', () =>
      world.admin.post('/v1/commissions/sync', {}),
    );

    row(271, 'reset with an unknown scope is 400 and clears nothing', async () => {
      await expectError('400 VALIDATION_FAILED', world.admin.post(reset, { scope: 'everything' }));
      expect(await world.earned()).to.deep.equal({ D1: 4800, D2: 7200, D3: 4500 });
    });
  });
}

const rule = (name: string) => ({ name, measure: 'amount', tiers: flatTier(0.1) });

function describeCleanup(): void {
  describe('cleanup', () => {
    let world: World;
    let plan: Plan;

    before(async () => {
      world = await World.create();
      plan = await world.plan('AE', [rule('K1'), rule('K2')]);
      await world.assign(plan, 'ben');
      await world.deal('D1', { amount: 1000 });
      await world.waitForCalculations();
    });

    row(261, 'cleanup takes no body and counts what it deleted', async () => {
      const answer = await world.admin.expect(200, 'POST', cleanup);
      expect(answer).to.deep.include({ deleted: 0, skippedLocked: 0 });
      expect(await world.earned('ben', 'K2')).to.deep.equal({ D1: 100 });
    });

    row(262, 'after cleanup no event is left of a rule that a new version removed', async () => {
      await world.admin.expect(200, 'PATCH', `/v1/plans/${plan.planId}`, { config: { rules: [rule('K1')] } });
      await world.waitForCalculations();
      await world.admin.expect(200, 'POST', cleanup);
      expect(await world.earned('ben', 'K2')).to.deep.equal({});
      expect(await world.earned('ben', 'K1')).to.deep.equal({ D1: 100 });
      const { events, total } = await world.breakdown('D1');
      const earned = events.filter((event: { status: string }) => event.status === 'earned');
      expect(earned.map((event: { ruleName: string }) => event.ruleName)).to.deep.equal(['K1']);
      expect(total).to.equal(100);
    });

    row(263, 'cleanup after the hard delete of a plan removes its events', async () => {
      const [assignment] = await world.get(`/v1/assignments?planId=${plan.planId}`);
      await world.admin.expect(200, 'DELETE', `/v1/assignments/${assignment.assignmentId}`);
      await world.admin.expect(200, 'DELETE', `/v1/plans/${plan.planId}`);
      expect(await world.earned('ben', 'K1')).to.deep.equal({ D1: 100 });
      const { deleted } = await world.admin.expect(200, 'POST', cleanup);
      expect(deleted).to.be.at.least(1);
      expect((await world.breakdown('D1')).events).to.deep.equal([]);
    });
  });
}

function describeReset(): void {
  describe('reset', () => {
    let world: World;
    let counts: Record<string, number>;

    before(async () => {
      ({ world } = await World.example());
    });

    row(275, 'reset without a body clears events', async () => {
      counts = await world.admin.expect(200, 'POST', reset);
      expect(counts['events']).to.equal(3);
    });

    row(276, 'reset returns integer counts', () => {
      for (const [name, count] of Object.entries(counts)) expect(Number.isInteger(count), name).to.equal(true);
    });

    row(283, 'reset counts each cleared category, quotas also for scope events', () => {
      expect(counts).to.include({ events: 3, quotas: 1 });
      expect(counts).to.not.have.any.keys('deals', 'assignments');
    });

    row(277, 'reset of events leaves the snapshots and sets current_value to 0', async () => {
      expect(await world.earned()).to.deep.equal({});
      expect((await world.get('/v1/deals')).count).to.equal(3);
      expect(await world.counter('ben')).to.equal(0);
    });

    row(278, 'a recalculation after the reset brings the events back', async () => {
      const answer = await world.recalculate();
      expect(answer).to.include({ eventsWritten: 3 });
      expect(await world.earned()).to.deep.equal({ D1: 4800, D2: 7200, D3: 4500 });
      expect(await world.counter('ben')).to.equal(150_000);
    });

    row(279, 'reset with scope snapshots clears events and deals', async () => {
      counts = await world.admin.expect(200, 'POST', reset, { scope: 'snapshots' });
      expect(counts).to.include({ events: 3, quotas: 1 });
      expect(await world.earned()).to.deep.equal({});
    });

    row(280, 'reset with scope snapshots adds the deals to what it clears', async () => {
      expect(counts).to.include({ deals: 3 });
      expect(counts['snapshots']).to.be.at.least(3);
      expect((await world.get('/v1/deals')).deals).to.deep.equal([]);
      expect(await world.get('/v1/assignments')).to.have.length(2);
    });

    row(281, 'reset with scope all counts assignments and quotas too', async () => {
      counts = await world.admin.expect(200, 'POST', reset, { scope: 'all' });
      expect(counts).to.include({ events: 0, deals: 0, assignments: 2, quotas: 1 });
    });

    row(282, 'reset with scope all deletes assignments and quotas', async () => {
      expect(await world.get('/v1/assignments')).to.deep.equal([]);
      expect(await world.get('/v1/quotas')).to.deep.equal([]);
      expect(await world.get('/v1/plans')).to.have.length(1);
    });
  });
}
