import { expect } from 'chai';
import { describeInvalidConfigs } from './invalid-plan-configs.js';
import { describeOverrides } from './plan-overrides.js';
import { adminOnly, forbidden, invalid, rejects, unauthorized } from './rejections.js';
import { row } from './rows.js';
import { type Json } from './running-service.js';
import { expectError, flatTier, type Plan, unknownId, World, won } from './world.js';

const rules = (rate = 0.1) => [{ name: 'Commission', measure: 'amount', tiers: flatTier(rate) }];
const config = (rate = 0.1) => ({ dealConditions: [won], rules: rules(rate) });

/** Section 4 of the specification, plans. */
export function describePlans(): void {
  describe('4: plans', () => {
    describeCreate();
    describeInvalidConfigs();
    describeLists();
    describeTemplates();
    describeOnePlan();
    describeStatusRoute();
    describeOverrides();
    describeDeletion();
    describeEnds();
  });
}

function describeCreate(): void {
  describe('POST /v1/plans', () => {
    let world: World;
    let created: Json;

    before(async () => {
      world = await World.create();
    });

    row(331, 'POST is 201, 400, 401 or 403; a name that another plan has is 409', async () => {
      const body = { name: 'Once', config: config() };
      const statuses = [
        (await world.admin.post('/v1/plans', body)).status,
        (await world.admin.post('/v1/plans', { config: config() })).status,
        (await world.anyone.post('/v1/plans', body)).status,
        (await world.mgr.post('/v1/plans', body)).status,
      ];
      expect(statuses).to.deep.equal([201, 400, 401, 403]);
      await expectError('409 plan_name_taken', world.admin.post('/v1/plans', body));
      expect(await world.get('/v1/plans')).to.have.length(1);
    });

    row(332, 'POST takes every field of the create request', async () => {
      const body = {
        name: 'Every field',
        config: config(),
        effectiveStart: '2026-01-01',
        effectiveEnd: '2026-12-31',
        fieldMapping: { amount: 'net' },
        currency: 'EUR',
      };
      created = await world.admin.createPlan(body);
      expect(created).to.deep.include({ ...body, version: 1, status: 'active' });
    });

    row(333, 'rule ids are returned as rules[].id', () => {
      expect(created.rules).to.have.length(1);
      expect(created.rules[0].id).to.match(/^[0-9a-f-]{36}$/);
      expect(created.rules[0].name).to.equal('Commission');
    });

    row(334, 'name and config are all that POST needs', async () => {
      const plan = await world.admin.createPlan({ name: 'Short', config: { rules: rules() } });
      expect(plan).to.include({ name: 'Short', effectiveStart: null, effectiveEnd: null, currency: null });
    });

    unauthorized(358, 'POST', () => world.anyone.post('/v1/plans', { name: 'X', config: config() }));

    for (const [number, who] of [
      [359, 'mgr'],
      [360, 'ben'],
      [361, 'conn'],
    ] as const)
      row(number, `POST with the token ${who} is 403`, async () => {
        const body = { name: `By ${who}`, config: config() };
        await expectError('403 forbidden', world.client(who).post('/v1/plans', body));
      });
  });
}

function describeLists(): void {
  describe('GET /v1/plans', () => {
    let world: World;
    let active: Plan;

    before(async () => {
      world = await World.create();
      active = await world.plan('active', rules());
      await world.admin.expect(200, 'PATCH', `/v1/plans/${active.planId}`, { config: config(0.2) });
      await world.plan('draft', rules(), { status: 'draft' });
      for (const status of ['archived', 'deleted']) {
        const plan = await world.plan(status, rules());
        await world.admin.expect(200, 'PATCH', `/v1/plans/${plan.planId}/status`, { status });
      }
    });

    const names = async (query = '') => (await world.get(`/v1/plans${query}`)).map((plan: Json) => plan.name).sort();

    row(362, 'GET returns a bare array of plans', async () => {
      const plans = await world.get('/v1/plans');
      expect(plans).to.be.an('array');
      expect(await names()).to.deep.equal(['active', 'archived', 'draft']);
    });

    row(363, 'GET gives one row per identity, the version in force', async () => {
      const plans = (await world.get('/v1/plans')).filter((plan: Json) => plan.planId === active.planId);
      expect(plans.map((plan: Json) => [plan.version, plan.status])).to.deep.equal([[2, 'active']]);
    });

    row(364, 'every plan carries planId and planVersionId', async () => {
      for (const plan of await world.get('/v1/plans?versions=all')) {
        expect(plan.planId).to.match(/^[0-9a-f-]{36}$/);
        expect(plan.planVersionId).to.match(/^[0-9a-f-]{36}$/);
        expect(plan.id).to.equal(plan.planVersionId);
      }
    });

    for (const [number, status] of [
      [365, 'draft'],
      [366, 'active'],
      [367, 'archived'],
      [368, 'deleted'],
    ] as const)
      row(number, `GET ?status=${status} gives the ${status} plans`, async () => {
        expect(await names(`?status=${status}`)).to.deep.equal([status]);
      });

    invalid(369, 'GET of an unknown status is 400', () => world.admin.get('/v1/plans?status=bogus'), 'status');

    row(370, 'GET ?versions=all gives every version', async () => {
      const plans = await world.get('/v1/plans?versions=all');
      const versions = plans.filter((plan: Json) => plan.planId === active.planId).map((plan: Json) => plan.version);
      expect(versions).to.have.members([1, 2]);
    });

    row(413, 'versions=all lists the versions of every plan', async () => {
      expect(await names('?versions=all')).to.include.members(['active', 'active', 'archived', 'draft']);
      expect(await world.get('/v1/plans')).to.have.length(3);
    });

    unauthorized(371, 'GET', () => world.anyone.get('/v1/plans'));
  });
}

