import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';

import { configOf, describeTimeline, formatStretches, type Plan } from './timeline-tests.js';

describeTimeline(false);

describe('plan responses and changes', () => {
  const service = Service.duringSuite({ worker: false });
  let api: ApiClient;
  beforeEach(async () => {
    ({ api } = await service.workspace());
  });

  const create = (more: object = {}): Promise<Plan> => api.createPlan({ name: 'AE', config: configOf(0.1), ...more });
  const patch = (planRef: string, change: object): Promise<Plan> =>
    api.expect(200, 'PATCH', `/v1/plans/${planRef}`, change);
  const setStatus = (planRef: string, status: string): Promise<Plan> =>
    api.expect(200, 'PATCH', `/v1/plans/${planRef}/status`, { status });
  const get = (planRef: string): Promise<Plan> => api.expect(200, 'GET', `/v1/plans/${planRef}`);
  const list = (query = ''): Promise<Plan[]> => api.expect(200, 'GET', `/v1/plans${query}`);
  const ofVersions = ['later_version_starts', 'attainment_restarts', 'plan_not_active'];
  const versionWarnings = (plan: Plan) => plan.warnings.filter(({ code }) => ofVersions.includes(code));
  const codes = (plan: Plan) => versionWarnings(plan).map(({ code }) => code);

  it('resolves a planId to the version in force today, otherwise to the next to start, otherwise to the latest', async () => {
    const plan = await create({ effectiveStart: '2020-01-01', effectiveEnd: '2020-12-31' });
    const later = { effectiveStart: '2190-01-01', effectiveEnd: null };
    const second = await patch(plan.planId, { config: configOf(0.2), ...later });
    const third = await patch(plan.planId, { config: configOf(0.3), ...later });
    expect((await get(plan.planId)).version).to.equal(1);
    expect((await list())[0]).to.deep.include({ version: 1, effectiveEnd: '2020-12-31', inForce: null });
    await setStatus(plan.planVersionId, 'archived');
    expect((await get(plan.planId)).version).to.equal(3);
    await setStatus(third.planVersionId, 'archived');
    expect((await get(plan.planId)).version).to.equal(2);
    await setStatus(second.planVersionId, 'draft');
    expect((await get(plan.planId)).version).to.equal(3);
  });

  it('copies omitted fields of a PATCH from the version of the planRef', async () => {
    const plan = await create({ currency: 'EUR', fieldMapping: { amount: 'acv' }, effectiveStart: '2026-01-01' });
    await patch(plan.planId, { config: configOf(0.2), effectiveStart: '2190-07-01', currency: 'GBP' });
    const fixed = await patch(plan.planId, { effectiveEnd: '2189-12-31' });
    expect(fixed).to.deep.include({
      version: 3,
      config: configOf(0.1),
      currency: 'EUR',
      effectiveStart: '2026-01-01',
      effectiveEnd: '2189-12-31',
      fieldMapping: { amount: 'acv' },
    });
    expect(formatStretches(fixed.timeline)).to.deep.equal(['3 2026-01-01..2189-12-31', '2 2190-07-01..']);
  });

  it('creates a version for a new currency or field mapping, but not for a new name', async () => {
    const plan = await create();
    expect(await patch(plan.planId, { currency: 'EUR' })).to.deep.include({ version: 2, currency: 'EUR' });
    expect(await patch(plan.planId, { currency: null })).to.deep.include({ version: 3, currency: null });
    const mapped = await patch(plan.planId, { fieldMapping: { amount: 'acv' } });
    expect(mapped).to.deep.include({ version: 4, fieldMapping: { amount: 'acv' } });
    expect(await patch(plan.planId, { fieldMapping: null })).to.deep.include({ version: 5, fieldMapping: null });
    expect(await patch(plan.planId, { name: 'Account executives' })).to.deep.include({
      version: 5,
      name: 'Account executives',
    });
    expect((await get(plan.planVersionId)).name).to.equal('Account executives');
    for (const body of [{ name: '' }, { name: null }, { fieldMapping: { closeDate: 'x' } }]) {
      await expectError('400 VALIDATION_FAILED', api.patch(`/v1/plans/${plan.planId}`, body));
    }
  });

  it('rejects the name of another plan in any case, and accepts a change of case', async () => {
    const plan = await create();
    await create({ name: 'BDR' });
    await expectError('409 plan_name_taken', api.patch(`/v1/plans/${plan.planId}`, { name: 'bdr' }));
    expect((await patch(plan.planId, { name: 'ae' })).name).to.equal('ae');
  });

  it('warns when a version starts after the one that effectiveEnd ends', async () => {
    const plan = await create();
    const next = await patch(plan.planId, { config: configOf(0.2), effectiveStart: '2190-07-01' });
    expect(codes(next)).to.deep.equal([]);
    const ended = await patch(plan.planId, { effectiveEnd: '2189-12-31' });
    expect(codes(ended)).to.deep.equal(['later_version_starts']);
    expect(versionWarnings(ended)[0]?.path).to.equal('effectiveEnd');
    expect(versionWarnings(ended)[0]?.message)
      .to.include('version 2 starts on 2190-07-01')
      .and.include(next.planVersionId);
    expect(codes(await patch(next.planVersionId, { effectiveEnd: '2191-01-31' }))).to.deep.equal([]);
  });

  it('warns when a quotaGroup is added, changed or removed', async () => {
    const plan = await create();
    const grouped = await patch(plan.planId, { config: configOf(0.1, { quotaGroup: 'Team' }) });
    expect(codes(grouped)).to.deep.equal(['attainment_restarts']);
    expect(versionWarnings(grouped)[0]?.path).to.equal('config.rules.0.quotaGroup');
    expect(codes(await patch(plan.planId, { config: configOf(0.2, { quotaGroup: 'Team' }) }))).to.deep.equal([]);
    expect(codes(await patch(plan.planId, { config: configOf(0.2) }))).to.deep.equal(['attainment_restarts']);
  });

  it('uses the dates in a config of the second shape as the dates of the request', async () => {
    const second = (more: object) => ({
      quotaPeriod: 'monthly',
      rules: [{ name: 'New', baseField: 'amount', tiers: [{ min: 0, rate: 0.1 }] }],
      ...more,
    });
    const config = second({ version: 7, effectiveStart: '2026-01-01', effectiveEnd: '2189-12-31' });
    const plan = await create({ config, effectiveStart: '2026-01-01' });
    expect(plan).to.deep.include({ effectiveStart: '2026-01-01', effectiveEnd: '2189-12-31' });
    expect(plan.config).to.deep.equal({ ...config, version: 1 });
    const moved = await patch(plan.planId, { effectiveEnd: '2188-12-31' });
    expect(moved.config).to.deep.equal({ ...config, version: 2, effectiveEnd: '2188-12-31' });
    const followed = await patch(plan.planId, {
      config: second({ version: 2, effectiveStart: '2190-01-01', effectiveEnd: null }),
    });
    expect(followed).to.deep.include({ version: 3, effectiveStart: '2190-01-01', effectiveEnd: null });
    expect(formatStretches(followed.timeline)).to.deep.equal(['2 2026-01-01..2188-12-31', '3 2190-01-01..']);
    for (const body of [
      { config, effectiveStart: '2026-02-01' },
      { config, effectiveEnd: null },
      { config: second({ effectiveStart: 'soon' }) },
    ]) {
      const { details } = await expectError('400 VALIDATION_FAILED', api.patch(`/v1/plans/${plan.planId}`, body));
      expect(details.issues[0].path).to.match(/^config\.effective(Start|End)$/);
    }
  });

  it('lists a plan by its own status while it is not active', async () => {
    const plan = await create();
    await patch(plan.planId, { config: configOf(0.2) });
    const names = async (query: string) => (await list(query)).map((one) => `${one.version} ${one.planStatus}`);
    await setStatus(plan.planId, 'archived');
    expect(await names('')).to.deep.equal(['2 archived']);
    expect(await names('?status=archived')).to.deep.equal(['2 archived']);
    expect(await names('?status=active')).to.deep.equal([]);
    await setStatus(plan.planId, 'deleted');
    expect(await names('')).to.deep.equal([]);
    expect(await names('?versions=all')).to.deep.equal([]);
    expect(await names('?status=deleted')).to.deep.equal(['2 deleted']);
    const plansOf = async (query = '') => (await api.expect(200, 'GET', `/v1/workspaces${query}`)).plans.length;
    expect([await plansOf(), await plansOf('?includeDeleted=true')]).to.deep.equal([0, 1]);
    expect(await patch(plan.planId, { config: configOf(0.3), status: 'active' })).to.deep.include({
      planStatus: 'active',
      version: 3,
    });
    expect(await plansOf()).to.equal(1);
  });
});
