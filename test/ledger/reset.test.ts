import { expect } from 'chai';
import { ledgerRows } from '#test/support/ledger-checks.js';
import { Service } from '#test/support/service.js';
import { type Workspace } from '#test/support/workspace.js';
import { D1, D2, D3, TeamExample } from './team-example.js';

const config = {
  rules: [{ name: 'New', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }],
};

describe('reset and cleanup', () => {
  const service = Service.duringSuite();
  let world: Workspace;

  before(async () => {
    world = await service.workspace();
    const repIds = await world.api.saveReps('A');
    await world.api.createPlan({ name: 'P', config }, repIds);
    await world.api.setQuota(repIds, 'New', '2026-Q1', 100);
    for (const id of ['D1', 'D2']) {
      await world.api.expect(201, 'PUT', `/v1/deals/${id}`, { amount: 100, closeDate: '2026-02-01', ownerId: 'a' });
    }
    await service.waitForCalculations(world.workspaceId);
  });

  it('clears events and counters, and a recalculation restores both and continues the history', async () => {
    const rows = await ledgerRows(service.database.ownerUrl, world.workspaceId);
    for (let round = 0; round < 2; round += 1) {
      const counts = await world.api.expect(200, 'POST', '/v1/commissions/reset', { scope: 'events' });
      expect(counts).to.deep.equal({ events: 2, quotas: 1, skippedLocked: 0 });
      expect(await ledgerRows(service.database.ownerUrl, world.workspaceId)).to.deep.equal([]);
      await service.expectSoundLedger(world.workspaceId);
      const again = await world.api.expect(200, 'POST', '/v1/commissions/recalculate', {});
      expect(again.eventsWritten).to.equal(2);
      expect(await ledgerRows(service.database.ownerUrl, world.workspaceId)).to.deep.equal(rows);
      await service.expectSoundLedger(world.workspaceId);
    }
    const revisions = await service.sql(
      'select distinct revision from commission_events where workspace_id = $1',
      world.workspaceId,
    );
    expect(revisions).to.deep.equal([{ revision: 5 }]);
  });
});

describe('a recalculation after a reset', () => {
  // Without workers, so that a recalculation from before the reset is still pending.
  const service = Service.duringSuite({ worker: false });
  let example: TeamExample;
  let paid: unknown[];

  beforeEach(async () => {
    example = await TeamExample.create(service);
    await example.put(D1, D2, { ...D3, rep: 'bob' });
    await example.drain();
    paid = await ledger();
  });

  const ledger = () => ledgerRows(service.database.ownerUrl, example.workspaceId);
  const reset = () => example.api.expect(200, 'POST', '/v1/commissions/reset', { scope: 'events' });

  const scopes = [
    ['the workspace', () => ({})],
    ['a plan', () => ({ planId: example.planId })],
    ['a rep', () => ({ repId: example.repIds.ann })],
    ['a deal', () => ({ dealId: D1.dealId })],
  ] as const;
  for (const [name, scope] of scopes)
    it(`of ${name} does not join one that started before it`, async () => {
      await reset();
      const before = await example.startRecalculation(scope());
      expect(await example.startRecalculation(scope()), 'the one that runs').to.equal(before);
      await reset();
      const after = await example.startRecalculation(scope());
      expect(after).not.to.equal(before);
      expect(await example.startRecalculation(scope()), 'the one after the reset').to.equal(after);
    });

  it('restores everything, whatever an earlier recalculation has calculated', async () => {
    await reset();
    await example.startRecalculation();
    await example.drain([example.repIds.ann]);
    await reset();
    expect(await ledger()).to.deep.equal([]);
    await example.startRecalculation();
    await example.drain();
    expect(paid).not.to.deep.equal([]);
    expect(await ledger()).to.deep.equal(paid);
  });

  it('restores everything after a cleanup', async () => {
    await reset();
    const before = await example.startRecalculation();
    await example.drain([example.repIds.ann]);
    await example.api.expect(200, 'POST', '/v1/commissions/cleanup');
    expect(await example.startRecalculation()).not.to.equal(before);
    await example.drain();
    expect(await ledger()).to.deep.equal(paid);
  });
});