const templateRows = [
  [374, 'flat-commission'],
  [375, 'marginal-ae'],
  [376, 'retroactive-ae'],
  [377, 'ae-manager-cascade'],
  [378, 'mbo-bonus'],
  [379, 'sdr-meeting-bonus'],
  [380, 'multi-measure'],
  [381, 'new-hire-ramp'],
] as const;

function describeTemplates(): void {
  describe('templates', () => {
    let world: World;

    before(async () => {
      world = await World.create();
    });

    row(372, 'GET templates lists at least eight templates with id, name and planConfig', async () => {
      const templates = await world.get('/v1/plans/templates');
      expect(templates).to.have.length.of.at.least(8);
      for (const template of templates) {
        expect(template.name).to.be.a('string').and.not.equal('');
        expect(template.planConfig.config.rules.length).to.be.at.least(1);
      }
    });

    row(373, 'the eight templates that the specification names are among them', async () => {
      const templates = await world.get('/v1/plans/templates');
      const slugs = templates.map((template: Json) => template.templateId ?? template.id);
      expect(slugs).to.include.members(templateRows.map(([, slug]) => slug));
    });

    for (const [number, slug] of templateRows)
      row(number, `planConfig of ${slug} is a plan body after adding name and effectiveStart`, async () => {
        const { planConfig } = await world.get(`/v1/plans/templates/${slug}`);
        const body = { ...planConfig, name: slug, effectiveStart: '2026-01-01' };
        const plan = await world.admin.createPlan(body);
        expect(plan).to.include({ name: slug, effectiveStart: '2026-01-01', status: 'active', version: 1 });
        expect(plan.rules).to.have.length(planConfig.config.rules.length);
      });

    rejects(382, 'GET of an unknown template is 404', 404, 'template_not_found', () =>
      world.admin.get('/v1/plans/templates/no-such'),
    );
  });
}

