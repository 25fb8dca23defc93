import { expect } from 'chai';
import { adminOnly, rejects, unauthorized } from './rejections.js';
import { row } from './rows.js';
import { type Json } from './running-service.js';
import { exampleTiers, expectError, type Plan, World } from './world.js';

/** Section 4 of the specification, quotas. */
export function describeQuotaRoutes(): void {
  describe('4: quotas', () => {
    let world: World;
    let plan: Plan;
    let created: Json;

    before(async () => {
      world = await World.create();
      plan = await world.plan('AE', [{ name: 'Commission', measure: 'amount', tiers: exampleTiers }]);
      await world.assign(plan, 'ben', 'cat');
      await world.deal('D1', { amount: 50_000, closeDate: '2026-01-15' });
      await world.waitForCalculations();
    });

    const post = (body: object) => world.admin.post('/v1/quotas', body);
    const body = (more: object = {}) => ({
      repIds: [world.ids.ben],
      planRuleId: plan.rules[0]?.id,
      period: '2026-Q1',
      target: 100_000,
      ...more,
    });

    row(438, 'POST by planRuleId is 201 with the quota record', async () => {
      [created] = await world.admin.expect(201, 'POST', '/v1/quotas', body({ variableTarget: 20_000 }));
      expect(created).to.include({
        repId: world.ids.ben,
        planId: plan.planId,
        planRuleId: plan.rules[0]?.id,
        measure: 'Commission',
        period: '2026-Q1',
        target: 100_000,
        variableTarget: 20_000,
      });
    });

    row(439, 'POST by measure finds the rule by its name', async () => {
      const byName = { repIds: [world.ids.cat], measure: 'Commission', period: '2026-Q1', target: 80_000 };
      const [quota] = await world.admin.expect(201, 'POST', '/v1/quotas', byName);
      expect(quota).to.include({ repId: world.ids.cat, planRuleId: plan.rules[0]?.id, target: 80_000 });
    });

    row(440, 'POST upserts by rep, period and plan', async () => {
      const [again] = await world.admin.expect(201, 'POST', '/v1/quotas', body({ target: 40_000 }));
      expect(again).to.include({ quotaId: created.quotaId, target: 40_000 });
      const quotas = await world.get(`/v1/quotas?repId=${world.ids.ben}`);
      expect(quotas.map((one: Json) => [one.period, one.target])).to.deep.equal([['2026-Q1', 40_000]]);
      expect(await world.earned()).to.deep.equal({ D1: 7500 });
    });

    for (const [number, field] of [
      [441, 'period'],
      [442, 'target'],
      [443, 'repIds'],
    ] as const)
      row(number, `POST without ${field} is 400 and changes nothing`, async () => {
        const before = await world.get('/v1/quotas');
        const { message } = await expectError('400 VALIDATION_FAILED', post({ ...body(), [field]: undefined }));
        expect(message).to.contain(field);
        expect(await world.get('/v1/quotas')).to.deep.equal(before);
      });

    row(444, 'POST with neither planRuleId nor measure is 400', async () => {
      const { message } = await expectError('400 VALIDATION_FAILED', post(body({ planRuleId: undefined })));
      expect(message).to.match(/planRuleId.*measure|measure.*planRuleId/);
    });

    adminOnly(445, 'POST', (who) => world.client(who).post('/v1/quotas', body()));

    row(446, 'planId resolves a measure that two plans have', async () => {
      const other = await world.plan('Second AE', [{ name: 'Commission', measure: 'amount', tiers: exampleTiers }]);
      await world.assign(other, 'cat');
      const ambiguous = { repIds: [world.ids.cat], measure: 'Commission', period: '2026-Q2', target: 1000 };
      await expectError('400 quota_ambiguous_measure', post(ambiguous));
      const resolved = { ...ambiguous, planId: other.planId };
      const [quota] = await world.admin.expect(201, 'POST', '/v1/quotas', resolved);
      expect(quota).to.include({ planId: other.planId, planRuleId: other.rules[0]?.id, period: '2026-Q2' });
    });

    row(447, 'GET returns a bare array of quota records', async () => {
      const quotas = await world.get('/v1/quotas');
      expect(quotas).to.be.an('array').with.length(3);
      for (const quota of quotas)
        expect(quota).to.include.keys('quotaId', 'repId', 'planId', 'planRuleId', 'measure', 'period', 'target');
    });

    row(448, 'a quota record carries current_value', async () => {
      const [quota] = await world.get(`/v1/quotas?repId=${world.ids.ben}`);
      expect(quota).to.include({ current_value: 50_000, target: 40_000, attainment: 1.25 });
    });

    row(449, 'GET filters by repId, planId and period', async () => {
      const { ben, cat } = world.ids;
      expect(await world.get(`/v1/quotas?repId=${cat}`)).to.have.length(2);
      expect(await world.get(`/v1/quotas?planId=${plan.planId}`)).to.have.length(2);
      expect(await world.get(`/v1/quotas?period=2026-Q2`)).to.have.length(1);
      expect(await world.get(`/v1/quotas?repId=${ben}&period=2026-Q2`)).to.deep.equal([]);
    });

    unauthorized(450, 'GET', () => world.anyone.get('/v1/quotas'));
    adminOnly(451, 'DELETE', (who) => world.client(who).delete(`/v1/quotas/${created.quotaId}`));

    row(452, 'DELETE removes the quota', async () => {
      const deleted = await world.admin.expect(200, 'DELETE', `/v1/quotas/${created.quotaId}`);
      expect(deleted).to.deep.equal({ deleted: true, quotaId: created.quotaId });
      expect(await world.get(`/v1/quotas?repId=${world.ids.ben}`)).to.deep.equal([]);
      expect(await world.earned()).to.deep.equal({ D1: 0 });
    });

    rejects(453, 'DELETE of an unknown quota is 404', 404, 'quota_not_found', () =>
      world.admin.delete(`/v1/quotas/${created.quotaId}`),
    );

    row(437, 'after the DELETE the rep shows attainment 0 for the period', async () => {
      const path = `/v1/commissions?repId=${world.ids.ben}&period=2026-Q1`;
      const { attainment } = await world.get(path);
      expect(attainment).to.have.length(1);
      expect(attainment[0]).to.include({ planId: plan.planId, period: '2026-Q1', attainment: 0, target: 0 });
    });
  });
}
