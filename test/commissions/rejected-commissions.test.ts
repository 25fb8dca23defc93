import { expect } from 'chai';
import { LaneRunner } from '#src/ledger/lanes/lane-runner.js';
import { duringSuite } from '#test/support/during-suite.js';
import { openTransaction } from '#test/support/open-transaction.js';
import { bodies, invalid, manyRules, RejectionWorld, rejects, rule } from '#test/support/rejections.js';

const recalculate = 'POST /v1/commissions/recalculate';
const simulate = 'POST /v1/commissions/simulate';
const config = { rules: [rule] };
const simulated = (change: object) => ({ planId: '<ae>', period: '2026-03', ...change });

describe('rejected calculations', () => {
  const world = duringSuite(() => RejectionWorld.create());

  rejects(() => world, '404 rep_not_found', {
    'a recalculation of an unknown rep': [recalculate, { repId: '<unknown>' }],
    'a simulation for an unknown rep': [simulate, simulated({ repId: '<unknown>' })],
    'a simulation for a known and an unknown rep': [simulate, simulated({ repIds: ['<ada>', '<unknown>'] })],
  });

  rejects(() => world, '404 plan_not_found', {
    'a recalculation of an unknown plan': [recalculate, { planId: '<unknown>' }],
    'a simulation of an unknown plan': [simulate, simulated({ planId: '<unknown>' })],
    'a simulation of an unknown version': [simulate, { planVersionId: '<unknown>', period: '2026-03' }],
  });

  rejects(() => world, '404 deal_not_found', {
    'a recalculation of an unknown deal': [recalculate, { dealId: 'nope' }],
  });

  rejects(
    () => world,
    invalid,
    bodies(recalculate, {
      'an id that is not a UUID': { repId: 'me' },
      'async as text': { async: 'true' },
      'async as a number': { async: 1 },
      'async null': { async: null },
    }),
  );

  rejects(
    () => world,
    invalid,
    bodies(simulate, {
      'no plan and no config': { period: '2026-03' },
      'a plan and a version': simulated({ planVersionId: '<aeVersion>' }),
      'repId and repIds': simulated({ repId: '<ada>', repIds: ['<ada>'] }),
      'effectiveStart without a config': simulated({ effectiveStart: '2026-02-01' }),
      'effectiveStart without a plan': { ...simulated({ config }), planId: undefined, effectiveStart: '2026-02-01' },
      'a version and a config': { planVersionId: '<aeVersion>', period: '2026-03', config },
      'two starts': simulated({ config: { ...config, effectiveStart: '2026-03-01' }, effectiveStart: '2026-02-01' }),
      'a day that does not exist': simulated({ asOf: '2026-02-30' }),
      'a target below 0': simulated({ quota: { target: -1 } }),
      'a target of 1e308': simulated({ quota: { target: 1e308 } }),
      'a deal without a rep': simulated({ deals: [{ dealId: 'x', amount: 1 }] }),
      'a deal without a date': simulated({ deals: [{ dealId: 'x', amount: 1, repId: '<ada>' }] }),
      '51 rules': { period: '2026-03', config: { rules: manyRules(51) } },
      'no rules': { period: '2026-03', config: { rules: [] } },
    }),
  );

  rejects(() => world, '413 payload_too_large', {
    'a simulation of more than 1 MiB': [
      simulate,
      { period: '2026-03', config: { rules: [{ ...rule, name: 'x'.repeat(1024 * 1024) }] } },
    ],
  });

  rejects(() => world, '403 forbidden', {
    'a rep who simulates another rep among others': [simulate, simulated({ repIds: ['<ada>', '<bob>'] }), 'rep'],
    'a connection token that simulates': [simulate, simulated({}), 'connection'],
  });

  rejects(
    () => world,
    invalid,
    bodies('POST /v1/commissions/reset', {
      'the scope __proto__': { scope: '__proto__' },
      'the scope null': { scope: null },
    }),
  );

  it('a recalculation uses the narrowest of several ids', async () => {
    const scopeOf = async (body: object) => (await world.send(recalculate, body)).body.scope;
    expect(await scopeOf({ repId: '<ada>', planId: '<ae>', dealId: 'won-1' })).to.equal('deal');
    expect(await scopeOf({ repId: '<ada>', planId: '<ae>' })).to.equal('rep');
    expect(await scopeOf({ planId: '<ae>' })).to.equal('plan');
    expect(await scopeOf({})).to.equal('workspace');
    await world.service.waitForCalculations(world.workspaceId);
  });

  it('a recalculation joins the running job of the same scope and of no other scope', async () => {
    const { service, workspaceId, ids } = world;
    const lanes = 'select from lanes where workspace_id = $1 for update';
    const locked = await openTransaction(service.database.ownerUrl, lanes, workspaceId);
    const start = async (body: object) => (await world.send(recalculate, { ...body, async: true })).body;
    const first = await start({ repId: '<ada>' });
    const second = await start({ repId: '<ada>' });
    const other = await start({ repId: '<bob>' });
    expect(first).to.deep.include({ triggered: true, async: true, status: 'running', scope: 'rep' });
    expect(second).to.deep.equal(first);
    expect(other.jobId).not.to.equal(first.jobId);
    await locked.rollback();
    const repIds = ['ada', 'bob'].map((name) => ids.get(name) as string);
    await service.running.service.parts.resolve(LaneRunner).calculateNow(workspaceId, repIds);
    await service.waitForCalculations(workspaceId);
    const job = await world.send(`GET /v1/commissions/recalculate/jobs/${first.jobId}`);
    expect(job.body).to.deep.include({ status: 'completed', progress: { done: 1, total: 1 } });
  });
});
