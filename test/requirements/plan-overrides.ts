import { expect } from 'chai';
import { adminOnly, rejects } from './rejections.js';
import { row } from './rows.js';
import { type Json } from './running-service.js';
import { exampleTiers, expectError, type Plan, unknownId, World, won } from './world.js';

/** Section 4 of the specification, per-rep overrides of a plan version. */
export function describeOverrides(): void {
  describe('overrides', () => {
    let world: World;
    let plan: Plan;
    const list = (version = plan.planVersionId) => `/v1/plans/${version}/overrides`;
    const path = (repId = world.ids.ben, version = plan.planVersionId) => `${list(version)}/${repId}`;
    const body = (rate: number, ruleId: unknown = plan.rules[0]?.id, tierIndex = 0) => ({
      rules: [{ ruleId, tiers: [{ tierIndex, rate }] }],
    });

    before(async () => {
      world = await World.create();
      plan = await world.plan('AE', [{ name: 'Commission', measure: 'amount', tiers: exampleTiers }]);
      await world.assign(plan, 'ben', 'cat');
      await world.quota(plan, 'ben', '2026-Q1', 100_000);
      await world.deal('D1', { amount: 10_000 });
    });

    row(414, 'GET overrides is an empty array when there are none', async () => {
      expect(await world.get(list())).to.deep.equal([]);
    });

    row(415, "PUT sets a rep's tiers, which decide the rate", async () => {
      await world.admin.expect(200, 'PUT', path(), body(0.2));
      expect(await world.earned()).to.deep.equal({ D1: 2000 });
    });

    row(416, 'GET overrides groups them by repId', async () => {
      await world.admin.expect(200, 'PUT', path(world.ids.cat), body(0.3));
      const overrides = await world.get(list());
      expect(overrides.map((one: Json) => [one.repId, one.repName])).to.have.deep.members([
        [world.ids.ben, 'Ben'],
        [world.ids.cat, 'Cat'],
      ]);
      const ofBen = overrides.find((one: Json) => one.repId === world.ids.ben);
      expect(ofBen.rules[0]).to.include({ ruleId: plan.rules[0]?.id, ruleName: 'Commission' });
      expect(ofBen.rules[0].tiers[0]).to.include({ tierIndex: 0, rate: 0.2 });
    });

    row(417, 'minThreshold is copied from the global tier of the same tierIndex', async () => {
      await world.admin.expect(200, 'PUT', path(world.ids.cat), body(0.3, undefined, 2));
      const ofCat = (await world.get(list())).find((one: Json) => one.repId === world.ids.cat);
      expect(ofCat.rules[0].tiers).to.deep.equal([{ tierIndex: 2, minThreshold: 1.25, rate: 0.3 }]);
    });

    row(418, "PUT replaces what the rep's overrides were", async () => {
      await world.admin.expect(200, 'PUT', path(), body(0.25));
      const ofBen = (await world.get(list())).find((one: Json) => one.repId === world.ids.ben);
      expect(ofBen.rules[0].tiers).to.deep.equal([{ tierIndex: 0, minThreshold: 0, rate: 0.25 }]);
      expect(await world.earned()).to.deep.equal({ D1: 2500 });
    });

    row(419, 'PUT of a tierIndex without a global tier is rejected', async () => {
      await expectError('400 VALIDATION_FAILED', world.admin.put(path(), body(0.2, undefined, 7)));
      expect(await world.earned()).to.deep.equal({ D1: 2500 });
    });

    rejects(420, 'PUT of an unknown ruleId is plan_rule_not_found', 404, 'plan_rule_not_found', () =>
      world.admin.put(path(), body(0.2, unknownId)),
    );

    row(421, 'PUT of a ruleId of a superseded version is plan_rule_not_found', async () => {
      const config = { dealConditions: [won], rules: [{ name: 'Commission', measure: 'amount', tiers: exampleTiers }] };
      const own = await World.create();
      const first = await own.plan('AE', config.rules);
      const second = await own.admin.expect(200, 'PATCH', `/v1/plans/${first.planId}`, { config });
      await expectError(
        '404 plan_rule_not_found',
        own.admin.put(path(own.ids.ben, second.planVersionId), body(0.2, first.rules[0]?.id)),
      );
    });

    rejects(422, 'PUT on an unknown version is 404', 404, 'plan_not_found', () =>
      world.admin.put(path(undefined, unknownId), body(0.2)),
    );

    rejects(423, 'PUT for an unknown rep is 404', 404, 'rep_not_found', () =>
      world.admin.put(path(unknownId), body(0.2)),
    );

    row(424, 'PUT without rules is 400', async () => {
      for (const bad of [{}, { rules: 'all' }, { rules: [{ tiers: [] }] }])
        await expectError('400 VALIDATION_FAILED', world.admin.put(path(), bad));
    });

    adminOnly(425, 'PUT', (who) => world.client(who).put(path(), body(0.9)));

    rejects(426, 'GET overrides of an unknown version is 404', 404, 'plan_not_found', () =>
      world.admin.get(list(unknownId)),
    );

    adminOnly(427, 'DELETE', (who) => world.client(who).delete(path()));

    row(428, "DELETE removes the rep's overrides, and the global tiers apply again", async () => {
      await world.admin.expect(200, 'DELETE', path());
      expect((await world.get(list())).map((one: Json) => one.repId)).to.deep.equal([world.ids.cat]);
      expect(await world.earned()).to.deep.equal({ D1: 800 });
    });

    rejects(429, 'DELETE on an unknown version is 404', 404, 'plan_not_found', () =>
      world.admin.delete(path(undefined, unknownId)),
    );
  });
}
