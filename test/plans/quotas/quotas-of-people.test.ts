import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

const tiers = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08 },
  { tierIndex: 1, minThreshold: 1, rate: 0.12 },
];
const rule = { name: 'New business', measure: 'amount', quotaProration: 'calendar_days', tiers };
const objectives = {
  name: 'MBO',
  measure: 'points',
  executionPhase: 'periodic',
  payoutBase: 'variable_target',
  quotaProration: 'calendar_days',
  conditions: [{ field: 'points', fieldType: 'number', operator: 'is_set' }],
  tiers: [{ tierIndex: 0, minThreshold: 0, rate: 1 }],
};
const leave = { from: '2026-02-10', to: '2026-03-11' };

describe('quotas of people', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;

  beforeEach(async () => {
    workspace = await WorkedExample.create(service, { deals: false });
  });
  afterEach(() => workspace.expectSoundLedger());

  const pay = (...rules: object[]) =>
    workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, { config: { rules } });
  const setQuota = (target: number, terms: object = {}, measure = 'New business') =>
    workspace.api.expect(201, 'POST', '/v1/quotas', {
      repIds: [workspace.ben],
      planId: workspace.planId,
      measure,
      period: '2026-Q1',
      target,
      ...terms,
    });
  const enter = (terms: object = leave) =>
    workspace.api.expect(201, 'POST', '/v1/absences', { repId: workspace.ben, ...terms });
  const employ = (terms: object) => workspace.api.expect(200, 'PATCH', `/v1/reps/${workspace.ben}`, terms);
  const earned = async () => {
    await workspace.calculated();
    return workspace.earned();
  };
  const readQuota = async () =>
    (await workspace.api.expect(200, 'GET', `/v1/quotas?repId=${workspace.ben}&period=2026-Q1`))[0];

  it('Q5, Q11: a leave lowers the variable target by its relief, and leaves the limit of a deal', async () => {
    const limited = { name: 'Large deals', measure: 'amount', capMultiplier: 1, tiers: [{ ...tiers[0], rate: 0.08 }] };
    await pay(objectives, { ...limited, quotaProration: 'calendar_days' });
    await setQuota(100, { variableTarget: 9_000 }, 'MBO');
    await setQuota(100, { variableTarget: 9_000 }, 'Large deals');
    await workspace.deal('a', 500_000, '2026-01-20');
    await workspace.deal('m', 1, '2026-01-20', { fields: { points: 10 } });
    const { absenceId } = await enter();
    expect(await earned()).to.include({ '2026-Q1': '6000', a: '9000' });
    await workspace.api.expect(200, 'PATCH', `/v1/absences/${absenceId}`, { variableRelief: 50 });
    expect(await earned()).to.include({ '2026-Q1': '7500', a: '9000' });
    const quotas = await workspace.api.expect(200, 'GET', `/v1/quotas?repId=${workspace.ben}`);
    const limits = quotas.find(({ measure }: { measure: string }) => measure === 'Large deals');
    expect(limits).to.include({ variableTarget: 9_000, effectiveVariableTarget: 7_500 });
  });

  it('Q8: the target of an absence of the whole quarter is the minimum, which the workspace sets', async () => {
    await pay(rule);
    await setQuota(90_000);
    await workspace.deal('a', 20_000, '2026-02-20');
    await enter({ from: '2026-01-01', to: '2026-03-31' });
    expect(await earned()).to.deep.equal({ a: '1600' });
    expect(await readQuota()).to.deep.include({
      effectiveTarget: 22_500,
      factor: 0.25,
      proration: { target: 90_000, weight: 0, size: 90, unit: 'days', because: 'quota_minimum', minPercent: 25 },
    });
    const { events } = await workspace.api.expect(200, 'GET', '/v1/commissions?dealId=a');
    expect(events[0].trace.proration).to.include({ because: 'quota_minimum', minPercent: 25 });
    const preview = await workspace.api.expect(200, 'POST', '/v1/workspaces/preview', { minQuotaPercent: 20 });
    expect(preview.effect.totals[0]).to.include({ delta: 800 });
    await workspace.api.expect(200, 'PATCH', '/v1/workspaces', { minQuotaPercent: 20 });
    expect(await earned()).to.deep.equal({ a: '2400' });
    expect(await readQuota()).to.include({ effectiveTarget: 18_000, factor: 0.2 });
    for (const minQuotaPercent of [0, 100.5, 1.1234567, null])
      await expectError('400 VALIDATION_FAILED', workspace.api.patch('/v1/workspaces', { minQuotaPercent }));
  });

  it('Q9: whole months count from half of their days on', async () => {
    await pay({ ...rule, quotaProration: 'whole_months' });
    await setQuota(90_000);
    for (const [hireDate, effectiveTarget, weight] of [
      ['2026-02-10', 60_000, 2],
      ['2026-02-20', 30_000, 1],
      ['2026-03-20', 22_500, 0],
    ] as const) {
      await employ({ hireDate });
      const quota = await readQuota();
      expect(quota, hireDate).to.include({ effectiveTarget });
      expect(quota.proration, hireDate).to.include({ weight, size: 3, unit: 'months' });
    }
  });

  it('a quota of a person without the plan is shown with its stored target', async () => {
    await pay(rule);
    const [zoe] = await workspace.api.saveReps('Zoe');
    const [quota] = await setQuota(90_000, { repIds: [zoe] });
    expect(quota).to.include({ target: 90_000 }).and.to.not.have.any.keys('effectiveTarget', 'factors');
    await employ({ hireDate: '2026-02-15' });
    await setQuota(90_000);
    expect(await readQuota()).to.include({ effectiveTarget: 45_000 });
    const { reps } = await workspace.api.expect(200, 'GET', '/v1/commissions?period=2026-Q1&include=all');
    const attainment = reps.flatMap((rep: { repId: string; attainment: object[] }) =>
      rep.repId === zoe ? rep.attainment : [],
    );
    expect(attainment[0]).to.include({ target: 90_000 });
  });

  it('a quota with prorate false is the target whatever the days are, until it is set to true', async () => {
    await pay(rule);
    await setQuota(90_000, { prorate: false });
    await workspace.deal('a', 60_000, '2026-01-20');
    await enter();
    expect(await earned()).to.deep.equal({ a: '4800' });
    const quota = await readQuota();
    expect(quota).to.include({ target: 90_000, prorate: false }).and.to.not.have.any.keys('effectiveTarget', 'factors');
    await setQuota(90_000);
    expect(await readQuota(), 'an omitted field keeps the stored value').to.include({ prorate: false });
    const targets = [{ repId: workspace.ben, period: '2026-Q1', target: 90_000, prorate: true }];
    const request = { planRuleId: quota.planRuleId, targets };
    const preview = await workspace.api.expect(200, 'POST', '/v1/quotas/preview', request);
    expect(preview.effect.totals[0]).to.include({ delta: 2_400 });
    await setQuota(90_000, { prorate: true });
    expect(await earned()).to.deep.equal({ a: '7200' });
    const file = 'email,measure,period,target,prorate\nben@acme.test,New business,2026-Q1,90000,FALSE\n';
    const headers = { 'Content-Type': 'text/csv' };
    const imported = await workspace.api.expect(200, 'POST', '/v1/quotas/import', file, headers);
    expect(imported.results[0]).to.include({ outcome: 'changed' });
    expect(await earned()).to.deep.equal({ a: '4800' });
    const unknown = await workspace.api.expect(
      200,
      'POST',
      '/v1/quotas/import',
      file.replace('FALSE', 'maybe'),
      headers,
    );
    expect(unknown.results[0]).to.include({ outcome: 'rejected', code: 'VALIDATION_FAILED' });
  });

  it('a simulation counts the stored absences, also for a config that prorates for the first time', async () => {
    await setQuota(90_000);
    await workspace.deal('a', 62_000, '2026-01-28');
    await enter();
    await workspace.calculated();
    const request = { config: { rules: [rule] }, repId: workspace.ben, period: '2026-Q1', quota: { target: 90_000 } };
    const simulated = await workspace.api.expect(200, 'POST', '/v1/commissions/simulate', request);
    expect(simulated.total).to.equal(7_440);
    expect(simulated.reps[0].attainment[0]).to.deep.include({
      target: 60_000,
      proration: { target: 90_000, weight: 60, size: 90, unit: 'days' },
    });
    const preview = await workspace.api.expect(200, 'POST', `/v1/plans/${workspace.planId}/preview`, {
      config: { rules: [rule] },
      period: '2026-Q1',
    });
    expect(preview).to.include({ before: 4_960, after: 7_440 });
  });
});
