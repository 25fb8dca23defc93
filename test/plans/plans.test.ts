import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';

const tier = (tierIndex: number, minThreshold: number, rate: number, more: object = {}) => ({
  tierIndex,
  minThreshold,
  rate,
  ...more,
});
const rule = (name: string, more: object = {}) => ({ name, measure: 'amount', tiers: [tier(0, 0, 0.1)], ...more });
const configOf = (...names: string[]) => ({ rules: names.map((name) => rule(name)) });

interface Plan {
  readonly planId: string;
  readonly planVersionId: string;
  readonly id: string;
  readonly version: number;
  readonly name: string;
  readonly status: string;
  readonly effectiveStart: string | null;
  readonly effectiveEnd: string | null;
  readonly currency: string | null;
  readonly config: { rules: { tiers: object[] }[] };
  readonly rules: { id: string; name: string; tiers: object[] }[];
  readonly assignedReps: { repId: string; name: string }[];
}

describe('plans over HTTP', () => {
  const service = Service.duringSuite();
  let workspaceId: string;
  let api: ApiClient;
  beforeEach(async () => {
    ({ workspaceId, api } = await service.workspace());
  });

  /** The plan in the response of a write. plan-warnings.test.ts checks its warnings. */
  const written = async (answer: Promise<Plan & { warnings: object[] }>): Promise<Plan> => {
    const { warnings, ...plan } = await answer;
    expect(warnings).to.be.an('array');
    return plan;
  };
  const create = (name: string, more: object = {}): Promise<Plan> =>
    written(api.createPlan({ name, config: configOf('New'), ...more }));
  const get = (planRef: string): Promise<Plan> => api.expect(200, 'GET', `/v1/plans/${planRef}`);
  const list = (query = '', client = api): Promise<Plan[]> => client.expect(200, 'GET', `/v1/plans${query}`);
  const patch = (planRef: string, change: object): Promise<Plan> =>
    written(api.expect(200, 'PATCH', `/v1/plans/${planRef}`, change));
  const setStatus = (planRef: string, status: string): Promise<Plan> =>
    written(api.expect(200, 'PATCH', `/v1/plans/${planRef}/status`, { status }));
  const history = (planRef: string): Promise<Plan[]> => api.expect(200, 'GET', `/v1/plans/${planRef}/history`);
  const addReps = (...names: string[]): Promise<string[]> => api.saveReps(...names);
  const assign = (repIds: string[], planId: string): Promise<{ assignmentId: string }[]> => api.assign(repIds, planId);
  const brief = (plans: readonly Plan[]) => plans.map(({ name, version, status }) => `${name} ${version} ${status}`);

  describe('POST /v1/plans', () => {
    it('generates ids for plan, version and rules, and sets the defaults of omitted rule fields', async () => {
      const plan = await create('AE', { effectiveStart: '2026-01-01', currency: 'EUR' });
      expect(plan).to.deep.include({
        id: plan.planVersionId,
        version: 1,
        name: 'AE',
        status: 'active',
        effectiveStart: '2026-01-01',
        effectiveEnd: null,
        currency: 'EUR',
        fieldMapping: null,
        config: configOf('New'),
        dealConditions: [],
        assignedReps: [],
      });
      expect(plan.planId).to.not.equal(plan.planVersionId);
      const [only] = plan.rules;
      expect(only).to.deep.include({
        name: 'New',
        attainmentPeriod: 'quarterly',
        tierMode: 'full_rate',
        conditions: [],
      });
      expect(await get(plan.planId)).to.deep.equal(plan);
    });

    it('accepts a draft and the second config shape', async () => {
      const config = {
        quotaPeriod: 'monthly',
        rules: [{ baseField: 'meetings', payoutMode: 'flat_per_event', tiers: [{ min: 0, amount: 75 }] }],
      };
      const plan = await create('SDR', { status: 'draft', config });
      expect(plan.status).to.equal('draft');
      expect(plan.config).to.deep.equal(config);
      expect(plan.rules[0]).to.deep.include({
        name: 'Rule 1',
        measure: 'meetings',
        attainmentPeriod: 'monthly',
        tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 75 }],
      });
    });

    it('returns the path of every problem', async () => {
      const body = { name: 'A', config: { rules: [rule('X', { tiers: [tier(0, 0, -1)] }), rule('Y', { cap: -1 })] } };
      const { details } = await expectError('400 VALIDATION_FAILED', api.post('/v1/plans', body));
      expect(details.issues.map((issue: { path: string }) => issue.path)).to.deep.equal([
        'config.rules.0.tiers.0.rate',
        'config.rules.1.cap',
      ]);
    });

    it('rejects the restore of a deleted plan whose name another plan has', async () => {
      const { planId } = await create('Twin');
      await api.expect(200, 'PATCH', `/v1/plans/${planId}/status`, { status: 'deleted' });
      const second = await create('Twin');
      await expectError('409 plan_name_taken', api.patch(`/v1/plans/${planId}/status`, { status: 'active' }));
      await api.expect(200, 'PATCH', `/v1/plans/${second.planId}/status`, { status: 'deleted' });
      await api.expect(200, 'PATCH', `/v1/plans/${planId}/status`, { status: 'active' });
    });

    it('rejects the name of an existing plan in any case until that plan is deleted', async () => {
      const { planId } = await create('AE');
      const named = (name: string) => api.post('/v1/plans', { name, config: configOf('New') });
      await expectError('409 plan_name_taken', named(' ae '));
      await setStatus(planId, 'archived');
      await expectError('409 plan_name_taken', named('AE'));
      await setStatus(planId, 'deleted');
      await create('AE');
    });
  });

  describe('GET /v1/plans', () => {
    it('rejects a version with which all versions of the workspace have more than 16 MiB', async () => {
      const { planId } = await create('First');
      await service.sql(
        `update plan_versions set config = config || jsonb_build_object('description', repeat('x', 16 * 1024 * 1024))
         where workspace_id = $1`,
        workspaceId,
      );
      for (const answer of [
        await api.post('/v1/plans', { name: 'Second', config: configOf('New', 'Newer') }),
        await api.patch(`/v1/plans/${planId}`, { config: configOf('New', 'Newer') }),
      ]) {
        const { details } = await expectError('400 plan_too_complex', answer);
        expect(details.bytes).to.be.greaterThan(details.limit);
      }
      expect(await list()).to.have.length(1);
    });

    it('returns one row per plan, with its active version before newer ones', async () => {
      const ae = await create('AE');
      await patch(ae.planId, { config: configOf('Newer'), status: 'draft' });
      await create('BDR', { status: 'draft' });
      expect(brief(await list())).to.deep.equal(['AE 1 active', 'BDR 1 draft']);
      expect(brief(await list('?versions=all'))).to.deep.equal(['AE 2 draft', 'AE 1 active', 'BDR 1 draft']);
      expect(brief(await list('?status=draft'))).to.deep.equal(['AE 2 draft', 'BDR 1 draft']);
    });
  });

  describe('GET /v1/plans/:planId and its history', () => {
    it('returns a version by its id and the version in force by the plan id', async () => {
      const first = await create('AE');
      const second = await patch(first.planId, { config: configOf('Newer'), status: 'draft' });
      expect((await get(first.planId)).planVersionId).to.equal(first.planVersionId);
      expect((await get(first.planVersionId)).version).to.equal(1);
      expect(await get(second.planVersionId.toUpperCase())).to.deep.include({ version: 2, config: second.config });
      await setStatus(first.planVersionId, 'archived');
      expect((await get(first.planId)).planVersionId).to.equal(second.planVersionId);
    });
  });

  describe('PATCH /v1/plans/:planRef', () => {
    it('creates a version for a new config or new dates and copies everything else', async () => {
      const first = await create('AE', {
        status: 'draft',
        currency: 'EUR',
        effectiveStart: '2026-01-01',
        fieldMapping: { amount: 'acv' },
      });
      const second = await patch(first.planId, { config: configOf('Newer') });
      expect(second).to.deep.include({
        planId: first.planId,
        version: 2,
        status: 'draft',
        currency: 'EUR',
        effectiveStart: '2026-01-01',
        fieldMapping: { amount: 'acv' },
        config: configOf('Newer'),
      });
      expect(second.rules[0]?.id).to.not.equal(first.rules[0]?.id);
      const third = await patch(second.planVersionId, { effectiveStart: '2026-07-01', effectiveEnd: '2026-12-31' });
      expect(third).to.deep.include({ version: 3, config: configOf('Newer'), effectiveEnd: '2026-12-31' });
      const early = api.patch(`/v1/plans/${third.planVersionId}`, { effectiveEnd: '2026-06-30' });
      await expectError('400 VALIDATION_FAILED', early);
      const fourth = await patch(third.planVersionId, { effectiveStart: null, effectiveEnd: null });
      expect(fourth).to.deep.include({ version: 4, effectiveStart: null, effectiveEnd: null });
      expect(await get(first.planVersionId)).to.deep.equal(first);
    });

    it('gives the new version the status of its source, or the requested status', async () => {
      const first = await create('AE');
      const draft = await patch(first.planId, { config: configOf('B'), status: 'draft' });
      expect(draft.status).to.equal('draft');
      expect((await patch(draft.planVersionId, { config: configOf('C') })).status).to.equal('draft');
      expect((await patch(first.planId, { config: configOf('D') })).status).to.equal('active');
      expect(brief(await history(first.planId))).to.deep.equal([
        'AE 4 active',
        'AE 3 draft',
        'AE 2 draft',
        'AE 1 active',
      ]);
    });

    it('changes the status of the plan by its id, and of one version by the version id', async () => {
      const plan = await create('AE');
      expect(await patch(plan.planId, { status: 'archived' })).to.deep.include({
        planStatus: 'archived',
        status: 'archived',
        versionStatus: 'active',
      });
      expect(await patch(plan.planVersionId, { status: 'draft' })).to.deep.include({
        planStatus: 'archived',
        status: 'archived',
        versionStatus: 'draft',
      });
      expect(await patch(plan.planId, { status: 'active' })).to.deep.equal(plan);
      expect(await history(plan.planId)).to.have.length(1);
    });

    it('does not change the status of versions when the plan id is given', async () => {
      const first = await create('AE');
      await patch(first.planId, { config: configOf('B'), status: 'draft' });
      await patch(first.planId, { status: 'archived' });
      const versions = (await history(first.planId)) as (Plan & { versionStatus: string })[];
      expect(versions.map(({ version, versionStatus }) => `${version} ${versionStatus}`)).to.deep.equal([
        '2 draft',
        '1 active',
      ]);
    });
  });

  describe('PATCH /v1/plans/:planRef/status', () => {
    it('changes a version between all states in place', async () => {
      const plan = await create('AE');
      for (const status of ['draft', 'active', 'archived', 'deleted', 'active']) {
        expect(await setStatus(plan.planVersionId, status)).to.deep.include({
          version: 1,
          planStatus: 'active',
          status,
        });
      }
      expect(await history(plan.planId)).to.have.length(1);
    });
  });

  describe('overrides', () => {
    let plan: Plan;
    let ann: string;
    let bob: string;
    let ruleId: string;

    beforeEach(async () => {
      [ann, bob] = (await addReps('Ann', 'Bob')) as [string, string];
      plan = await create('AE', { config: { rules: [rule('New', { tiers: [tier(0, 0, 0.1), tier(1, 1, 0.2)] })] } });
      ruleId = plan.rules[0]?.id as string;
    });

    const path = (repId: string, versionId = plan.planVersionId) => `/v1/plans/${versionId}/overrides/${repId}`;
    const put = (repId: string, tiers: object[]) => api.expect(200, 'PUT', path(repId), { rules: [{ ruleId, tiers }] });
    const overrides = (client = api) => client.expect(200, 'GET', `/v1/plans/${plan.planVersionId}/overrides`);

    it('are set, replaced, listed by rep with the thresholds of the plan, and removed', async () => {
      expect(await overrides()).to.deep.equal([]);
      await put(bob, [{ tierIndex: 0, rate: 0.11 }]);
      const saved = await put(bob, [{ tierIndex: 1, flatAmount: 500 }]);
      expect(saved).to.deep.equal({
        planVersionId: plan.planVersionId,
        repId: bob,
        repName: 'Bob',
        rules: [{ ruleId, ruleName: 'New', tiers: [{ tierIndex: 1, flatAmount: 500, minThreshold: 1 }] }],
      });
      const ofAnn = await put(ann, [{ tierIndex: 0, rate: 0 }]);
      expect(await overrides()).to.deep.equal([ofAnn, saved]);
      expect(await api.expect(200, 'DELETE', path(bob))).to.include({ removed: true, repId: bob });
      expect(await overrides()).to.deep.equal([ofAnn]);
    });

    it('state no rate for a rule of fixed amounts', async () => {
      const tiers = [{ tierIndex: 0, minThreshold: 0, flatAmount: 100 }];
      const stepped = await create('Steps', {
        config: { rules: [rule('Goal', { payoutMode: 'stepped_bonus', tiers })] },
      });
      const override = { rules: [{ ruleId: stepped.rules[0]?.id, tiers: [{ tierIndex: 0, rate: 0.1 }] }] };
      const { message } = await api.expect(400, 'PUT', path(ann, stepped.planVersionId), override);
      expect(message).to.equal(
        'rules.0.tiers.0: payoutMode stepped_bonus pays fixed amounts; give flatAmount instead of rate',
      );
    });
  });

  describe('a rep who reads plans', () => {
    let ann: string;
    let session: ApiClient;

    beforeEach(async () => {
      [ann] = (await addReps('Ann')) as [string];
      session = await service.as(workspaceId, ann);
    });

    it('does not receive a plan after the assignment is deleted', async () => {
      const { planId } = await create('Mine');
      const [assignment] = await assign([ann], planId);
      expect(await list('', session)).to.have.length(1);
      await api.expect(200, 'DELETE', `/v1/assignments/${assignment?.assignmentId}`);
      expect(await list('', session)).to.deep.equal([]);
    });
  });
});
