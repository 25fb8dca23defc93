import { expect } from 'chai';
import { sql } from 'kysely';
import { newId } from '#src/kernel/ids.js';
import { createAssignments } from '#src/people/assignments/commands/create-assignments.js';
import { setPlanStatus } from '#src/plans/commands/set-plan-status.js';
import { updatePlan } from '#src/plans/commands/update-plan.js';
import { type PlanVersion } from '#src/plans/plan.js';
import { deleteQuota } from '#src/plans/quotas/commands/delete-quota.js';
import { setQuotas } from '#src/plans/quotas/commands/set-quotas.js';
import { listQuotas } from '#src/plans/quotas/queries/list-quotas.js';
import { untilBlocked } from '#test/support/blocked.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';
import { flatRule } from '#test/support/terms.js';

describe('quotas', () => {
  let workspace: OfflineWorkspace;
  let plan: PlanVersion;
  let ann: string;
  let bob: string;

  const rules = [
    flatRule('New Business', 0.08),
    flatRule('Renewal', 0.08, { measure: 'renewed', attainmentPeriod: 'monthly' }),
    flatRule('A', 0.08, { quotaGroup: 'team', measure: 'x' }),
    flatRule('B', 0.08, { quotaGroup: 'team', measure: 'x' }),
  ];

  beforeEach(async () => {
    workspace = await OfflineWorkspace.create();
    [ann, bob] = await workspace.addReps('Ann', 'Bob');
    plan = await workspace.addPlan('Plan', rules);
    await assign([ann], plan);
  });

  const ruleId = (name: string, version = plan) => version.rules.find((one) => one.name === name)?.id as string;
  const newBusiness = (more: object = {}) => ({
    repIds: [ann],
    planRuleId: ruleId('New Business'),
    period: '2026-Q1',
    target: 1000,
    ...more,
  });
  const byMeasure = (measure: string, more: object = {}) => ({
    repIds: [ann],
    measure,
    period: '2026-Q1',
    target: 1000,
    ...more,
  });
  const post = (body: object) => workspace.run(setQuotas, { body });
  const list = (query: object = {}, caller = workspace.admin) => workspace.run(listQuotas, { query }, caller);
  const remove = (quotaId: string) => workspace.run(deleteQuota, { params: { quotaId } });
  const everything = () => workspace.contents('quotas', 'calculation_requests');

  async function assign(repIds: string[], to: PlanVersion): Promise<void> {
    await workspace.run(createAssignments, { body: { repIds, planId: to.planId } });
    await workspace.deleteRequests();
  }

  async function expectError(code: string, status: number, body: object) {
    const before = await everything();
    const failure = await workspace.expectError(code, status, setQuotas, { body });
    expect(await everything()).to.equal(before);
    return failure;
  }

  describe('POST /v1/quotas', () => {
    it('sets one quota per rep and requests a calculation of the period', async () => {
      const [first, second] = await post(
        newBusiness({ repIds: [bob, ann, bob.toUpperCase()], target: 1000.123456, variableTarget: 50 }),
      );
      expect(first).to.deep.equal({
        quotaId: first.quotaId,
        repId: bob,
        planId: plan.planId,
        planRuleId: ruleId('New Business'),
        measure: 'New Business',
        period: '2026-Q1',
        target: 1000.123456,
        variableTarget: 50,
        current_value: 0,
        attainment: 0,
      });
      expect(second.repId).to.equal(ann);
      const requested = { from_day: '2026-01-01', to_day: '2026-03-31', trigger: 'quota_change' };
      expect(await workspace.requests()).to.have.deep.members([
        { rep_id: ann, ...requested },
        { rep_id: bob, ...requested },
      ]);
      expect(workspace.db.woken).to.have.members([ann, bob]);
    });

    it('requests one calculation for all periods of a rep', async () => {
      const targets = ['2026-Q3', '2026-Q1'].map((period) => ({ repId: ann, period, target: 1000 }));
      await post({ planRuleId: ruleId('New Business'), targets });
      expect(await workspace.requests()).to.deep.equal([
        { rep_id: ann, from_day: '2026-01-01', to_day: '2026-09-30', trigger: 'quota_change' },
      ]);
    });

    it('changes an existing quota and leaves an omitted variable target unchanged', async () => {
      const [first] = await post(newBusiness({ variableTarget: 50 }));
      const [second] = await post(newBusiness({ target: 2000 }));
      expect(second).to.deep.equal({ ...first, target: 2000 });
      expect((await post(newBusiness({ target: 2000, variableTarget: null })))[0].variableTarget).to.equal(null);
      expect(await list()).to.have.length(1);
    });

    it('requests no calculation when the quota does not change', async () => {
      await post(newBusiness({ variableTarget: 0.1 }));
      await workspace.deleteRequests();
      const before = await everything();
      await post(newBusiness({ variableTarget: 0.1 }));
      await post(newBusiness());
      expect(await everything()).to.equal(before);
      expect(workspace.db.woken).to.deep.equal([]);
    });

    it('accepts a target of 0', async () => {
      const [quota] = await post(newBusiness({ target: -0 }));
      expect(quota).to.include({ target: 0, attainment: 0 });
    });

    it('sets the quota of a group through any of its rules', async () => {
      const [first] = await post(newBusiness({ planRuleId: ruleId('A') }));
      const [second] = await post(newBusiness({ planRuleId: ruleId('B'), target: 7 }));
      expect(second).to.include({ quotaId: first.quotaId, measure: 'team', target: 7, planRuleId: ruleId('B') });
    });

    it('prefers planRuleId to a measure that names the same rule', async () => {
      const [quota] = await post(newBusiness({ measure: ' new business' }));
      expect(quota.planRuleId).to.equal(ruleId('New Business'));
    });

    it('rejects bodies that violate the schema', async () => {
      const { planRuleId, ...neither } = newBusiness();
      for (const body of [
        {},
        neither,
        { ...neither, planRuleId, measure: 'Renewal' },
        newBusiness({ repIds: [] }),
        newBusiness({ repIds: ['x'] }),
        newBusiness({ repIds: Array.from({ length: 10_001 }, newId) }),
        newBusiness({ target: -1 }),
        newBusiness({ target: '5' }),
        newBusiness({ target: Number.POSITIVE_INFINITY }),
        newBusiness({ target: Number.NaN }),
        newBusiness({ target: 1e12 + 1 }),
        newBusiness({ target: 0.1234567 }),
        newBusiness({ target: 1e-7 }),
        newBusiness({ variableTarget: -1 }),
        newBusiness({ target: null }),
        newBusiness({ period: '2026-13' }),
        newBusiness({ period: '' }),
        newBusiness({ currency: 'USD' }),
        newBusiness({ planRuleId: 'x' }),
      ])
        await expectError('VALIDATION_FAILED', 400, body);
    });

    it('returns 400 period_mismatch with the expected format for a period of another kind', async () => {
      for (const period of ['2026', '2026-03', '2026-H1']) {
        expect((await expectError('period_mismatch', 400, newBusiness({ period }))).message).to.contain('YYYY-QN');
      }
      expect((await expectError('period_mismatch', 400, byMeasure('Renewal'))).message).to.contain('YYYY-MM');
      await post(byMeasure('Renewal', { period: '2026-03' }));
    });

    it('returns 404 for reps, plans and rules that the workspace does not have', async () => {
      const unknown = newId();
      const failure = await expectError('rep_not_found', 404, newBusiness({ repIds: [ann, unknown] }));
      expect(failure.details).to.deep.equal({ repIds: [unknown] });
      await expectError('plan_not_found', 404, newBusiness({ planId: unknown }));
      await expectError('plan_rule_not_found', 404, newBusiness({ planRuleId: unknown }));
    });

    it('returns 404 for a rule of another plan than the given one', async () => {
      const other = await workspace.addPlan('Other', [flatRule('Mine', 0.08)]);
      await expectError('plan_rule_not_found', 404, newBusiness({ planId: other.planId }));
      expect(await post(newBusiness({ planId: plan.planVersionId }))).to.have.length(1);
    });

    it('returns 404 for a rule of a superseded version, although a newer version has its name', async () => {
      const newer: PlanVersion = await workspace.run(updatePlan, {
        params: { planRef: plan.planId },
        body: { config: { rules: [flatRule('New Business', 0.08)] } },
      });
      await workspace.run(setPlanStatus, { params: { planRef: plan.planVersionId }, body: { status: 'archived' } });
      await workspace.deleteRequests();
      await expectError('plan_rule_not_found', 404, newBusiness());
      expect((await post(newBusiness({ planRuleId: ruleId('New Business', newer) })))[0].planRuleId).to.equal(
        ruleId('New Business', newer),
      );
      expect(await post(newBusiness({ planRuleId: ruleId('Renewal'), period: '2026-01' }))).to.have.length(1);
    });

    it('accepts a rule of a draft and of each version in force', async () => {
      const draft = await workspace.addPlan('Draft', [flatRule('Soon', 0.08)], { status: 'draft' });
      await post(newBusiness({ planRuleId: ruleId('Soon', draft) }));
      const july = {
        config: { rules: [flatRule('New Business', 0.08, { attainmentPeriod: 'monthly' })] },
        effectiveStart: '2026-07-01',
      };
      const second: PlanVersion = await workspace.run(updatePlan, { params: { planRef: plan.planId }, body: july });
      await post(newBusiness());
      await post(newBusiness({ planRuleId: ruleId('New Business', second), period: '2026-07' }));
      expect(await list({ planId: plan.planId })).to.have.length(2);
    });

    it('starts a new quota at the credit in the ledger', async () => {
      await workspace.insert.deal('D1', ann, { closeDate: '2026-02-15', amount: 333 });
      await workspace.insert.deal('D2', ann, { closeDate: '2026-05-15', amount: 5000 });
      await post(newBusiness({ period: '2026-Q2', target: 2 }));
      await post(newBusiness({ period: '2026-Q1', target: 1 }));
      await workspace.calculateAll();
      await remove((await list({ period: '2026-Q1' }))[0].quotaId);
      await workspace.calculateAll();
      const [quota] = await post(newBusiness({ repIds: [ann, bob], target: 999 }));
      expect(quota).to.include({ current_value: 333, attainment: 0.333333 });
      expect((await list({ period: '2026-Q2' }))[0]).to.include({ current_value: 5000, attainment: 2500 });
    });

    it('counts the credit of a thousand reps in one request', async () => {
      const ids = await workspace.addReps(...Array.from({ length: 1000 }, (_, index) => `R${index}`));
      await sql`
        insert into commission_events (workspace_id, rep_id, event_id, kind, status, plan_id, attainment_key, category, amount, credit, currency, period, earned_on, idempotency_key)
        select ${workspace.workspaceId}, r.rep_id, gen_random_uuid(), 'commission_earned', 'earned', ${plan.planId}, 'New Business', 'commission', 1, 7, 'USD', '2026-Q1', '2026-02-01', gen_random_uuid()
        from reps r where r.workspace_id = ${workspace.workspaceId}`.execute(workspace.db.owner);
      const quotas = await post(newBusiness({ repIds: ids }));
      expect(new Set(quotas.map((one: { current_value: number }) => one.current_value))).to.deep.equal(new Set([7]));
    });

    it('waits for a running calculation, so that its credit includes every event', async () => {
      await workspace.insert.deal('D3', ann, { closeDate: '2026-02-15', amount: 333 });
      let posted: Promise<unknown> = Promise.resolve();
      let done = false;
      await workspace.db.unitOfWork.run(
        { workspaceId: workspace.workspaceId },
        { lock: 'none', access: 'write' },
        async (tx) => {
          await tx.db
            .selectFrom('lanes')
            .select('rep_id')
            .where('workspace_id', '=', workspace.workspaceId)
            .where('rep_id', '=', ann)
            .forNoKeyUpdate()
            .execute();
          posted = post(newBusiness()).then(() => {
            done = true;
          });
          await untilBlocked(workspace.db.ownerUrl);
          expect(done).to.equal(false);
        },
      );
      await posted;
      await workspace.calculateAll();
      expect((await list())[0]).to.include({ current_value: 333, attainment: 0.333 });
    });
  });

  describe('POST /v1/quotas by measure', () => {
    it('finds the rule by its name, ignoring case and spaces', async () => {
      expect((await post(byMeasure(' new BUSINESS ')))[0]).to.include({
        planRuleId: ruleId('New Business'),
        measure: 'New Business',
      });
      expect((await post(byMeasure('b')))[0]).to.include({ measure: 'team' });
    });

    it('finds the rule by the measured field when no name matches, and counts the rules of a group as one', async () => {
      expect((await post(byMeasure('AMOUNT')))[0]).to.include({ measure: 'New Business' });
      expect((await post(byMeasure('x')))[0]).to.include({ measure: 'team' });
    });

    it('prefers the newest active version of the plan', async () => {
      const newer: PlanVersion = await workspace.run(updatePlan, {
        params: { planRef: plan.planId },
        body: { config: { rules: [flatRule('New Business', 0.08), flatRule('Other', 0.08)] } },
      });
      expect((await post(byMeasure('New Business')))[0].planRuleId).to.equal(ruleId('New Business', newer));
    });

    it('returns 400 quota_ambiguous_measure for a field that rules with different attainment keys measure', async () => {
      const other = await workspace.addPlan('Other', [flatRule('One', 0.08), flatRule('Two', 0.08)]);
      await expectError('quota_ambiguous_measure', 400, byMeasure('amount', { planId: other.planId }));
    });

    it('returns 404 plan_rule_not_found for a measure that no active assigned plan has', async () => {
      const other = await workspace.addPlan('Other', [flatRule('Elsewhere', 0.08)]);
      await expectError('plan_rule_not_found', 404, byMeasure('Elsewhere'));
      await expectError('plan_rule_not_found', 404, byMeasure('Nothing'));
      await expectError('plan_rule_not_found', 404, byMeasure('New Business', { repIds: [bob] }));
      await post(byMeasure('Elsewhere', { planId: other.planId }));
      await workspace.run(setPlanStatus, { params: { planRef: other.planId }, body: { status: 'archived' } });
      await workspace.deleteRequests();
      await expectError('plan_rule_not_found', 404, byMeasure('Elsewhere', { planId: other.planId, target: 1 }));
    });
  });
});
