import { expect } from 'chai';
import { type Claims, changesNothing, flat, month, rule, testedIn, tier, tiered, valuesOf } from './claim-world.js';

/** Claims of the tools for people, assignments and quotas. */
export const peopleClaims: Claims = {
  set_people: {
    'Add people, or change those with the same e-mail address, all or none': async (world) => {
      const email = 'sam@acme.test';
      const { reps } = await world.call('set_people', { reps: [{ email, name: 'Sam' }] });
      const wrong = { email: 'other@acme.test', name: 'Other', managerEmail: 'unknown@acme.test' };
      const { isError } = await world.agent.call('set_people', { reps: [{ email, name: 'Samantha' }, wrong] });
      expect(isError).to.equal(true);
      const names = async () => valuesOf((await world.call('list_reps', { email })).reps, 'name');
      expect(await names()).to.deep.equal(['Sam']);
      const changed = await world.call('set_people', { reps: [{ email, name: 'Samantha' }] });
      expect(changed.reps[0].id).to.equal(reps[0].id);
      expect(await names()).to.deep.equal(['Samantha']);
    },
    'the people; commission of their deals is recalculated': async (world) => {
      const ownerId = world.name('member');
      const { planId } = await world.addPlan();
      const dealId = world.name('D').replace(' ', '-');
      await world.changeDeal(dealId, { amount: 1000, stage: 'Won', closeDate: `${month}-10`, ownerId });
      const email = `${dealId}@acme.test`;
      const person = { email, name: 'Late member' };
      const { reps } = await world.call('set_people', { reps: [person] });
      await world.assign(reps[0].id, planId);
      expect(await world.total(dealId)).to.equal(0);
      await world.call('set_people', { reps: [{ ...person, crmMemberId: ownerId }] });
      expect(await world.total(dealId)).to.equal(100);
    },
    'email and name suffice': async (world) => {
      expect(await world.addRep()).to.be.a('string');
    },
  },
  invite_people: {
    'Changes: sends mails.': async (world) => {
      const email = 'invited@acme.test';
      const repId = await world.addRep({ email });
      await world.call('invite_people', { repIds: [repId] });
      expect(await world.rows('mail_outbox', 'recipient = $1', email)).to.equal(1);
    },
    'which also activates them': async (world) => {
      const email = 'inactive@acme.test';
      const repId = await world.addRep({ email, active: false });
      await world.call('invite_people', { repIds: [repId] });
      expect((await world.call('list_reps', { email })).reps[0].active).to.equal(true);
    },
  },
  list_ramps: {
    'Changes: nothing.': changesNothing('list_ramps'),
  },
  create_ramp: {
    'adds a ramp, which changes nothing until an assignment has it': testedIn(
      'people/ramps/ramps',
      'Q2: the target grows with the steps',
    ),
  },
  update_ramp: {
    'quotas and commission of everyone on the ramp; approved statements stay': testedIn(
      'people/ramps/ramps',
      'a changed step in an approved period is a discrepancy of the ramp',
    ),
  },
  create_draw: {
    'what the statements of its days pay; approved statements stay': testedIn(
      'pay/payables/draws',
      'is rejected where days are approved',
    ),
  },
  update_draw: {
    'what open statements pay; approved statements stay': testedIn(
      'pay/payables/draws',
      'is rejected where days are approved',
    ),
  },
  list_assignments: {
    'Changes: nothing.': changesNothing('list_assignments'),
    'a bound of null is open: the assignment then lasts as long as the plan': async (world) => {
      const { repId } = await world.addPaidRep({ effectiveStart: `${month}-01`, effectiveEnd: `${month}-31` });
      const [assignment] = (await world.call('list_assignments', { repId })).assignments;
      expect([assignment.effectiveStart, assignment.effectiveEnd]).to.deep.equal([null, null]);
      const totals = [];
      for (const closeDate of ['2026-02-28', '2026-03-01', '2026-03-31', '2026-04-01'])
        totals.push(await world.total(await world.addDeal(repId, { closeDate })));
      expect(totals).to.deep.equal([0, 100, 100, 0]);
    },
  },
  create_assignments: {
    'Assign one rep or several to a plan, all of them or none': async (world) => {
      const repId = await world.addRep();
      const { planId } = await world.addPlan();
      await world.expectCode('rep_not_found', 'create_assignments', { repIds: [repId, crypto.randomUUID()], planId });
      expect((await world.call('list_assignments', { planId })).assignments).to.deep.equal([]);
    },
    'who is on two plans is paid by both for the same deal': async (world) => {
      const { repId } = await world.addPaidRep();
      await world.assign(repId, (await world.addPlan({ config: flat(0.2) })).planId);
      expect(await world.total(await world.addDeal(repId))).to.equal(300);
    },
    'Managers whom a cascade rule pays are assigned too': async (world) => {
      const email = `${world.name('boss').replace(' ', '-')}@acme.test`;
      const boss = await world.addRep({ email, role: 'manager' });
      const repId = await world.addRep({ managerEmail: email });
      const cascade = { ...rule([tier(0.5)], 'Override'), executionPhase: 'cascade', dependsOn: '_total' };
      await world.assign(repId, (await world.addPlan()).planId);
      const { planId } = await world.addPlan({ config: { rules: [cascade] } });
      const dealId = await world.addDeal(repId);
      expect(await world.total(dealId)).to.equal(100);
      await world.assign(boss, planId);
      expect(await world.total(dealId)).to.equal(150);
    },
    'commission of these reps is calculated for the days of the assignment, also for deals already won': async (
      world,
    ) => {
      const repId = await world.addRep();
      const outside = await world.addDeal(repId, { closeDate: '2026-02-28' });
      const inside = await world.addDeal(repId);
      const { planId } = await world.addPlan();
      await world.assign(repId, planId, { effectiveStart: `${month}-01` });
      expect(await world.totals(outside, inside)).to.deep.equal([0, 100]);
    },
  },
  update_assignment: {
    'commission on deals that now lie outside is reversed, on those that now lie inside it is earned; approved statements stay':
      async (world) => {
        const { repId, assignmentId } = await world.addPaidRep();
        const early = await world.addDeal(repId, { closeDate: '2026-02-10' });
        const late = await world.addDeal(repId, { closeDate: '2026-05-10' });
        const approved = await world.addDeal(repId, { closeDate: '2026-06-10' });
        await world.approve(repId, '2026-06');
        const totals = () => world.totals(early, late, approved);
        expect(await totals()).to.deep.equal([100, 100, 100]);
        await world.call('update_assignment', { assignmentId, effectiveEnd: '2026-04-30' });
        expect(await totals()).to.deep.equal([100, 0, 100]);
        await world.call('update_assignment', { assignmentId, effectiveEnd: 'never' });
        expect(await totals()).to.deep.equal([100, 100, 100]);
      },
  },
  delete_assignment: {
    'deals that are added or changed later pay the rep nothing under this plan; commission already earned stays':
      async (world) => {
        const { repId, assignmentId } = await world.addPaidRep();
        const earned = await world.addDeal(repId);
        await world.calculated();
        await world.call('delete_assignment', { assignmentId });
        const later = await world.addDeal(repId);
        expect(await world.totals(earned, later)).to.deep.equal([100, 0]);
      },
  },
  list_absences: {
    'Changes: nothing.': changesNothing('list_absences'),
  },
  list_fx_rates: {
    'Changes: nothing.': changesNothing('list_fx_rates'),
    'Exchange rates of the workspace, by table and pair of currencies': testedIn(
      'rates/fx-rates/fx-rates',
      'a file has a row for each rate, or is that of the European Central Bank',
    ),
  },
  set_fx_rates: {
    'Enter exchange rates, or correct those of the same pair and day': testedIn(
      'rates/fx-rates/fx-rates',
      'X2: a corrected rate moves the deal to another tier',
    ),
    'rate is units of to for one unit of from; it holds from its day until the next rate of the pair': testedIn(
      'rates/fx-rates/affected-by-rates',
      'requests the people with a deal in its currency until the next rate, and the days of these deals',
    ),
    'deals that these rates convert are calculated again; approved statements stay': testedIn(
      'rates/fx-rates/fx-rates',
      'X5: a corrected rate is a discrepancy of an approved period, with its cause',
    ),
  },
  put_refund: {
    'Enter what the customer of a deal got back or never paid, or replace the refund with the same refundId': testedIn(
      'deals/refunds/clawbacks',
      'C2 and C3: a declining clawback takes back the days that are left, of the part that was refunded',
    ),
    'plans with a clawback policy take commission back on the day of the refund; approved statements stay': testedIn(
      'deals/refunds/clawbacks',
      'C8: a refund that is deleted after the approval of its period is owed again',
    ),
    'only say the effect': testedIn('deals/refunds/clawbacks', 'says what a refund would do before it is saved'),
  },
  list_draws: {
    'Changes: nothing.': changesNothing('list_draws'),
    'Guaranteed incomes and advances of people, with how they are paid back': testedIn(
      'pay/payables/draws',
      'is rejected where days are approved or another draw of the kind has them',
    ),
  },
  set_absence: {
    'Enter an absence of a person, or replace the one that begins on the same day': async (world) => {
      const { repId } = await world.addPaidRep({ config: tiered });
      const from = `${month}-02`;
      for (const to of [`${month}-05`, `${month}-09`]) await world.call('set_absence', { repId, from, to });
      const { absences } = await world.call('list_absences', { repId });
      expect(valuesOf(absences, 'to')).to.deep.equal([`${month}-09`]);
    },
    'prorated quotas of its periods, and commission with them; approved statements stay': testedIn(
      'people/absences/absences',
      'Q4: a leave that is entered after an approval is a discrepancy, which clears when it is shortened',
    ),
    'Percentage of the target that its days do not count, 100 by default': testedIn(
      'people/absences/absences',
      'Q3: a leave lowers the target of the whole quarter, and its deletion leaves the rows of before',
    ),
    'only say the effect': testedIn(
      'people/absences/absences',
      'a dry run says what an absence would do, and changes nothing',
    ),
  },
  list_quotas: {
    'Changes: nothing.': changesNothing('list_quotas'),
    'current_value and attainment, where 1 is 100 %': async (world) => {
      const { repId, ruleId } = await world.addPaidRep({ config: tiered });
      await world.addDeal(repId);
      await world.setQuota(repId, ruleId, 800);
      await world.calculated();
      const [quota] = (await world.call('list_quotas', { repId })).quotas;
      expect(quota).to.include({ target: 800, current_value: 1000, attainment: 1.25 });
    },
    'measure is the name of the rule': async (world) => {
      const { repId, plan, ruleId } = await world.addPaidRep({ config: tiered });
      await world.setQuota(repId, ruleId, 800);
      expect((await world.call('list_quotas', { repId })).quotas[0].measure).to.equal(plan.rules[0].name);
    },
    'This period or one around it': async (world) => {
      const quarterly = { rules: tiered.rules.map((rule) => ({ ...rule, attainmentPeriod: 'quarterly' })) };
      const { repId, ruleId } = await world.addPaidRep({ config: quarterly });
      await world.call('set_quota', { repIds: [repId], planRuleId: ruleId, period: '2026-Q1', target: 1 });
      const count = async (period: string) => (await world.call('list_quotas', { repId, period })).total;
      expect(await Promise.all(['2026-02', '2026-Q1', '2026', '2026-04'].map(count))).to.deep.equal([1, 1, 0, 0]);
    },
  },
  set_quota: {
    'a quota that exists is replaced': async (world) => {
      const { repId, ruleId } = await world.addPaidRep({ config: tiered });
      for (const target of [800, 900]) await world.setQuota(repId, ruleId, target);
      expect(valuesOf((await world.call('list_quotas', { repId })).quotas, 'target')).to.deep.equal([900]);
    },
    'without a quota for the period attainment is 0, no tier is reached and nothing is paid': testedIn(
      'mcp/guidance',
      'a missing quota has the effect that the guide describes',
    ),
    'Not for rules with one tier from 0': async (world) => {
      const { repId } = await world.addPaidRep();
      expect(await world.total(await world.addDeal(repId))).to.equal(100);
    },
    'period in the form of the attainmentPeriod of the rule: 2026-03, 2026-Q1 or 2026; FY2026-Q1 with calendar fiscal':
      async (world) => {
        const { repId, ruleId } = await world.addPaidRep({ config: tiered });
        const quota = { repIds: [repId], planRuleId: ruleId, target: 1 };
        await world.call('set_quota', { ...quota, period: month });
        for (const period of ['2026-Q1', '2026', 'FY2026-Q1'])
          await world.expectCode('period_mismatch', 'set_quota', { ...quota, period });
      },
    'Name the rule by planRuleId, which also works for drafts; or by measure once its plan is active and the reps are assigned, with planId when several plans have the name':
      async (world) => {
        const config = { rules: [{ ...tiered.rules[0], name: 'Renewals' }] };
        const { planId, rules } = await world.addPlan({ config, status: 'draft' });
        const repId = await world.addRep();
        const quota = { repIds: [repId], period: month, target: 1 };
        await world.call('set_quota', { ...quota, planRuleId: rules[0].id });
        const byMeasure = { ...quota, measure: 'Renewals' };
        await world.expectCode('plan_rule_not_found', 'set_quota', byMeasure);
        await world.call('set_plan_status', { planRef: planId, status: 'active' });
        await world.expectCode('plan_rule_not_found', 'set_quota', byMeasure);
        await world.assign(repId, planId);
        await world.call('set_quota', byMeasure);
        const other = await world.addPlan({ config });
        await world.assign(repId, other.planId);
        await world.expectCode('quota_ambiguous_measure', 'set_quota', byMeasure);
        await world.call('set_quota', { ...byMeasure, planId: other.planId });
      },
    'commission of these reps in the period is recalculated; approved statements stay': async (world) => {
      const { repId, ruleId } = await world.addPaidRep({ config: tiered });
      for (const period of ['2026-02', month]) await world.setQuota(repId, ruleId, 5000, period);
      const open = await world.addDeal(repId, { closeDate: '2026-02-10' });
      const approved = await world.addDeal(repId);
      await world.approve(repId);
      for (const period of ['2026-02', month]) await world.setQuota(repId, ruleId, 500, period);
      expect(await world.totals(open, approved)).to.deep.equal([200, 100]);
    },
    'omit to keep the stored value': testedIn(
      'plans/quotas/quotas',
      'changes an existing quota and leaves an omitted variable target unchanged',
    ),
    'all or none': testedIn('plans/quotas/targets', 'sets no target when one of them is invalid'),
  },
  delete_quota: {
    'the attainment of the rep in the period then reads 0 %': async (world) => {
      const { repId, ruleId } = await world.addPaidRep({ config: tiered });
      await world.addDeal(repId);
      await world.call('delete_quota', { quotaId: await world.setQuota(repId, ruleId, 800) });
      await world.calculated();
      const { attainment } = await world.call('get_commissions', { repId, period: month });
      expect(valuesOf(attainment, 'attainment')).to.deep.equal([0]);
    },
    'commission of the rep in the period is recalculated at 0 % attainment; approved statements stay': async (
      world,
    ) => {
      const { repId, ruleId } = await world.addPaidRep({ config: tiered });
      const deals = [];
      const ids = [];
      for (const period of ['2026-02', month]) {
        ids.push(await world.setQuota(repId, ruleId, 5000, period));
        deals.push(await world.addDeal(repId, { closeDate: `${period}-10` }));
      }
      await world.approve(repId);
      for (const quotaId of ids) await world.call('delete_quota', { quotaId });
      expect(await world.totals(...deals)).to.deep.equal([0, 100]);
    },
  },
};
