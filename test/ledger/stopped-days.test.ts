import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

const config = (rate: number) => ({
  rules: [{ name: 'Commission', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate }] }],
});

describe('events of stopped days', () => {
  const service = Service.duringSuite();

  /** Two reps on a plan whose second version pays from April. */
  async function team() {
    const { api, workspaceId } = await service.workspace({});
    const [ann, bob] = await api.saveReps('Ann', 'Bob');
    const { planId, planVersionId } = await api.createPlan({ name: 'Plan', config: config(0.1) });
    const later = { config: config(0.2), effectiveStart: '2026-04-01' };
    await api.expect(200, 'PATCH', `/v1/plans/${planId}`, later);
    const [assigned] = await api.assign([ann, bob], planId);
    const put = (repId: string, closeDate: string) =>
      api.put('/v1/deals/d1', { amount: 1000, closeDate, repId, fields: {} });
    const earned = async () => {
      await service.waitForCalculations(workspaceId);
      const rows = await service.sql<{ repId: string; amount: number; earnedOn: string }>(
        `select rep_id as "repId", amount::float8 as amount, earned_on as "earnedOn" from commission_events
        where workspace_id = $1 and status = 'earned'`,
        workspaceId,
      );
      return rows.map(({ repId, amount, earnedOn }) => [repId === ann ? 'Ann' : 'Bob', earnedOn, amount]);
    };
    const stop = (of: string) => api.expect(200, 'PATCH', `/v1/plans/${of}/status`, { status: 'archived' });
    return { api: api as ApiClient, ann, bob, planId, planVersionId, assigned, put, earned, stop };
  }

  it('stay where they were earned when the deal moves to a day that pays, and back', async () => {
    const { ann, planVersionId, put, earned, stop } = await team();
    await put(ann, '2026-03-10');
    await stop(planVersionId);
    for (const day of ['2026-05-10', '2026-03-11', '2026-05-10']) {
      await put(ann, day);
      expect(await earned(), day).to.deep.equal([['Ann', '2026-03-10', 100]]);
    }
  });

  it('keep their key when only the other day is calculated', async () => {
    const { api, ann, planVersionId, put, earned, stop } = await team();
    await put(ann, '2026-03-10');
    await stop(planVersionId);
    await put(ann, '2026-05-10');
    await api.put('/v1/deals/d2', { amount: 10, closeDate: '2026-05-11', repId: ann, fields: {} });
    expect(await earned()).to.have.deep.members([
      ['Ann', '2026-03-10', 100],
      ['Ann', '2026-05-11', 2],
    ]);
  });

  it('stay with the rep who earned them while the deal exists', async () => {
    const { api, ann, bob, planId, put, earned, stop } = await team();
    await put(ann, '2026-03-10');
    await stop(planId);
    await put(bob, '2026-03-10');
    expect(await earned()).to.deep.equal([['Ann', '2026-03-10', 100]]);
    await api.expect(200, 'DELETE', '/v1/deals/d1');
    expect(await earned()).to.deep.equal([]);
  });

  it('are none for a draft that has never been active: what an ended plan earned after its end is reversed', async () => {
    const { api, ann, planId, put, earned } = await team();
    await put(ann, '2026-05-10');
    const draft = { config: config(0.3), effectiveStart: '2026-05-01', status: 'draft' };
    await api.expect(200, 'PATCH', `/v1/plans/${planId}`, draft);
    expect(await earned()).to.deep.equal([['Ann', '2026-05-10', 200]]);
    await api.expect(200, 'PATCH', `/v1/plans/${planId}`, { effectiveEnd: '2026-04-30' });
    expect(await earned()).to.deep.equal([]);
  });

  it('stay under a draft that has been active', async () => {
    const { api, ann, planVersionId, put, earned } = await team();
    await put(ann, '2026-03-10');
    await api.expect(200, 'PATCH', `/v1/plans/${planVersionId}/status`, { status: 'draft' });
    await put(ann, '2026-03-11');
    expect(await earned()).to.deep.equal([['Ann', '2026-03-10', 100]]);
  });

  it('stay when the dates of the assignment change', async () => {
    const { api, ann, planId, assigned, put, earned, stop } = await team();
    await put(ann, '2026-03-10');
    await stop(planId);
    const body = { effectiveStart: '2026-06-01' };
    await api.expect(200, 'PATCH', `/v1/assignments/${assigned.assignmentId}`, body);
    expect(await earned()).to.deep.equal([['Ann', '2026-03-10', 100]]);
  });
});
