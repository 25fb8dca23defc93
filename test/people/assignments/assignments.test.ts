import { expect } from 'chai';
import { newId } from '#src/kernel/ids.js';
import { createAssignments } from '#src/people/assignments/commands/create-assignments.js';
import { deleteAssignment } from '#src/people/assignments/commands/delete-assignment.js';
import { updateAssignment } from '#src/people/assignments/commands/update-assignment.js';
import { listAssignments } from '#src/people/assignments/queries/list-assignments.js';
import { type PlanWarning } from '#src/plans/plan-warnings.js';
import { setQuotas } from '#src/plans/quotas/commands/set-quotas.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { OfflineWorkspace, type Parts } from '#test/support/offline-workspace.js';
import { flatRule } from '#test/support/terms.js';

describe('assignments', () => {
  let workspace: OfflineWorkspace;
  let planId: string;
  let planVersionId: string;
  let ann: string;
  let bob: string;

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create();
    [ann, bob] = await workspace.addReps('Ann', 'Bob');
    ({ planId, planVersionId } = await workspace.addPlan('Plan', [flatRule('New', 0.08)]));
    await workspace.deleteRequests();
  });

  const post = (body: object) => workspace.run(createAssignments, { body });
  const patch = (assignmentId: string, body: object) =>
    workspace.run(updateAssignment, { params: { assignmentId }, body });
  const remove = (assignmentId: string) => workspace.run(deleteAssignment, { params: { assignmentId } });
  const list = (query: object = {}, caller = workspace.admin) => workspace.run(listAssignments, { query }, caller);
  const everything = () => workspace.contents('assignments', 'calculation_requests');

  async function expectError(code: string, status: number, operation: AnyOperation, parts: Parts) {
    const before = await everything();
    const failure = await workspace.expectError(code, status, operation, parts);
    expect(await everything(), code).to.equal(before);
    return failure;
  }
  const expectPostError = (code: string, status: number, body: object) =>
    expectError(code, status, createAssignments, { body });
  const expectPatchError = (code: string, status: number, assignmentId: string, body: object) =>
    expectError(code, status, updateAssignment, { params: { assignmentId }, body });

  describe('POST /v1/assignments', () => {
    it('warns of the quota that a rep lacks, at the moment when the rep is assigned', async () => {
      const tiers = [
        { tierIndex: 0, minThreshold: 0, rate: 0.1 },
        { tierIndex: 1, minThreshold: 1, rate: 0.2 },
      ];
      const tiered = await workspace.addPlan('Tiered', [{ ...flatRule('Tiers', 0.1), tiers }]);
      const period = '2026-Q1';
      const days = { effectiveStart: '2026-01-01', effectiveEnd: '2026-03-31' };
      const targets = { planId: tiered.planId, measure: 'Tiers', period, target: 100, repIds: [bob] };
      await workspace.run(setQuotas, { body: targets });
      const created = await post({ repIds: [ann, bob], planId: tiered.planId, ...days });
      expect(
        created.map((one: { repId: string; warnings?: PlanWarning[] }) => [
          one.repId,
          one.warnings?.map(({ code }) => code),
        ]),
      ).to.deep.equal([
        [ann, ['quota_missing']],
        [bob, undefined],
      ]);
      expect(created[0]?.warnings?.[0]?.message).to.include('Ann').and.include(period);
      expect((await post({ repIds: [ann], planId }))[0]).not.to.have.property('warnings');
    });

    it('assigns each rep once and requests their calculation', async () => {
      const created = await post({
        repIds: [bob, ann, bob.toUpperCase()],
        planId,
        effectiveStart: '2026-01-01',
        effectiveEnd: null,
      });
      const shared = { planId, planName: 'Plan', effectiveStart: '2026-01-01', effectiveEnd: null };
      expect(created.map(({ assignmentId, ...rest }: { assignmentId: string }) => rest)).to.deep.equal([
        { repId: bob, repName: 'Bob', ...shared },
        { repId: ann, repName: 'Ann', ...shared },
      ]);
      const requested = { from_day: '1900-01-01', to_day: '2199-12-31', trigger: 'assignment_change' };
      expect(await workspace.requests()).to.have.deep.members([
        { rep_id: ann, ...requested },
        { rep_id: bob, ...requested },
      ]);
      expect(workspace.db.woken).to.have.members([ann, bob]);
    });

    it('accepts a version id in place of the plan id', async () => {
      expect((await post({ repIds: [ann], planId: planVersionId.toUpperCase() }))[0].planId).to.equal(planId);
    });

    it('rejects bodies that violate the schema', async () => {
      for (const body of [
        { repIds: [] },
        { repIds: ['x'] },
        { repIds: Array.from({ length: 10_001 }, newId) },
        { effectiveStart: '2026-02-30' },
        { effectiveStart: '2026-02-02', effectiveEnd: '2026-02-01' },
        { endDate: '2026-02-01' },
      ])
        await expectPostError('VALIDATION_FAILED', 400, { repIds: [ann], planId, ...body });
    });

    it('returns 404 for plans and reps that the workspace does not have and writes nothing', async () => {
      const unknown = newId();
      await expectPostError('plan_not_found', 404, { repIds: [ann], planId: unknown });
      const failure = await expectPostError('rep_not_found', 404, { repIds: [ann, unknown], planId });
      expect(failure.details).to.deep.equal({ repIds: [unknown] });
    });

    it('rejects overlapping days of the same rep and plan, both ends included', async () => {
      const days = { effectiveStart: '2026-02-01', effectiveEnd: '2026-03-31' };
      const [{ assignmentId }] = await post({ repIds: [ann], planId, ...days });
      for (const overlapping of [
        {},
        { effectiveStart: '2026-03-31' },
        { effectiveEnd: '2026-02-01' },
        { effectiveStart: '2026-02-10', effectiveEnd: '2026-02-10' },
        { effectiveStart: '2025-01-01', effectiveEnd: '2027-01-01' },
      ])
        await expectPostError('assignment_overlap', 409, { repIds: [bob, ann], planId, ...overlapping });
      await post({ repIds: [ann], planId, effectiveStart: '2026-04-01' });
      await post({ repIds: [ann], planId, effectiveEnd: '2026-01-31' });
      const other = await workspace.addPlan('Other', [flatRule('New', 0.08)]);
      await post({ repIds: [ann], planId: other.planId });
      await remove(assignmentId);
      await post({ repIds: [ann], planId, ...days });
    });

    it('accepts one of two equal concurrent requests', async () => {
      const outcomes = await Promise.allSettled([post({ repIds: [ann], planId }), post({ repIds: [ann], planId })]);
      expect(outcomes.map((one) => one.status).sort()).to.deep.equal(['fulfilled', 'rejected']);
    });

    it('requests a calculation of everyone on a plan that ranks its reps', async () => {
      const ranked = await workspace.addPlan('Ranked', [
        {
          name: 'First',
          baseField: 'amount',
          tierBy: 'rank',
          payoutMode: 'flat_per_event',
          tiers: [{ min: 1, flatAmount: 100 }],
        },
      ]);
      const [{ assignmentId }] = await post({ repIds: [ann], planId: ranked.planId });
      await workspace.deleteRequests();
      await post({ repIds: [bob], planId: ranked.planId });
      expect((await workspace.requests()).map((one) => one.rep_id)).to.have.members([ann, bob]);
      await workspace.deleteRequests();
      await patch(assignmentId, { effectiveStart: '2026-01-01' });
      expect(workspace.db.woken).to.have.members([ann, bob]);
      await workspace.deleteRequests();
      await remove(assignmentId);
      expect((await workspace.requests()).map((one) => one.rep_id)).to.have.members([ann, bob]);
    });

    it('accepts ten thousand reps, as POST /v1/quotas does', async () => {
      const repIds = await workspace.addReps(...Array.from({ length: 10_000 }, (_, index) => `R${index}`));
      expect(await post({ repIds, planId })).to.have.length(10_000);
      const quota = { repIds, measure: 'New', period: '2026-Q1', target: 1000 };
      expect(await workspace.run(setQuotas, { body: quota })).to.have.length(10_000);
    });
  });

  describe('GET /v1/assignments', () => {
    it('filters by rep and by plan, with a plan id or a version id', async () => {
      await post({ repIds: [ann, bob], planId });
      const other = await workspace.addPlan('Other', [flatRule('New', 0.08)]);
      await post({ repIds: [ann], planId: other.planId });
      const seen = async (query: object) =>
        (await list(query)).map((one: { repName: string; planName: string }) => `${one.repName} ${one.planName}`);
      expect(await seen({})).to.deep.equal(['Ann Other', 'Ann Plan', 'Bob Plan']);
      expect(await seen({ repId: ann })).to.deep.equal(['Ann Other', 'Ann Plan']);
      expect(await seen({ planId })).to.deep.equal(['Ann Plan', 'Bob Plan']);
      expect(await seen({ planId: planVersionId, repId: bob })).to.deep.equal(['Bob Plan']);
      expect(await seen({ planId: newId() })).to.deep.equal([]);
      expect(await seen({ repId: newId() })).to.deep.equal([]);
      await workspace.expectError('VALIDATION_FAILED', 400, listAssignments, { query: { rep: ann } });
    });
  });

  describe('PATCH /v1/assignments/:assignmentId', () => {
    it('changes and clears each of the two days', async () => {
      const [{ assignmentId }] = await post({
        repIds: [ann],
        planId,
        effectiveStart: '2026-01-01',
        effectiveEnd: '2026-06-30',
      });
      await workspace.deleteRequests();
      expect(await patch(assignmentId, { effectiveEnd: null })).to.include({
        assignmentId,
        effectiveStart: '2026-01-01',
        effectiveEnd: null,
      });
      expect((await workspace.requests()).map((one) => [one.rep_id, one.trigger])).to.deep.equal([
        [ann, 'assignment_change'],
      ]);
      expect(await patch(assignmentId, { effectiveStart: null, effectiveEnd: '2026-03-31' })).to.include({
        effectiveStart: null,
        effectiveEnd: '2026-03-31',
      });
      expect((await list())[0]).to.include({ effectiveStart: null, effectiveEnd: '2026-03-31' });
      await workspace.deleteRequests();
      await patch(assignmentId, { effectiveEnd: '2026-03-31' });
      expect(await workspace.requests()).to.deep.equal([]);
    });

    it('rejects unknown assignments, invalid days and overlaps', async () => {
      const [{ assignmentId }] = await post({
        repIds: [ann],
        planId,
        effectiveStart: '2026-01-01',
        effectiveEnd: '2026-06-30',
      });
      await post({ repIds: [ann], planId, effectiveStart: '2026-07-01' });
      await expectPatchError('VALIDATION_FAILED', 400, assignmentId, {});
      await expectPatchError('VALIDATION_FAILED', 400, assignmentId, { planId });
      await expectPatchError('VALIDATION_FAILED', 400, assignmentId, { effectiveEnd: '2025-12-31' });
      await expectPatchError('assignment_overlap', 409, assignmentId, { effectiveEnd: '2026-07-01' });
      await expectPatchError('assignment_overlap', 409, assignmentId, { effectiveEnd: null });
      for (const unknown of [newId(), 'nonsense'])
        await expectPatchError('assignment_not_found', 404, unknown, { effectiveEnd: null });
      await remove(assignmentId);
      await expectPatchError('assignment_not_found', 404, assignmentId, { effectiveEnd: null });
    });

    it('reverses events outside of narrowed days', async () => {
      await workspace.insert.deal('D1', ann, { closeDate: '2026-01-15', amount: 1000 });
      await workspace.insert.deal('D2', ann, { closeDate: '2026-04-15', amount: 2000 });
      const [{ assignmentId }] = await post({ repIds: [ann], planId });
      await workspace.calculateAll();
      expect(await earned()).to.deep.equal([
        ['2026-01-15', '80.0000', 'earned'],
        ['2026-04-15', '160.0000', 'earned'],
      ]);
      await patch(assignmentId, { effectiveEnd: '2026-03-31' });
      await workspace.calculateAll();
      expect(await earned()).to.deep.equal([
        ['2026-01-15', '80.0000', 'earned'],
        ['2026-04-15', '160.0000', 'reversed'],
      ]);
    });
  });

  const earned = async () => {
    const events = 'select earned_on, amount, status from commission_events where workspace_id = $1 order by earned_on';
    return (await workspace.db.sql(events, workspace.workspaceId)).map(Object.values);
  };
});
