import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { won } from '#test/support/terms.js';

const tiers = [
  { tierIndex: 0, minThreshold: 0, rate: 0.1 },
  { tierIndex: 1, minThreshold: 1, rate: 0.2 },
];
const config = {
  dealConditions: [won],
  rules: [
    { name: 'New', measure: 'amount', tiers },
    { name: 'Team', executionPhase: 'cascade', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.5 }] },
  ],
};

/** Ann, below Mia, has deals of 1,000 in January, which is approved, and in February; her quota is 4,000. */
describe('the effect of other terms, before they are stored', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;
  let ann: string;
  let plan: { planId: string; planVersionId: string; rules: { id: string }[] };

  const total = async () => {
    await service.waitForCalculations(workspaceId);
    return (await api.expect(200, 'GET', '/v1/commissions?period=2026-Q1')).totals.total;
  };
  const overrides = (rate: number) => [
    { planVersionId: plan.planVersionId, rules: [{ ruleId: plan.rules[0]?.id, tiers: [{ tierIndex: 0, rate }] }] },
  ];

  beforeEach(async () => {
    ({ api, workspaceId } = await service.workspace());
    const [mia, rep] = await api.saveReps({ name: 'Mia', role: 'manager' }, { name: 'Ann', managerEmail: 'mia@x.io' });
    ann = rep as string;
    plan = await api.createPlan({ name: 'AE', config }, [mia as string, ann]);
    const deals = ['2026-01-10', '2026-02-10'].map((closeDate, index) => ({
      ...{ dealId: `d${index}`, ownerId: 'ann', amount: 1000, closeDate, stage: 'Won' },
    }));
    await api.expect(200, 'POST', '/v1/deals/import', { deals });
    const targets = [{ repId: ann, period: '2026-Q1', target: 4000 }];
    await api.expect(201, 'POST', '/v1/quotas', { planRuleId: plan.rules[0]?.id, targets });
    await service.waitForCalculations(workspaceId);
    await api.generate(ann, '2026-01');
    await api.approve(ann, '2026-01');
  });

  it('of one rep is what storing them then does, for the manager too, and what approved periods would owe', async () => {
    const before = await total();
    const path = `/v1/plans/${plan.planId}/overrides/${ann}/preview`;
    const { effect } = await api.expect(200, 'POST', path, { overrides: overrides(0.3) });
    // 200 more for Ann and half of it for Mia in February; January owes Ann 200.
    expect(effect).to.deep.equal({
      lines: 2,
      reps: 2,
      totals: [{ currency: 'USD', delta: 300 }],
      locked: [{ repId: ann, period: '2026-01', currency: 'USD', delta: 200 }],
    });
    expect(await total()).to.equal(before);
    const [stored] = overrides(0.3);
    await api.expect(200, 'PUT', `/v1/plans/${plan.planVersionId}/overrides/${ann}`, { rules: stored?.rules });
    expect(await total()).to.equal(before + 300);
    const none = [{ planVersionId: plan.planVersionId, rules: [] }];
    const taken = await api.expect(200, 'POST', path, { overrides: none });
    expect(taken.effect.totals).to.deep.equal([{ currency: 'USD', delta: -300 }]);
  });

  it('of one rep are checked like those that are stored', async () => {
    const path = `/v1/plans/${plan.planId}/overrides/${ann}/preview`;
    const send = (sent: object) => api.post(path, { overrides: [sent] });
    const [{ rules } = { rules: [] }] = overrides(0.3);
    await expectError('404 plan_not_found', send({ planVersionId: crypto.randomUUID(), rules }));
    const other = await api.createPlan({ name: 'Other', config });
    await expectError('404 plan_not_found', send({ planVersionId: other.planVersionId, rules: [] }));
    const tier = { tierIndex: 7, rate: 0.1 };
    const unknown = [{ ruleId: plan.rules[0]?.id, tiers: [tier] }];
    const wrong = { planVersionId: plan.planVersionId, rules: unknown };
    const tierIndex = 'rules.0.tiers.0.tierIndex';
    const { details } = await expectError('400 VALIDATION_FAILED', send(wrong));
    expect(details.issues[0].path).to.equal(`overrides.0.${tierIndex}`);
  });

  it('of one rep with days move these days only', async () => {
    const before = await total();
    const tiers = [{ tierIndex: 0, rate: 0.3, from: '2026-02-10', to: '2026-02-10' }];
    const rules = [{ ruleId: plan.rules[0]?.id, tiers }];
    const path = `/v1/plans/${plan.planVersionId}/overrides/${ann}`;
    const saved = await api.expect(200, 'PUT', path, { rules });
    expect(saved.rules[0].tiers[0]).to.include({ from: '2026-02-10', to: '2026-02-10' });
    expect(await total()).to.equal(before + 300);
    const later = [{ tierIndex: 0, rate: 0.3, from: '2026-02-11' }];
    await api.expect(200, 'PUT', path, { rules: [{ ruleId: plan.rules[0]?.id, tiers: later }] });
    expect(await total()).to.equal(before);
    const turned = [{ tierIndex: 0, rate: 0.3, from: '2026-02-11', to: '2026-02-10' }];
    await expectError(
      '400 VALIDATION_FAILED',
      api.send('PUT', path, { rules: [{ ruleId: plan.rules[0]?.id, tiers: turned }] }),
    );
  });

  it('of one rep in several versions are stored together, or none of them', async () => {
    const next = await api.expect(200, 'PATCH', `/v1/plans/${plan.planId}`, { config, effectiveStart: '2026-03-01' });
    const termsOf = (ruleId: unknown) => [{ ruleId, tiers: [{ tierIndex: 0, rate: 0.3 }] }];
    const path = `/v1/plans/${plan.planVersionId}/overrides/${ann}`;
    const rules = termsOf(plan.rules[0]?.id);
    const wrong = [{ planVersionId: next.planVersionId, rules: termsOf(plan.rules[0]?.id) }];
    await expectError('404 plan_rule_not_found', api.send('PUT', path, { rules, alsoIn: wrong }));
    const storedIn = (id: string) => api.expect(200, 'GET', `/v1/plans/${id}/overrides`);
    expect(await storedIn(plan.planVersionId)).to.deep.equal([]);
    const unknown = [{ ruleId: next.rules[0].id, tiers: [{ tierIndex: 9, rate: 0.3 }] }];
    const misfit = [{ planVersionId: next.planVersionId, rules: unknown }];
    const { details } = await expectError('400 VALIDATION_FAILED', api.send('PUT', path, { rules, alsoIn: misfit }));
    expect(details.issues[0].path).to.equal('alsoIn.0.rules.0.tiers.0.tierIndex');
    const right = [{ planVersionId: next.planVersionId, rules: termsOf(next.rules[0].id) }];
    await api.expect(200, 'PUT', path, { rules, alsoIn: right });
    expect(await storedIn(plan.planVersionId)).to.have.length(1);
    expect(await storedIn(next.planVersionId)).to.have.length(1);
  });

  it('of quotas is what setting or deleting them then does', async () => {
    const before = await total();
    const planRuleId = plan.rules[0]?.id;
    const targets = [{ repId: ann, period: '2026-Q1', target: 1500 }];
    const { effect } = await api.expect(200, 'POST', '/v1/quotas/preview', { planRuleId, targets });
    expect(effect).to.deep.include({ lines: 2, reps: 2, totals: [{ currency: 'USD', delta: 150 }] });
    expect(await total()).to.equal(before);
    await api.expect(201, 'POST', '/v1/quotas', { planRuleId, targets });
    expect(await total()).to.equal(before + 150);
    const [quota] = await api.expect(200, 'GET', `/v1/quotas?planId=${plan.planId}`);
    const removed = { planRuleId, removed: [quota.quotaId] };
    const { effect: without } = await api.expect(200, 'POST', '/v1/quotas/preview', removed);
    expect(without.totals).to.deep.equal([{ currency: 'USD', delta: -300 }]);
    await expectError(
      '404 quota_not_found',
      api.post('/v1/quotas/preview', { planRuleId, removed: [crypto.randomUUID()] }),
    );
    await expectError(
      '400 VALIDATION_FAILED',
      api.post('/v1/quotas/preview', { planRuleId, targets: [...targets, ...targets] }),
    );
  });

  it('of variable pay is what setting it then does', async () => {
    const rule = { name: 'Bonus', measure: 'amount', payoutBase: 'variable_target', tiers: tiers.slice(0, 1) };
    const bonus = await api.createPlan({ name: 'Bonus', config: { dealConditions: [won], rules: [rule] } }, [ann]);
    const planRuleId = bonus.rules[0]?.id;
    const set = async (variableTarget: number) => {
      const targets = [{ repId: ann, period: '2026-Q1', target: 4000, variableTarget }];
      const { effect } = await api.expect(200, 'POST', '/v1/quotas/preview', { planRuleId, targets });
      const before = await total();
      await api.expect(201, 'POST', '/v1/quotas', { planRuleId, targets });
      expect(effect.totals).to.deep.equal([{ currency: 'USD', delta: (await total()) - before }]);
      return effect.totals[0].delta;
    };
    await set(1000);
    // In February 200 for Ann, and half of it for Mia.
    expect(await set(3000)).to.equal(300);
  });

  it('of the currency of the workspace moves every amount', async () => {
    const { effect } = await api.expect(200, 'POST', '/v1/workspaces/preview', { currency: 'EUR' });
    // The approved January of Ann stays in dollars, so that Mia earns nothing on it in a plan in euros.
    expect(effect.totals).to.have.deep.members([
      { currency: 'USD', delta: -200 },
      { currency: 'EUR', delta: 150 },
    ]);
    expect(effect.locked).to.have.deep.members([
      { repId: ann, period: '2026-01', currency: 'USD', delta: -100 },
      { repId: ann, period: '2026-01', currency: 'EUR', delta: 100 },
    ]);
    expect((await api.expect(200, 'GET', '/v1/workspaces')).currency).to.equal('USD');
  });
});
