import { expect } from 'chai';
import { adminOnly, unauthorized } from './rejections.js';
import { row } from './rows.js';
import { type Json } from './running-service.js';
import { expectError, flatTier, World } from './world.js';

/** Section 4 of the specification, workspace. */
export function describeWorkspace(): void {
  describe('4: workspace', () => {
    let world: World;

    before(async () => {
      world = await World.create();
      const rules = [{ name: 'R', measure: 'amount', tiers: flatTier(0.1) }];
      for (const status of ['active', 'draft', 'archived', 'deleted']) {
        const plan = await world.plan(`Is ${status}`, rules, status === 'draft' ? { status } : {});
        if (status === 'archived' || status === 'deleted')
          await world.admin.expect(200, 'PATCH', `/v1/plans/${plan.planId}/status`, { status });
      }
    });

    describeInfo(() => world);
    describeUpdate(() => world);
    describeKeysAndLogs();
  });
}

function describeInfo(world: () => World): void {
  const namesOf = ({ plans }: Json) => plans.map((plan: Json) => plan.name).sort();

  row(570, 'includeDeleted adds deleted plans to plans[]', async () => {
    expect(namesOf(await world().get('/v1/workspaces?includeDeleted=true'))).to.include('Is deleted');
  });

  row(571, 'includeDeleted adds nothing but deleted plans', async () => {
    expect(namesOf(await world().get('/v1/workspaces'))).to.deep.equal(['Is active']);
    expect(namesOf(await world().get('/v1/workspaces?includeDeleted=true'))).to.deep.equal(['Is active', 'Is deleted']);
  });

  row(572, 'GET gives name, CRM status, mapping, tier, currency and plans[]', async () => {
    const workspace = await world().get('/v1/workspaces');
    expect(workspace).to.deep.include({
      workspaceId: world().workspaceId,
      name: 'Acme',
      currency: 'USD',
      timezone: 'UTC',
      tier: 'enterprise',
      crm: { connected: false, provider: null },
      fieldMapping: { standard: {}, measures: {} },
    });
    expect(workspace.plans[0]).to.include.keys('planId', 'planVersionId', 'rules');
  });

  unauthorized(573, 'GET', () => world().anyone.get('/v1/workspaces'));
}

const badBodies: readonly (readonly [number, object])[] = [
  [577, { currency: 'XYZ1' }],
  [578, { currency: 'usd' }],
  [579, { currency: 'ZZZ' }],
  [580, { name: '' }],
  [581, {}],
];

function describeUpdate(world: () => World): void {
  const patch = (body: object) => world().admin.patch('/v1/workspaces', body);

  row(574, 'PATCH changes the name', async () => {
    await patch({ name: 'Acme Ltd' });
    expect((await world().get('/v1/workspaces')).name).to.equal('Acme Ltd');
  });

  row(575, 'PATCH returns updated true with the changed fields', async () => {
    const answer = await patch({ name: 'Acme Inc' });
    expect([answer.status, answer.body.updated, answer.body.name]).to.deep.equal([200, true, 'Acme Inc']);
  });

  row(576, 'PATCH changes the default currency', async () => {
    const answer = await patch({ currency: 'EUR' });
    expect(answer.body).to.include({ updated: true, currency: 'EUR' });
    expect((await world().get('/v1/workspaces')).currency).to.equal('EUR');
  });

  for (const [number, body] of badBodies)
    row(number, `PATCH ${JSON.stringify(body)} is 400 and changes nothing`, async () => {
      const before = await world().get('/v1/workspaces');
      await expectError('400 VALIDATION_FAILED', patch(body));
      expect(await world().get('/v1/workspaces')).to.deep.equal(before);
    });

  adminOnly(582, 'PATCH', (who) => world().client(who).patch('/v1/workspaces', { name: 'Mine' }));
}

function describeKeysAndLogs(): void {
  describe('keys and audit logs', () => {
    let world: World;

    before(async () => {
      ({ world } = await World.example());
    });

    row(583, 'GET keys returns whether a key is set', async () => {
      const keys = await world.get('/v1/workspaces/keys');
      expect(keys.isSet).to.equal(true);
    });

    row(584, 'the key is returned masked: ws_ and asterisks', async () => {
      const { masked } = await world.get('/v1/workspaces/keys');
      expect(masked).to.match(/^ws_\*+$/);
      expect(JSON.stringify(await world.get('/v1/workspaces'))).to.not.contain(world.apiKey);
    });

    adminOnly(585, 'GET keys', (who) => world.client(who).get('/v1/workspaces/keys'));
    unauthorized(586, 'GET keys', () => world.anyone.get('/v1/workspaces/keys'));

    row(587, 'GET audit-logs lists runs, newest first, and their count', async () => {
      const { runs, count } = await world.get('/v1/workspaces/audit-logs?limit=500');
      expect(runs).to.have.length(count);
      expect(count).to.be.at.least(1);
      const times = runs.map((run: Json) => Date.parse(run.startedAt));
      expect(times).to.deep.equal([...times].sort((a, b) => b - a));
    });

    row(588, 'an engine run has actor orchestrator, an outcome and counters', async () => {
      const { runs } = await world.get('/v1/workspaces/audit-logs?actor=orchestrator');
      const written = runs.filter((run: Json) => run.outcome === 'written');
      const events = written.reduce((sum: number, run: Json) => sum + run.counters.eventsWritten, 0);
      expect(events).to.equal(3);
      expect(written[0].actor).to.equal('orchestrator');
      expect(written[0].counters).to.include.keys('eventsWritten', 'eventsReversed', 'statementLocked', 'skipped');
    });

    row(589, 'audit-logs ?actor=orchestrator gives engine runs only', async () => {
      const { runs, count } = await world.get('/v1/workspaces/audit-logs?actor=orchestrator');
      expect(count).to.be.at.least(1);
      expect(runs.every((run: Json) => run.actor === 'orchestrator')).to.equal(true);
    });

    row(590, 'another actor gives none of the engine runs', async () => {
      expect(await world.get('/v1/workspaces/audit-logs?actor=nobody')).to.deep.include({ runs: [], count: 0 });
    });

    row(591, 'audit-logs ?dealId gives the runs of the deal', async () => {
      await world.recalculate({ dealId: 'D2' });
      const { runs } = await world.get('/v1/workspaces/audit-logs?dealId=D2');
      expect(runs.length).to.be.at.least(1);
      // A run that covers several deals names none of them.
      expect(runs.every((run: Json) => run.dealId === 'D2' || run.dealId === undefined)).to.equal(true);
      expect(await world.get('/v1/workspaces/audit-logs?dealId=none')).to.deep.include({ runs: [], count: 0 });
    });

    adminOnly(592, 'audit-logs', (who) => world.client(who).get('/v1/workspaces/audit-logs'));
  });
}
