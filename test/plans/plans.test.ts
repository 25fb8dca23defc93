import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type ApiClient, startTestService, type TestService } from '#test/support/test-service.js';
import { sessionOf } from '#test/support/tokens.js';

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
  let service: TestService;
  let workspaceId: string;
  let api: ApiClient;

  before(async () => {
    service = await startTestService();
  });
  after(() => service.stop());
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
    written(api.expect(201, 'POST', '/v1/plans', { name, config: configOf('New'), ...more }));
  const get = (planRef: string): Promise<Plan> => api.expect(200, 'GET', `/v1/plans/${planRef}`);
  const list = (query = '', client = api): Promise<Plan[]> => client.expect(200, 'GET', `/v1/plans${query}`);
  const patch = (planRef: string, change: object): Promise<Plan> =>
    written(api.expect(200, 'PATCH', `/v1/plans/${planRef}`, change));
  const setStatus = (planRef: string, status: string): Promise<Plan> =>
    written(api.expect(200, 'PATCH', `/v1/plans/${planRef}/status`, { status }));
  const history = (planRef: string): Promise<Plan[]> => api.expect(200, 'GET', `/v1/plans/${planRef}/history`);
  const addReps = async (...names: string[]): Promise<string[]> => {
    const reps = names.map((name) => ({ email: `${name.toLowerCase()}@x.io`, name }));
    const answer = await api.expect(200, 'PUT', '/v1/reps', { reps });
    return answer.reps.map((rep: { id: string }) => rep.id);
  };
  const assign = (repIds: string[], planId: string): Promise<{ assignmentId: string }[]> =>
    api.expect(201, 'POST', '/v1/assignments', { repIds, planId });
  const expectError = async (
    status: number,
    code: string,
    method: string,
    path: string,
    body?: object,
    client = api,
  ) => {
    const answer = await client.send(method, path, body);
    expect([answer.status, answer.body.code], `${method} ${path} ${JSON.stringify(body)}`).to.deep.equal([
      status,
      code,
    ]);
    return answer.body;
  };
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

    it('rejects an invalid plan and stores nothing of it', async () => {
      for (const body of [
        {},
        { name: 'A' },
        { name: ' ', config: configOf('New') },
        { name: 'A', config: { rules: [] } },
        { name: 'A', config: { rules: [rule('X'), rule('X')] } },
        { name: 'A', config: { rules: [{ ...rule('X'), tiers: [] }] } },
        { name: 'A', config: { rules: [{ ...rule('X'), rate: 0.1 }] } },
        { name: 'A', config: { rules: [rule('X', { executionPhase: 'cascade', dependsOn: 'Unknown' })] } },
        { name: 'A', config: configOf('X'), currency: 'usd' },
        { name: 'A', config: configOf('X'), effectiveStart: '2026-02-31' },
        { name: 'A', config: configOf('X'), effectiveStart: '2026-02-01', effectiveEnd: '2026-01-31' },
        { name: 'A', config: configOf('X'), fieldMapping: { closeDate: 'x' } },
        { name: 'A', config: configOf('X'), templateId: 'flat-commission' },
      ]) {
        await expectError(400, 'VALIDATION_FAILED', 'POST', '/v1/plans', body);
      }
      expect(await list('?versions=all')).to.deep.equal([]);
    });

    it('returns the path of every problem', async () => {
      const body = { name: 'A', config: { rules: [rule('X', { tiers: [tier(0, 0, 11)] }), rule('Y', { cap: -1 })] } };
      const { details } = await expectError(400, 'VALIDATION_FAILED', 'POST', '/v1/plans', body);
      expect(details.issues.map((issue: { path: string }) => issue.path)).to.deep.equal([
        'config.rules.0.tiers.0.rate',
        'config.rules.1.cap',
      ]);
    });

    it('rejects the restore of a deleted plan whose name another plan has', async () => {
      const { planId } = await create('Twin');
      await api.expect(200, 'PATCH', `/v1/plans/${planId}/status`, { status: 'deleted' });
      const second = await create('Twin');
      const rejected = await api.patch(`/v1/plans/${planId}/status`, { status: 'active' });
      expect([rejected.status, rejected.body.code]).to.deep.equal([409, 'plan_name_taken']);
      await api.expect(200, 'PATCH', `/v1/plans/${second.planId}/status`, { status: 'deleted' });
      await api.expect(200, 'PATCH', `/v1/plans/${planId}/status`, { status: 'active' });
    });

    it('rejects the name of an existing plan in any case until that plan is deleted', async () => {
      const { planId } = await create('AE');
      await expectError(409, 'plan_name_taken', 'POST', '/v1/plans', { name: ' ae ', config: configOf('New') });
      await setStatus(planId, 'archived');
      await expectError(409, 'plan_name_taken', 'POST', '/v1/plans', { name: 'AE', config: configOf('New') });
      await setStatus(planId, 'deleted');
      await create('AE');
    });
  });

  describe('GET /v1/plans', () => {
    it('returns one row per plan, with its active version before newer ones', async () => {
      const ae = await create('AE');
      await patch(ae.planId, { config: configOf('Newer'), status: 'draft' });
      await create('BDR', { status: 'draft' });
      expect(brief(await list())).to.deep.equal(['AE 1 active', 'BDR 1 draft']);
      expect(brief(await list('?versions=all'))).to.deep.equal(['AE 2 draft', 'AE 1 active', 'BDR 1 draft']);
    });

    it('filters by status and omits deleted plans unless they are requested', async () => {
      const ae = await create('AE');
      await patch(ae.planId, { config: configOf('Newer'), status: 'draft' });
      const old = await create('Old');
      await setStatus(old.planId, 'archived');
      const gone = await create('Gone');
      await setStatus(gone.planId, 'deleted');
      expect(brief(await list())).to.deep.equal(['AE 1 active', 'Old 1 archived']);
      expect(brief(await list('?status=active'))).to.deep.equal(['AE 1 active']);
      expect(brief(await list('?status=draft'))).to.deep.equal(['AE 2 draft']);
      expect(brief(await list('?status=archived&versions=all'))).to.deep.equal(['Old 1 archived']);
      expect(brief(await list('?status=deleted'))).to.deep.equal(['Gone 1 deleted']);
      expect(brief(await list('?versions=all'))).to.not.include('Gone 1 deleted');
      expect((await get(gone.planId)).status).to.equal('deleted');
      for (const query of ['?status=gone', '?versions=1', '?page=2']) {
        await expectError(400, 'VALIDATION_FAILED', 'GET', `/v1/plans${query}`);
      }
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

    it('returns every version, newest first, by either id', async () => {
      const first = await create('AE');
      const second = await patch(first.planId, { effectiveStart: '2026-07-01' });
      const third = await patch(first.planId, { effectiveEnd: '2026-12-31' });
      await setStatus(second.planVersionId, 'deleted');
      for (const ref of [first.planId, first.planVersionId, third.planVersionId]) {
        expect(brief(await history(ref))).to.deep.equal(['AE 3 active', 'AE 2 deleted', 'AE 1 active']);
      }
    });

    it('returns 404 for ids that are unknown, invalid or of another workspace', async () => {
      const other = await service.workspace();
      const foreign = await other.api.expect(201, 'POST', '/v1/plans', { name: 'AE', config: configOf('New') });
      for (const ref of [foreign.planId, foreign.planVersionId, randomUUID(), 'nope', "x'--"]) {
        const path = `/v1/plans/${encodeURIComponent(ref)}`;
        await expectError(404, 'plan_not_found', 'GET', path);
        await expectError(404, 'plan_not_found', 'GET', `${path}/history`);
        await expectError(404, 'plan_not_found', 'GET', `${path}/overrides`);
        await expectError(404, 'plan_not_found', 'PATCH', path, { currency: null });
        await expectError(404, 'plan_not_found', 'PATCH', `${path}/status`, { status: 'draft' });
        await expectError(404, 'plan_not_found', 'DELETE', path);
      }
      expect((await other.api.expect(200, 'GET', `/v1/plans/${foreign.planId}`)).status).to.equal('active');
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

    it('creates a version for a new currency, and null clears the currency', async () => {
      const plan = await create('AE');
      expect(await patch(plan.planId, { currency: 'EUR' })).to.deep.include({ version: 2, currency: 'EUR' });
      expect(await patch(plan.planId, { currency: null })).to.deep.include({ version: 3, currency: null });
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

    it('rejects empty bodies, invalid values and reversed dates, and changes nothing', async () => {
      const plan = await create('AE', { effectiveStart: '2026-03-01' });
      for (const body of [
        {},
        { status: 'gone' },
        { status: null },
        { currency: 'euro' },
        { config: { rules: [] } },
        { config: null },
        { effectiveEnd: '2026-02-28' },
        { effectiveStart: '2026-13-01' },
        { name: '' },
      ]) {
        await expectError(400, 'VALIDATION_FAILED', 'PATCH', `/v1/plans/${plan.planId}`, body);
      }
      expect(await history(plan.planId)).to.deep.equal([plan]);
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

    it('rejects other states and other fields', async () => {
      const { planId } = await create('AE');
      for (const body of [{}, { status: 'gone' }, { status: 'draft', currency: 'EUR' }]) {
        await expectError(400, 'VALIDATION_FAILED', 'PATCH', `/v1/plans/${planId}/status`, body);
      }
    });
  });

  describe('DELETE /v1/plans/:planId', () => {
    it('deletes the plan with all versions, by either id', async () => {
      const first = await create('AE');
      const second = await patch(first.planId, { config: configOf('B') });
      expect(await api.expect(200, 'DELETE', `/v1/plans/${second.planVersionId}`)).to.deep.equal({
        deleted: true,
        planId: first.planId,
      });
      for (const ref of [first.planId, first.planVersionId, second.planVersionId]) {
        await expectError(404, 'plan_not_found', 'GET', `/v1/plans/${ref}`);
      }
      await create('AE');
    });

    it('returns 409 while reps are assigned', async () => {
      const [ann] = (await addReps('Ann')) as [string];
      const { planId } = await create('AE');
      const [assignment] = await assign([ann], planId);
      await expectError(409, 'plan_has_assignments', 'DELETE', `/v1/plans/${planId}`);
      expect((await get(planId)).assignedReps).to.deep.equal([{ repId: ann, name: 'Ann' }]);
      await api.expect(200, 'DELETE', `/v1/assignments/${assignment?.assignmentId}`);
      await api.expect(200, 'DELETE', `/v1/plans/${planId}`);
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

    it('change the amounts of the rep and are returned', async () => {
      const paid = async () => {
        await service.waitForCalculations(workspaceId);
        const { events } = await api.expect(200, 'GET', '/v1/commissions?dealId=d1');
        return events.map((event: { repName: string; amount: number }) => [event.repName, event.amount]);
      };
      await assign([ann], plan.planId);
      await api.expect(201, 'POST', '/v1/quotas', { repIds: [ann], measure: 'New', period: '2026-Q1', target: 10_000 });
      await api.expect(201, 'PUT', '/v1/deals/d1', { amount: 1000, closeDate: '2026-01-15', repId: ann });
      expect(await paid()).to.deep.equal([['Ann', 100]]);
      await put(ann, [{ tierIndex: 0, rate: 0.15 }]);
      expect(await paid()).to.deep.equal([['Ann', 150]]);
      await api.expect(200, 'DELETE', path(ann));
      expect(await paid()).to.deep.equal([['Ann', 100]]);
    });

    it('are rejected for unknown reps, versions, rules and tiers', async () => {
      const body = { rules: [{ ruleId, tiers: [{ tierIndex: 0, rate: 0.1 }] }] };
      const other = await service.workspace();
      const { reps } = await other.api.expect(200, 'PUT', '/v1/reps', { reps: [{ email: 'z@x.io', name: 'Z' }] });
      for (const repId of [reps[0].id, randomUUID(), 'nope']) {
        await expectError(404, 'rep_not_found', 'PUT', path(repId), body);
        await expectError(404, 'rep_not_found', 'DELETE', path(repId));
      }
      for (const versionId of [plan.planId, randomUUID(), 'nope']) {
        await expectError(404, 'plan_not_found', 'PUT', path(ann, versionId), body);
        await expectError(404, 'plan_not_found', 'DELETE', path(ann, versionId));
      }
      const newer = await patch(plan.planId, { config: configOf('New') });
      await expectError(404, 'plan_rule_not_found', 'PUT', path(ann, newer.planVersionId), body);
      for (const tiers of [
        [],
        [{ tierIndex: 2, rate: 0.1 }],
        [{ tierIndex: 0 }],
        [{ tierIndex: 0, rate: 0.1, flatAmount: 5 }],
        [{ tierIndex: 0, rate: -0.1 }],
        [{ tierIndex: 0, rate: 0.1, minThreshold: 3 }],
      ]) {
        await expectError(400, 'VALIDATION_FAILED', 'PUT', path(ann), { rules: [{ ruleId, tiers }] });
      }
      expect(await overrides()).to.deep.equal([]);
    });

    it('of other reps are hidden from a rep', async () => {
      await assign([ann, bob], plan.planId);
      const ofAnn = await put(ann, [{ tierIndex: 0, rate: 0.3 }]);
      await put(bob, [{ tierIndex: 0, rate: 0.4 }]);
      expect(await overrides(await sessionOf(service, workspaceId, ann))).to.deep.equal([ofAnn]);
    });
  });

  describe('a rep who reads plans', () => {
    let ann: string;
    let session: ApiClient;

    beforeEach(async () => {
      [ann] = (await addReps('Ann')) as [string];
      session = await sessionOf(service, workspaceId, ann);
    });

    it('receives only the plans assigned to them', async () => {
      const mine = await create('Mine');
      const other = await create('Other');
      const [bob] = (await addReps('Bob')) as [string];
      await assign([ann, bob], mine.planId);
      await assign([bob], other.planId);
      expect(brief(await list('', session))).to.deep.equal(['Mine 1 active']);
      expect(brief(await list('?versions=all', session))).to.deep.equal(['Mine 1 active']);
      const seen = await session.expect(200, 'GET', `/v1/plans/${mine.planId}`);
      expect(seen.assignedReps).to.deep.equal([{ repId: ann, name: 'Ann' }]);
      expect(await session.expect(200, 'GET', `/v1/plans/${mine.planVersionId}/history`)).to.have.length(1);
      for (const ref of [other.planId, other.planVersionId]) {
        await expectError(404, 'plan_not_found', 'GET', `/v1/plans/${ref}`, undefined, session);
        await expectError(404, 'plan_not_found', 'GET', `/v1/plans/${ref}/history`, undefined, session);
        await expectError(404, 'plan_not_found', 'GET', `/v1/plans/${ref}/overrides`, undefined, session);
      }
    });

    it('does not receive a plan after the assignment is deleted', async () => {
      const { planId } = await create('Mine');
      const [assignment] = await assign([ann], planId);
      expect(await list('', session)).to.have.length(1);
      await api.expect(200, 'DELETE', `/v1/assignments/${assignment?.assignmentId}`);
      expect(await list('', session)).to.deep.equal([]);
    });

    it('receives their own tiers and no tiers of other reps', async () => {
      const [bob] = (await addReps('Bob')) as [string];
      const tiers = [tier(0, 0, 0.1), tier(0, 0, 0.2, { repId: ann }), tier(0, 0, 0.3, { repId: bob })];
      const plan = await create('Mine', { config: { rules: [rule('New', { tiers })] } });
      await assign([ann, bob], plan.planId);
      for (const seen of [
        await session.expect(200, 'GET', `/v1/plans/${plan.planId}`),
        (await session.expect(200, 'GET', `/v1/plans/${plan.planId}/history`))[0],
        (await list('', session))[0],
      ] as Plan[]) {
        expect(seen.config.rules[0]?.tiers).to.deep.equal(tiers.slice(0, 2));
        expect(seen.rules[0]?.tiers).to.deep.equal(tiers.slice(0, 2));
        expect(JSON.stringify(seen)).to.not.include(bob);
      }
      expect((await get(plan.planId)).rules[0]?.tiers).to.deep.equal(tiers);
    });
  });
});
