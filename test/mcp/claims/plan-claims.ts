import { expect } from 'chai';
import { type Claims, changesNothing, flat, month, rule, testedIn, tier, tiered, valuesOf } from './claim-world.js';

const inTimeline = (title: string) => ({ file: 'plans/timeline-tests.ts', title });
const previewed = testedIn(
  'plans/preview',
  'shows the movement by rep and deal, largest change first, and what the approved month would owe',
);

/** Claims of the tools for plans and their versions. */
export const planClaims: Claims = {
  get_rate_table: {
    'Changes: nothing.': changesNothing('get_rate_table'),
  },
  list_rate_tables: {
    'Changes: nothing.': changesNothing('list_rate_tables'),
    'with their keys and columns': testedIn(
      'plans/rate-tables/rate-tables',
      'a table is stored, found in any case, listed',
    ),
  },
  look_up_rate: {
    'Changes: nothing.': changesNothing('look_up_rate'),
    'or the nearest rows': testedIn(
      'plans/rate-tables/rate-tables',
      'a look-up finds the row that counts, or the nearest',
    ),
  },
  list_plans: {
    'Changes: nothing.': changesNothing('list_plans'),
    'one row each with the version in force today, or every version': async (world) => {
      const { planId } = await world.addPlan();
      const change = { planRef: planId, config: flat(0.2), effectiveStart: '2099-01-01' };
      const { planVersionId } = await world.call('update_plan', change);
      const versions = async (given: object) =>
        (await world.call('list_plans', { limit: 200, ...given })).plans
          .filter((plan: { planId: string }) => plan.planId === planId)
          .map((plan: { version: number }) => plan.version);
      expect(await versions({})).to.deep.equal([1]);
      expect((await versions({ versions: 'all' })).sort()).to.deep.equal([1, 2]);
      expect((await world.call('get_plan', { planId: planVersionId })).version).to.equal(2);
    },
    'This status': async (world) => {
      const { planId } = await world.addPlan({ status: 'draft' });
      const { plans } = await world.call('list_plans', { status: 'draft', limit: 200 });
      expect(valuesOf(plans, 'planId')).to.include(planId);
      expect(new Set(valuesOf(plans, 'status'))).to.deep.equal(new Set(['draft']));
    },
  },
  create_plan: {
    'Changes: adds a plan.': async (world) => {
      const { planId } = await world.addPlan();
      expect(await world.rows('plans', 'plan_id = $1', planId)).to.equal(1);
    },
    'It is active at once by default, but pays nothing until create_assignments assigns reps to it': async (world) => {
      const repId = await world.addRep();
      const dealId = await world.addDeal(repId);
      const { planId, status } = await world.addPlan();
      expect(status).to.equal('active');
      expect(await world.total(dealId)).to.equal(0);
      await world.assign(repId, planId);
      expect(await world.total(dealId)).to.equal(100);
    },
    'tiers by attainment also need set_quota': async (world) => {
      const { repId, ruleId } = await world.addPaidRep({ config: tiered });
      const dealId = await world.addDeal(repId);
      expect(await world.total(dealId)).to.equal(0);
      await world.setQuota(repId, ruleId, 500);
      expect(await world.total(dealId)).to.be.greaterThan(0);
    },
    'a rate of 0.08 is 8 %; a threshold of 1 is 100 % of the quota': async (world) => {
      const marginal = { ...rule([tier(0.08), tier(0.2, 1, 1)]), attainmentPeriod: 'monthly', tierMode: 'marginal' };
      const { repId, ruleId } = await world.addPaidRep({ config: { rules: [marginal] } });
      await world.setQuota(repId, ruleId, 600);
      expect(await world.total(await world.addDeal(repId))).to.equal(600 * 0.08 + 400 * 0.2);
    },
    'Unique name of the plan': async (world) => {
      const { name } = await world.addPlan();
      await world.expectCode('plan_name_taken', 'create_plan', { name, config: flat(0.1) });
    },
    'draft has no effect yet': async (world) => {
      const { repId } = await world.addPaidRep({ status: 'draft' });
      expect(await world.total(await world.addDeal(repId))).to.equal(0);
    },
    'Without a condition on the stage, open and lost deals pay too': async (world) => {
      const { repId } = await world.addPaidRep();
      expect(await world.total(await world.addDeal(repId, { stage: 'Negotiation' }))).to.equal(100);
      expect(await world.total(await world.addDeal(repId, { stage: 'Closed Lost' }))).to.equal(100);
    },
  },
  list_plan_templates: {
    'Changes: nothing.': changesNothing('list_plan_templates'),
    'each with a config': async (world) => {
      const { templates } = await world.call('list_plan_templates');
      for (const { planConfig, tables = [] } of templates) {
        for (const { name, ...content } of tables)
          await world.api.expect(200, 'PUT', `/v1/rate-tables/${encodeURIComponent(name)}`, content);
        await world.addPlan({ config: planConfig.config, status: 'draft' });
      }
    },
    'in full detail, a worked example': async (world) => {
      const { templates } = await world.call('list_plan_templates', { detail: 'full' });
      for (const template of templates) expect(template.workedExample.expected).to.not.equal(undefined);
    },
    'give planConfig.config as the config of create_plan': testedIn('plans/templates', 'posted as it is, it pays'),
  },
  get_plan: {
    'Changes: nothing.': changesNothing('get_plan'),
    'Rule ids change with every version': async (world) => {
      const { planId, rules } = await world.addPlan();
      await world.changePlan(planId, { effectiveEnd: '2026-12-31' });
      const next = await world.call('get_plan', { planId });
      expect(next.version).to.equal(2);
      expect(next.rules[0].name).to.equal(rules[0].name);
      expect(next.rules[0].id).to.not.equal(rules[0].id);
    },
    'assigned reps': async (world) => {
      const { repId, planId } = await world.addPaidRep();
      expect(valuesOf((await world.call('get_plan', { planId })).assignedReps, 'repId')).to.deep.equal([repId]);
    },
    'planId (its version in force) or a planVersionId': testedIn(
      'plans/plans',
      'returns a version by its id and the version in force by the plan id',
    ),
  },
  delete_plan: {
    'with all its versions, rules, tiers and quotas': async (world) => {
      const { repId, planId, assignmentId } = await world.addPaidRep({ config: tiered });
      const { rules } = await world.changePlan(planId);
      await world.setQuota(repId, rules[0].id, 500);
      await world.call('delete_assignment', { assignmentId });
      const tables = ['plans', 'plan_versions', 'plan_rules', 'quotas'];
      const counts = () => Promise.all(tables.map((table) => world.rows(table, 'plan_id = $1', planId)));
      expect(await counts()).to.deep.equal([1, 2, 2, 1]);
      await world.call('delete_plan', { planId, confirm: true });
      expect(await counts()).to.deep.equal([0, 0, 0, 0]);
    },
    'cannot be undone.': async (world) => {
      const { planId } = await world.addPlan();
      await world.call('delete_plan', { planId, confirm: true });
      await world.expectCode('plan_not_found', 'set_plan_status', { planRef: planId, status: 'active' });
    },
    'Fails with plan_has_assignments while reps are assigned': async (world) => {
      const { planId } = await world.addPaidRep();
      await world.expectCode('plan_has_assignments', 'delete_plan', { planId, confirm: true });
    },
    'Commission that was earned stays': async (world) => {
      const { repId, planId, assignmentId } = await world.addPaidRep();
      const dealId = await world.addDeal(repId);
      expect(await world.total(dealId)).to.equal(100);
      await world.call('delete_assignment', { assignmentId });
      await world.call('delete_plan', { planId, confirm: true });
      expect(await world.total(dealId)).to.equal(100);
    },
    'any planVersionId also stands for the whole plan': async (world) => {
      const { planId, planVersionId } = await world.addPlan();
      await world.changePlan(planId);
      await world.call('delete_plan', { planId: planVersionId, confirm: true });
      await world.expectCode('plan_not_found', 'get_plan', { planId });
    },
    'true, once a person has agreed': testedIn('mcp/results', 'require a confirmation before a plan is removed'),
  },
  get_plan_history: {
    'Changes: nothing.': changesNothing('get_plan_history'),
    'newest first': async (world) => {
      const { planId } = await world.addPlan();
      for (const rate of [0.2, 0.3]) await world.changePlan(planId, { config: flat(rate) });
      const { versions } = await world.call('get_plan_history', { planId });
      expect(valuesOf(versions, 'version')).to.deep.equal([3, 2, 1]);
    },
    'summary omits config, dealConditions, rules, tests, fieldMapping': async (world) => {
      const { planId } = await world.addPlan();
      await world.changePlan(planId, { config: flat(0.2) });
      const brief = (await world.call('get_plan_history', { planId })).versions;
      const full = (await world.call('get_plan_history', { planId, detail: 'full' })).versions;
      for (const version of brief) expect(version).to.not.have.any.keys('rules', 'config');
      expect(
        full.map(({ rules }: { rules: { tiers: { rate: number }[] }[] }) => rules[0]?.tiers[0]?.rate),
      ).to.deep.equal([0.2, 0.1]);
      for (const version of full) expect(version).to.include.keys('config');
    },
  },
  update_plan: {
    'which creates a new version': async (world) => {
      const { planId } = await world.addPlan();
      const name = world.name('Renamed');
      const changes = [{ config: flat(0.2) }, { effectiveEnd: '2026-12-31' }, { currency: 'EUR' }, { name }];
      for (const [index, change] of changes.entries()) {
        const changed = await world.changePlan(planId, change);
        expect(changed.version).to.equal(index + 2);
      }
      expect((await world.call('get_plan', { planId })).name).to.equal(name);
    },
    'send the whole config: it replaces the old one': async (world) => {
      const rules = [rule([tier(0.1)]), rule([tier(0.2)], 'Extra')];
      const { planId } = await world.addPlan({ config: { rules } });
      await world.changePlan(planId, { config: flat(0.3) });
      expect(valuesOf((await world.call('get_plan', { planId })).rules, 'name')).to.deep.equal(['New business']);
    },
    'What is left out is copied from the version that planRef means': testedIn(
      'plans/timeline',
      'copies omitted fields of a PATCH from the version of the planRef',
    ),
    'A config with a later effectiveStart follows the old version; otherwise the new version replaces it, as dates alone do':
      inTimeline('adds a version for a config with a later start, and replaces a version whose start moves'),
    'Rule ids change with the version; quotas and overrides follow the rule of the same name': async (world) => {
      const { repId, plan, planId, ruleId } = await world.addPaidRep({ config: tiered });
      await world.setQuota(repId, ruleId, 5000);
      await world.overrideRate(repId, plan.planVersionId, ruleId);
      const config = { rules: [{ ...tiered.rules[0], tiers: [tier(0.1), tier(0.3, 1, 1)] }] };
      const { rules } = await world.changePlan(planId, { config });
      expect(rules[0].id).to.not.equal(ruleId);
      expect(await world.total(await world.addDeal(repId))).to.equal(500);
    },
    'commission of the days that the plan covers is recalculated; approved statements do not change': async (world) => {
      const { repId, planId } = await world.addPaidRep();
      const before = await world.addDeal(repId, { closeDate: '2026-02-10' });
      const approved = await world.addDeal(repId);
      await world.approve(repId);
      await world.changePlan(planId, { config: flat(0.2) });
      expect(await world.totals(before, approved)).to.deep.equal([200, 100]);
      expect(await world.netPayout(repId)).to.equal(100);
    },
    '{} clears it': async (world) => {
      const { planId, fieldMapping } = await world.addPlan({ fieldMapping: { amount: 'acv' } });
      expect(fieldMapping).to.deep.equal({ amount: 'acv' });
      expect((await world.changePlan(planId, { fieldMapping: {} })).fieldMapping).to.deep.equal({});
    },
    'to rename only': async (world) => {
      const { planId, version } = await world.addPlan({ effectiveStart: '2026-02-01' });
      const name = world.name('Renamed alone');
      const renamed = await world.call('update_plan', { planRef: planId, name, effectiveStart: 'unchanged' });
      expect(renamed).to.include({ name, version, effectiveStart: '2026-02-01' });
    },
    'The old version stays in the history': async (world) => {
      const { planId, planVersionId } = await world.addPlan();
      await world.changePlan(planId, { config: flat(0.2) });
      const { versions } = await world.call('get_plan_history', { planId });
      expect(versions.at(-1)).to.include({ version: 1, planVersionId });
    },
    'config as in create_plan': testedIn('mcp/plan-life', 'template, plan, people, quota, simulation'),
  },
  preview_plan_change: {
    // The result is stored until its pages are read.
    'Changes: nothing.': changesNothing('preview_plan_change', ['job_items', 'stored_jobs']),
    'compared with the ledger': async (world) => {
      const { repId, planId } = await world.addPaidRep();
      const dealId = await world.addDeal(repId);
      await world.calculated();
      const change = { planRef: planId, config: flat(0.3), effectiveStart: 'always' };
      const { before, after } = await world.call('preview_plan_change', { ...change, period: month });
      expect([before, after]).to.deep.equal([100, 300]);
      expect(await world.total(dealId)).to.equal(100);
      await world.call('update_plan', change);
      expect(await world.total(dealId)).to.equal(300);
    },
    'as in update_plan': testedIn(
      'plans/preview',
      'rejects what the change would reject, and periods that are missing or given twice',
    ),
    'byDeal has the largest changes first': previewed,
    'locked shows what approved periods would owe': previewed,
  },
  run_plan_tests: {
    'Changes: nothing.': changesNothing('run_plan_tests'),
    'which reject failing tests': testedIn(
      'plans/plan-tests',
      'that fail prevent that a version becomes active, unless it is forced, which is audited',
    ),
    'Run tests of a plan, stored or given': testedIn(
      'plans/plan-tests',
      'run on demand, also with a config or tests that are not stored, and in a preview',
    ),
  },
  set_plan_status: {
    'in place': async (world) => {
      const { planId } = await world.addPlan();
      await world.call('set_plan_status', { planRef: planId, status: 'archived' });
      expect((await world.call('get_plan_history', { planId })).versions).to.have.length(1);
    },
    'deleted hides it; any status can be set again': async (world) => {
      const { planId } = await world.addPlan();
      await world.call('set_plan_status', { planRef: planId, status: 'deleted' });
      const shown = async () => valuesOf((await world.call('list_plans', { limit: 200 })).plans, 'planId');
      expect(await shown()).to.not.include(planId);
      for (const status of ['draft', 'active', 'archived', 'active'])
        expect((await world.call('set_plan_status', { planRef: planId, status })).planStatus).to.equal(status);
      expect(await shown()).to.include(planId);
    },
    'planId sets the plan: unless it is active nothing new is earned, and what was earned stays': async (world) => {
      const { repId, planId } = await world.addPaidRep();
      const earned = await world.addDeal(repId);
      await world.calculated();
      await world.call('set_plan_status', { planRef: planId, status: 'archived' });
      const later = await world.addDeal(repId);
      expect(await world.totals(earned, later)).to.deep.equal([100, 0]);
    },
    'planVersionId sets that version only': testedIn(
      'plans/plans',
      'changes the status of the plan by its id, and of one version by the version id',
    ),
    'archiving the version in force is a roll-back, so the version before it is in force again (rolledBackTo) and open periods change':
      inTimeline('restores the previous version when the version in force is archived, and returns it'),
  },
  list_plan_overrides: {
    'Changes: nothing.': changesNothing('list_plan_overrides'),
    'Per-rep tiers on one plan version': async (world) => {
      const { repId, plan, ruleId } = await world.addPaidRep();
      const { planVersionId } = plan;
      await world.overrideRate(repId, planVersionId, ruleId);
      const { overrides } = await world.call('list_plan_overrides', { planVersionId });
      expect(valuesOf(overrides, 'repId')).to.deep.equal([repId]);
      expect(overrides[0].rules[0].tiers[0]).to.include({ tierIndex: 0, rate: 0.5 });
    },
  },
  set_plan_override: {
    'replacing all overrides that the rep has there': async (world) => {
      const rules = [rule([tier(0.1)]), rule([tier(0.1)], 'Extra')];
      const { repId, plan } = await world.addPaidRep({ config: { rules } });
      const { planVersionId } = plan;
      for (const { id } of plan.rules) await world.overrideRate(repId, planVersionId, id);
      const { overrides } = await world.call('list_plan_overrides', { planVersionId });
      expect(valuesOf(overrides[0].rules, 'ruleName')).to.deep.equal(['Extra']);
    },
    'commission of this rep is recalculated': async (world) => {
      const { repId, plan, ruleId } = await world.addPaidRep();
      const dealId = await world.addDeal(repId);
      expect(await world.total(dealId)).to.equal(100);
      const { planVersionId } = plan;
      await world.overrideRate(repId, planVersionId, ruleId);
      expect(await world.total(dealId)).to.equal(500);
      await world.call('delete_plan_override', { planVersionId, repId });
      expect(await world.total(dealId)).to.equal(100);
    },
    'ruleId and tierIndex as get_plan shows them for this version': async (world) => {
      const { repId, planId, ruleId } = await world.addPaidRep();
      const { planVersionId } = await world.changePlan(planId);
      const rules = [{ ruleId, tiers: [{ tierIndex: 0, rate: 0.5 }] }];
      await world.expectCode('plan_rule_not_found', 'set_plan_override', { planVersionId, repId, rules });
    },
    'each tier has either rate (0.1 is 10 %) or flatAmount': async (world) => {
      const { repId, plan, ruleId } = await world.addPaidRep();
      const { planVersionId } = plan;
      const of = (tiers: object) => ({ planVersionId, repId, rules: [{ ruleId, tiers: [tiers] }] });
      for (const wrong of [{ tierIndex: 0 }, { tierIndex: 0, rate: 0.1, flatAmount: 5 }])
        await world.expectCode('VALIDATION_FAILED', 'set_plan_override', of(wrong));
      await world.call('set_plan_override', of({ tierIndex: 0, flatAmount: 7 }));
      expect(await world.total(await world.addDeal(repId))).to.equal(7);
    },
    'A new version takes over the overrides of unchanged tiers; the answer of update_plan lists the others': inTimeline(
      'are reported if their rule was removed or their tier has another threshold',
    ),
  },
  delete_plan_override: {
    'commission of this rep is recalculated at the general tiers; approved statements stay': async (world) => {
      const { repId, plan, ruleId } = await world.addPaidRep();
      const { planVersionId } = plan;
      await world.overrideRate(repId, planVersionId, ruleId);
      const before = await world.addDeal(repId, { closeDate: '2026-02-10' });
      const approved = await world.addDeal(repId);
      await world.approve(repId);
      await world.call('delete_plan_override', { planVersionId, repId });
      expect(await world.totals(before, approved)).to.deep.equal([100, 500]);
      expect(await world.netPayout(repId)).to.equal(500);
    },
  },
};