function describeOnePlan(): void {
  describe('one plan', () => {
    let world: World;
    let first: Plan;
    let second: Json;
    const path = (ref: string) => `/v1/plans/${ref}`;
    const patch = (ref: string, body: object) => world.admin.patch(path(ref), body);

    before(async () => {
      world = await World.create();
      first = await world.plan('AE', rules());
    });

    row(383, 'GET by version id gives the version with its rules', async () => {
      const plan = await world.get(path(first.planVersionId));
      expect(plan).to.include({ planId: first.planId, planVersionId: first.planVersionId, version: 1, name: 'AE' });
      expect(plan.rules[0]).to.include({ name: 'Commission', measure: 'amount', attainmentPeriod: 'quarterly' });
    });

    row(384, 'the tiers stand inside the rules', async () => {
      const plan = await world.get(path(first.planVersionId));
      expect(plan.rules[0].tiers).to.deep.equal([{ tierIndex: 0, minThreshold: 0, rate: 0.1 }]);
    });

    row(385, 'GET by the identity gives the version in force', async () => {
      expect((await world.get(path(first.planId))).planVersionId).to.equal(first.planVersionId);
    });

    rejects(386, 'GET of an unknown plan is 404', 404, 'plan_not_found', () => world.admin.get(path(unknownId)));

    rejects(387, 'GET with an id that is no UUID is 404', 404, 'plan_not_found', () =>
      world.admin.get(path('not-a-uuid')),
    );

    unauthorized(388, 'GET', () => world.anyone.get(path(first.planId)));

    row(389, 'PATCH of the config makes a new version', async () => {
      const answer = await patch(first.planId, { config: config(0.2) });
      expect(answer.status).to.equal(200);
      second = answer.body;
      expect(second.rules[0].tiers[0].rate).to.equal(0.2);
      expect(second.config).to.deep.equal(config(0.2));
    });

    row(390, 'the new version has its own id, the next number and the same planId', () => {
      expect(second).to.include({ planId: first.planId, version: 2, status: 'active' });
      expect(second.planVersionId).to.not.equal(first.planVersionId);
    });

    row(391, 'PATCH takes a version id as planRef', async () => {
      const { status, body } = await patch(second.planVersionId, { effectiveStart: '2026-01-01' });
      expect(status).to.equal(200);
      expect(body).to.include({ planId: first.planId, version: 3, effectiveStart: '2026-01-01' });
      expect(body.config).to.deep.equal(config(0.2));
    });

    row(392, 'PATCH of dates alone makes a new version', async () => {
      const { body } = await patch(first.planId, { effectiveEnd: '2026-12-31' });
      expect(body).to.include({ version: 4, effectiveStart: '2026-01-01', effectiveEnd: '2026-12-31' });
    });

    row(393, 'PATCH of the status alone is in place', async () => {
      const { status, body } = await patch(first.planId, { status: 'archived' });
      expect([status, body.planStatus ?? body.status]).to.deep.equal([200, 'archived']);
    });

    row(394, 'PATCH of the status alone makes no version', async () => {
      await patch(first.planId, { status: 'active' });
      expect(await world.get(`${path(first.planId)}/history`)).to.have.length(4);
    });

    row(395, 'PATCH sets the currency', async () => {
      const { status, body } = await patch(first.planId, { currency: 'EUR' });
      expect([status, body.currency]).to.deep.equal([200, 'EUR']);
      expect((await world.get(path(first.planId))).currency).to.equal('EUR');
    });

    row(396, 'PATCH with currency null clears the override', async () => {
      const { status, body } = await patch(first.planId, { currency: null });
      expect([status, body.currency]).to.deep.equal([200, null]);
      expect((await world.get(path(first.planId))).currency).to.equal(null);
    });

    rejects(397, 'PATCH of an unknown plan is 404', 404, 'plan_not_found', () =>
      patch(unknownId, { config: config() }),
    );

    for (const [number, who] of [
      [398, 'mgr'],
      [399, 'ben'],
    ] as const)
      forbidden(number, `PATCH with the token ${who} is 403`, () =>
        world.client(who).patch(path(first.planId), { config: config() }),
      );

    invalid(400, 'PATCH of an unknown status is 400', () => patch(first.planId, { status: 'paused' }));

    row(409, 'GET history by the identity gives every version, newest first', async () => {
      const history = await world.get(`${path(first.planId)}/history`);
      expect(history[0].version).to.be.greaterThan(history.at(-1).version);
      expect(history.every((plan: Json) => plan.planId === first.planId)).to.equal(true);
    });

    row(410, 'the history is ordered by version, newest first', async () => {
      const versions = (await world.get(`${path(first.planId)}/history`)).map((plan: Json) => plan.version);
      expect(versions.length).to.be.at.least(4);
      expect(versions).to.deep.equal([...versions].sort((a: number, b: number) => b - a));
      expect(versions.at(-1)).to.equal(1);
    });

    row(411, 'GET history by a version id gives the same', async () => {
      const byVersion = await world.get(`${path(first.planVersionId)}/history`);
      expect(byVersion).to.deep.equal(await world.get(`${path(first.planId)}/history`));
    });

    rejects(412, 'GET history of an unknown plan is 404', 404, 'plan_not_found', () =>
      world.admin.get(`${path(unknownId)}/history`),
    );
  });
}

