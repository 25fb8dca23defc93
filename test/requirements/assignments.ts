import { expect } from 'chai';
import { adminOnly, invalid, rejects, unauthorized } from './rejections.js';
import { row } from './rows.js';
import { type Json } from './running-service.js';
import { expectError, flatTier, type Plan, unknownId, World } from './world.js';

/** Section 4 of the specification, assignments. */
export function describeAssignments(): void {
  describe('4: assignments', () => {
    let world: World;
    let plan: Plan;
    let created: Json[];

    before(async () => {
      world = await World.create();
      plan = await world.plan('AE', [{ name: 'Commission', measure: 'amount', tiers: flatTier(0.1) }]);
      const body = { repIds: [world.ids.ben, world.ids.cat], planId: plan.planId, effectiveStart: '2026-01-01' };
      created = await world.admin.expect(201, 'POST', '/v1/assignments', body);
    });

    const post = (body: object) => world.admin.post('/v1/assignments', body);
    const path = (index: number) => `/v1/assignments/${created[index]?.assignmentId}`;

    row(155, 'POST returns 201 with one assignment per rep', () => {
      expect(created.map((one) => [one.repId, one.repName, one.planId, one.planName])).to.deep.equal([
        [world.ids.ben, 'Ben', plan.planId, 'AE'],
        [world.ids.cat, 'Cat', plan.planId, 'AE'],
      ]);
      for (const one of created) expect(one).to.include({ effectiveStart: '2026-01-01', effectiveEnd: null });
    });

    row(156, 'each rep has one assignment, and the same days again are rejected', async () => {
      expect(new Set(created.map((one) => one.assignmentId)).size).to.equal(2);
      await expectError('409 assignment_overlap', post({ repIds: [world.ids.ben], planId: plan.planId }));
      expect(await world.get(`/v1/assignments?repId=${world.ids.ben}`)).to.have.length(1);
    });

    invalid(157, 'POST without repIds is 400 and names the field', () => post({ planId: plan.planId }), 'repIds');
    invalid(158, 'POST without planId is 400 and names the field', () => post({ repIds: [world.ids.ben] }), 'planId');

    adminOnly(159, 'POST', (who) =>
      world.client(who).post('/v1/assignments', { repIds: [world.ids.ben], planId: plan.planId }),
    );

    unauthorized(160, 'POST', () => world.anyone.post('/v1/assignments', {}));

    rejects(161, 'POST of an unknown rep is rep_not_found', 404, 'rep_not_found', () =>
      post({ repIds: [unknownId], planId: plan.planId }),
    );

    rejects(162, 'POST of an unknown plan is 404', 404, 'plan_not_found', () =>
      post({ repIds: [world.ids.ben], planId: unknownId }),
    );

    row(163, 'GET lists rep, plan and effective dates', async () => {
      const [first] = await world.get(`/v1/assignments?repId=${world.ids.ben}`);
      expect(first).to.deep.include({
        assignmentId: created[0]?.assignmentId,
        repId: world.ids.ben,
        repName: 'Ben',
        planId: plan.planId,
        planName: 'AE',
        effectiveStart: '2026-01-01',
        effectiveEnd: null,
      });
    });

    row(164, 'GET returns a bare array', async () => {
      expect(await world.get('/v1/assignments'))
        .to.be.an('array')
        .with.length(2);
    });

    row(165, 'GET filters by repId and planId', async () => {
      expect((await world.get(`/v1/assignments?repId=${world.ids.cat}`)).map((one: Json) => one.repId)).to.deep.equal([
        world.ids.cat,
      ]);
      expect(await world.get(`/v1/assignments?planId=${plan.planId}`)).to.have.length(2);
      expect(await world.get(`/v1/assignments?planId=${unknownId}`)).to.deep.equal([]);
    });

    row(166, 'PATCH changes start and end', async () => {
      const body = { effectiveStart: '2026-02-01', effectiveEnd: '2026-02-28' };
      await world.admin.expect(200, 'PATCH', path(0), body);
      for (const [dealId, closeDate] of [
        ['In', '2026-02-28'],
        ['Out', '2026-03-01'],
      ] as const)
        await world.deal(dealId, { amount: 1000, closeDate });
      expect(await world.earned()).to.deep.equal({ In: 100 });
    });

    row(167, 'the response of PATCH contains the dates', async () => {
      const body = { effectiveStart: '2026-01-15', effectiveEnd: '2026-02-28' };
      const answer = await world.admin.expect(200, 'PATCH', path(0), body);
      expect(answer).to.include({ assignmentId: created[0]?.assignmentId, repId: world.ids.ben, ...body });
    });

    row(168, 'PATCH of the end alone keeps the start', async () => {
      const answer = await world.admin.expect(200, 'PATCH', path(0), { effectiveEnd: '2026-06-30' });
      expect(answer).to.include({ effectiveStart: '2026-01-15', effectiveEnd: '2026-06-30' });
    });

    rejects(169, 'PATCH of an unknown assignment is 404', 404, 'assignment_not_found', () =>
      world.admin.patch(`/v1/assignments/${unknownId}`, { effectiveEnd: '2026-06-30' }),
    );

    adminOnly(170, 'PATCH', (who) => world.client(who).patch(path(0), { effectiveEnd: null }));

    row(171, 'PATCH with the end before the start is 400', async () => {
      const body = { effectiveStart: '2026-06-01', effectiveEnd: '2026-05-01' };
      await expectError('400 VALIDATION_FAILED', world.admin.patch(path(0), body));
      const [unchanged] = await world.get(`/v1/assignments?repId=${world.ids.ben}`);
      expect(unchanged).to.include({ effectiveStart: '2026-01-15', effectiveEnd: '2026-06-30' });
    });

    rejects(172, 'DELETE of an unknown assignment is 404', 404, 'assignment_not_found', () =>
      world.admin.delete(`/v1/assignments/${unknownId}`),
    );

    adminOnly(173, 'DELETE', (who) => world.client(who).delete(path(0)));

    row(174, 'DELETE unlinks the rep from the plan', async () => {
      await world.deal('Cat', { amount: 1000, ownerId: 'cat' });
      expect(await world.earned('cat')).to.deep.equal({ Cat: 100 });
      const deleted = await world.admin.expect(200, 'DELETE', path(1));
      expect(deleted).to.deep.equal({ deleted: true, assignmentId: created[1]?.assignmentId });
      expect(await world.get(`/v1/assignments?repId=${world.ids.cat}`)).to.deep.equal([]);
      await world.deal('Later', { amount: 1000, ownerId: 'cat', closeDate: '2026-02-01' });
      expect(await world.earned('cat')).to.not.have.property('Later');
    });

    row(175, 'DELETE keeps historical events, also after a recalculation', async () => {
      expect(await world.earned('cat')).to.deep.equal({ Cat: 100 });
      await world.recalculate();
      await world.recalculate({ repId: world.ids.cat });
      expect(await world.earned('cat')).to.deep.equal({ Cat: 100 });
    });
  });
}
