import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

describe('POST /v1/quotas with targets', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let ids: Record<string, string>;
  let planRuleId: string;

  beforeEach(async () => {
    ({ api } = await service.workspace());
    const [ann, bob] = await api.saveReps('Ann', 'Bob');
    ids = { Ann: ann, Bob: bob };
    const rule = { name: 'New', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] };
    const plan = await api.createPlan({ name: 'AE', config: { rules: [rule] } });
    planRuleId = plan.rules[0].id;
    await api.assign(Object.values(ids), plan.planId);
  });

  const post = (status: number, targets: unknown, more: object = { measure: 'New' }) =>
    api.expect(status, 'POST', '/v1/quotas', { ...more, targets });

  it('sets one target for each rep and period, by id and by e-mail in any case', async () => {
    const quotas = await post(201, [
      { repId: ids['Ann'], period: '2026-Q1', target: 100 },
      { repId: ids['Ann'], period: '2026-Q2', target: 200, variableTarget: 20 },
      { email: 'BOB@X.io', period: '2026-Q1', target: 300 },
    ]);
    const shown = quotas.map(({ repId, period, target, variableTarget }: Record<string, unknown>) => [
      repId,
      period,
      target,
      variableTarget,
    ]);
    expect(shown).to.deep.equal([
      [ids['Ann'], '2026-Q1', 100, null],
      [ids['Ann'], '2026-Q2', 200, 20],
      [ids['Bob'], '2026-Q1', 300, null],
    ]);
    expect(await api.expect(200, 'GET', '/v1/quotas')).to.have.length(3);
  });

  it('rejects every field of the other form at once', async () => {
    const targets = [{ repId: ids['Ann'], period: '2026-Q1', target: 100 }];
    const { details } = await post(400, targets, { measure: 'New', period: '2026-Q1', target: 100, variableTarget: 5 });
    const paths = details.issues.map(({ path }: { path: string }) => path);
    expect(paths).to.deep.equal(['period', 'target', 'variableTarget']);
  });

  it('leaves an omitted variable target unchanged, and clears it with null', async () => {
    const target = { repId: ids['Ann'], period: '2026-Q1', target: 100 };
    await post(201, [{ ...target, variableTarget: 50 }], { planRuleId });
    const [unchanged] = await post(201, [{ ...target, target: 200 }]);
    expect(unchanged).to.include({ target: 200, variableTarget: 50 });
    const [cleared, other] = await post(201, [
      { ...target, variableTarget: null },
      { ...target, repId: ids['Bob'] },
    ]);
    expect(cleared).to.include({ target: 100, variableTarget: null });
    expect(other).to.include({ target: 100, variableTarget: null });
  });

  it('starts a new quota at the credit of its rep and period', async () => {
    const deal = (closeDate: string, amount: number, repId = ids['Ann']) => ({ closeDate, amount, repId });
    await api.expect(201, 'PUT', '/v1/deals/1', deal('2026-01-10', 40));
    await api.expect(201, 'PUT', '/v1/deals/2', deal('2026-04-10', 60));
    const { workspaceId } = await api.expect(200, 'GET', '/v1/workspaces');
    await service.waitForCalculations(workspaceId);
    const quotas = await post(201, [
      { email: 'ann@x.io', period: '2026-Q1', target: 100 },
      { email: 'ann@x.io', period: '2026-Q2', target: 100 },
      { email: 'bob@x.io', period: '2026-Q1', target: 100 },
    ]);
    expect(quotas.map((one: Record<string, unknown>) => one['current_value'])).to.deep.equal([40, 60, 0]);
  });

  it('sets no target when one of them is invalid', async () => {
    const good = { repId: ids['Ann'], period: '2026-Q1', target: 100 };
    const rejected = await Promise.all([
      post(404, [good, { ...good, repId: randomUUID() }]),
      post(404, [good, { period: '2026-Q1', target: 1, email: 'nobody@x.io' }]),
      post(400, [good, { ...good, period: '2026-03' }]),
      post(400, [good, { ...good, target: 5 }]),
    ]);
    expect(rejected.map(({ code }) => code)).to.deep.equal([
      'rep_not_found',
      'rep_not_found',
      'period_mismatch',
      'VALIDATION_FAILED',
    ]);
    expect(rejected[1].details).to.deep.equal({ emails: ['nobody@x.io'] });
    expect(rejected[3].message).to.include('targets.1').and.include('targets.0');
    expect(await api.expect(200, 'GET', '/v1/quotas')).to.deep.equal([]);
  });

  it('rejects a body that mixes both forms, has neither form, or has a target with two reps or no rep', async () => {
    const target = { repId: ids['Ann'], period: '2026-Q1', target: 100 };
    const paths = async (body: object) =>
      (await api.expect(400, 'POST', '/v1/quotas', body)).details.issues.map(({ path }: { path: string }) => path);
    expect(await paths({ measure: 'New', targets: [target], repIds: [ids['Ann']] })).to.deep.equal(['repIds']);
    expect(await paths({ measure: 'New', targets: [target], variableTarget: 5 })).to.deep.equal(['variableTarget']);
    expect(await paths({ measure: 'New' })).to.deep.equal(['repIds', 'period', 'target']);
    expect(await paths({ measure: 'New', targets: [{ ...target, email: 'ann@x.io' }] })).to.deep.equal(['targets.0']);
    expect(await paths({ measure: 'New', targets: [{ period: '2026-Q1', target: 1 }] })).to.deep.equal(['targets.0']);
    expect(await paths({ measure: 'New', targets: [] })).to.deep.equal(['targets']);
  });
});