function describeStatusRoute(): void {
  describe('PATCH /v1/plans/:planRef/status', () => {
    let world: World;
    let plan: Plan;
    const set = (ref: string, body: object) => world.admin.patch(`/v1/plans/${ref}/status`, body);

    before(async () => {
      world = await World.create();
      plan = await world.plan('AE', rules());
    });

    for (const [number, status] of [
      [401, 'draft'],
      [402, 'archived'],
      [403, 'deleted'],
      [404, 'active'],
    ] as const)
      row(number, `the route sets ${status}`, async () => {
        const { status: http, body } = await set(plan.planId, { status });
        expect([http, body.planStatus ?? body.status]).to.deep.equal([200, status]);
        expect(body).to.include({ planId: plan.planId, version: 1 });
        const listed = await world.get(`/v1/plans?status=${status}`);
        expect(listed.map((one: Json) => one.planId)).to.deep.equal([plan.planId]);
      });

    invalid(405, 'an unknown status is 400', () => set(plan.planId, { status: 'paused' }));
    invalid(406, 'a body without status is 400', () => set(plan.planId, {}));

    adminOnly(407, 'the route', (who) =>
      world.client(who).patch(`/v1/plans/${plan.planId}/status`, { status: 'draft' }),
    );

    rejects(408, 'an unknown plan is 404', 404, 'plan_not_found', () => set(unknownId, { status: 'draft' }));

    row(330, 'a plan of several versions goes from archived to active by planId', async () => {
      const own = await World.create();
      const first = await own.plan('AE', rules(0.05));
      await own.assign(first, 'ben');
      await own.admin.expect(200, 'PATCH', `/v1/plans/${first.planId}`, { config: config(0.1) });
      await own.deal('A', { amount: 1000 });
      expect(await own.earned()).to.deep.equal({ A: 100 });
      const path = `/v1/plans/${first.planId}/status`;
      await own.admin.expect(200, 'PATCH', path, { status: 'archived' });
      await own.recalculate();
      expect(await own.earned(), 'while archived').to.deep.equal({ A: 100 });
      await own.admin.expect(200, 'PATCH', path, { status: 'active' });
      await own.recalculate();
      expect(await own.earned(), 'active again').to.deep.equal({ A: 100 });
      const [listed] = await own.get('/v1/plans?status=active');
      expect(listed).to.include({ planId: first.planId, version: 2 });
    });
  });
}

function describeDeletion(): void {
  describe('DELETE /v1/plans/:planId', () => {
    let world: World;
    let plan: Plan;
    const path = () => `/v1/plans/${plan.planId}`;

    before(async () => {
      world = await World.create();
      plan = await world.plan('AE', rules());
      await world.assign(plan, 'ben');
    });

    row(430, 'DELETE fails while reps are assigned', async () => {
      await expectError('409 plan_has_assignments', world.admin.delete(path()));
      expect((await world.get(path())).assignedReps).to.deep.equal([{ repId: world.ids.ben, name: 'Ben' }]);
    });

    adminOnly(431, 'DELETE', (who) => world.client(who).delete(path()));
    unauthorized(432, 'DELETE', () => world.anyone.delete(path()));

    row(433, 'DELETE by a version id deletes the identity with all versions', async () => {
      const second = await world.admin.expect(200, 'PATCH', path(), { config: config(0.2) });
      const [assignment] = await world.get('/v1/assignments');
      await world.admin.expect(200, 'DELETE', `/v1/assignments/${assignment.assignmentId}`);
      const deleted = await world.admin.expect(200, 'DELETE', `/v1/plans/${plan.planVersionId}`);
      expect(deleted).to.deep.equal({ deleted: true, planId: plan.planId });
      await expectError('404 plan_not_found', world.admin.get(`/v1/plans/${second.planVersionId}`));
    });

    row(434, 'a deleted plan is 404', async () => {
      await expectError('404 plan_not_found', world.admin.get(path()));
      expect(await world.get('/v1/plans?versions=all')).to.deep.equal([]);
      await world.plan('AE', rules());
    });

    rejects(435, 'DELETE of a deleted plan is 404', 404, 'plan_not_found', () => world.admin.delete(path()));
  });
}

function describeEnds(): void {
  row(436, 'after PATCH {effectiveEnd} GET /v1/plans shows the plan with that end', async () => {
    const world = await World.create();
    const plan = await world.plan('AE', rules());
    await world.admin.expect(200, 'PATCH', `/v1/plans/${plan.planId}`, { config: config(0.2) });
    await world.admin.expect(200, 'PATCH', `/v1/plans/${plan.planId}`, { effectiveEnd: '2026-03-31' });
    const plans = await world.get('/v1/plans');
    expect(plans.map((one: Json) => [one.planId, one.version, one.effectiveEnd])).to.deep.equal([
      [plan.planId, 3, '2026-03-31'],
    ]);
    expect(plans[0].rules[0].tiers[0].rate).to.equal(0.2);
  });
}
