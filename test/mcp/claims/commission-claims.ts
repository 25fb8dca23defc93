import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { type Claims, changesNothing, flat, month, rule, testedIn, tier, tiered, valuesOf } from './claim-world.js';

const currentMonth = () => new Date().toISOString().slice(0, 7);

/** Claims of the tools that read, try and recalculate commission, and of those for objections and differences. */
export const commissionClaims: Claims = {
  get_deal_credits: {
    'Changes: nothing.': changesNothing('get_deal_credits'),
    'splits and overlays with percent, role and source of each line': async (world) => {
      const { repId } = await world.addPaidRep();
      const dealId = await world.addDeal(repId);
      const overlay = { repId, percent: 20, kind: 'overlay', role: 'SE' };
      await world.call('set_deal_credits', { dealId, credits: [overlay] });
      const { credits } = await world.call('get_deal_credits', { dealId });
      const parts = ['kind', 'percent', 'role', 'source'].map((name) => valuesOf(credits, name));
      expect(parts).to.deep.equal([
        ['overlay', 'split'],
        [20, 100],
        ['SE', null],
        ['api', 'owner'],
      ]);
    },
  },
  get_deal_lines: {
    'Changes: nothing.': changesNothing('get_deal_lines'),
    'differs: they do not add up to it': async (world) => {
      const { repId } = await world.addPaidRep();
      const dealId = await world.addDeal(repId);
      expect(await world.call('get_deal_lines', { dealId })).to.deep.include({ differs: false, lines: [] });
    },
  },
  set_deal_credits: {
    'in place of all lines that were given before': async (world) => {
      const { repId } = await world.addPaidRep();
      const other = await world.addRep();
      const dealId = await world.addDeal(repId);
      for (const credited of [other, repId])
        await world.call('set_deal_credits', { dealId, credits: [{ repId: credited, percent: 100 }] });
      const { credits } = await world.call('get_deal_credits', { dealId });
      expect(valuesOf(credits, 'repId')).to.deep.equal([repId]);
    },
    'split lines total 100; overlays are in addition': async (world) => {
      const { repId } = await world.addPaidRep();
      const dealId = await world.addDeal(repId);
      const lines = (percent: number) => [
        { repId, percent },
        { repId, percent: 500, kind: 'overlay' },
      ];
      await world.expectCode('splits_must_total_100', 'set_deal_credits', { dealId, credits: lines(99) });
      await world.call('set_deal_credits', { dealId, credits: lines(100) });
    },
    'commission of everyone on the lines is recalculated; approved statements stay': async (world) => {
      const { repId } = await world.addPaidRep();
      const dealId = await world.addDeal(repId);
      expect(await world.total(dealId)).to.equal(100);
      const credits = [
        { repId, percent: 30 },
        { repId: null, percent: 70 },
      ];
      await world.call('set_deal_credits', { dealId, credits, dryRun: true });
      expect(await world.total(dealId)).to.equal(100);
      await world.call('set_deal_credits', { dealId, credits });
      expect(await world.total(dealId)).to.equal(30);
    },
  },
  get_commissions: {
    'Changes: nothing.': changesNothing('get_commissions'),
    'nothing or period: the team (manager or admin)': testedIn(
      'mcp/access',
      'a rep reads only their own data, as over REST',
    ),
    'the current month when left out': async (world) => {
      expect((await world.call('get_commissions')).period).to.equal(currentMonth());
    },
    'dealId: that deal, whatever the period': async (world) => {
      const { repId } = await world.addPaidRep();
      const dealId = await world.addDeal(repId);
      expect(await world.total(dealId)).to.equal(100);
      expect((await world.call('get_commissions', { dealId, period: '2026-07' })).total).to.equal(100);
    },
    'repId: that rep': async (world) => {
      const { repId } = await world.addPaidRep();
      await world.total(await world.addDeal(repId));
      const dashboard = await world.call('get_commissions', { repId, period: month });
      expect(dashboard.repId).to.equal(repId);
      expect(dashboard.earnings.total).to.equal(100);
    },
    'also people without a plan, a quota or an amount in the period': async (world) => {
      const repId = await world.addRep();
      const shown = async (more: object) =>
        valuesOf((await world.call('get_commissions', { period: month, limit: 200, ...more })).reps, 'repId');
      expect(await shown({})).to.not.include(repId);
      expect(await shown({ include: 'all' })).to.include(repId);
    },
    'Other currencies are in otherCurrencies, never added; converted has all at shown rates': testedIn(
      'commissions/queries',
      'sums each currency separately and includes inactive reps with earnings',
    ),
    'the trace of every amount': testedIn('commissions/queries', 'explains each paid amount'),
    'the reason for every 0': testedIn(
      'commissions/queries',
      'returns the condition that failed, with the value that it read',
    ),
  },
  get_forecast: {
    'Changes: nothing.': changesNothing('get_forecast'),
    'The current month by default': async (world) => {
      expect((await world.call('get_forecast')).period).to.equal(currentMonth());
    },
    'Probable pay of a person or the team, and what each open deal is worth': async (world) => {
      const { repId } = await world.addPaidRep();
      const forecast = await world.call('get_forecast', { repId, period: month });
      expect(forecast).to.include({ repId, period: month }).and.include.keys('expected', 'deals');
      const { reps } = await world.call('get_forecast', { period: month, limit: 200 });
      expect(valuesOf(reps, 'repId')).to.include(repId);
    },
    'With repId: pay to reach': async (world) => {
      const { repId } = await world.addPaidRep();
      const { goal } = await world.call('get_forecast', { repId, period: month, goal: 1000 });
      expect(goal).to.include({ amount: 1000, reached: false });
    },
  },
  get_liability: {
    'Changes: nothing.': changesNothing('get_liability'),
    'What people are owed at the end of a month, and what moved it': testedIn(
      'finance/liability',
      'waits for the customer, is payable, and is paid (L1)',
    ),
  },
  get_contract_costs: {
    'Changes: nothing.': changesNothing('get_contract_costs'),
    'Capitalised commission in a month, and its future amortisation': testedIn(
      'finance/contract-costs',
      'is amortised over the months of the policy, and its journal is that of A20 (A1, A20)',
    ),
  },
  get_pay_calendar: {
    'Changes: nothing.': changesNothing('get_pay_calendar'),
    'Sure and expected pay of the next three months': testedIn(
      'commissions/pay-calendar',
      'has the statements of three months and those before that are not paid, sure and expected amounts apart',
    ),
  },
  list_exceptions: {
    'Changes: nothing.': changesNothing('list_exceptions'),
    'by reason, each reason with what to do': async (world) => {
      const dealId = await world.addDeal(await world.addRep());
      await world.calculated();
      const { exceptions } = await world.call('list_exceptions', { period: month });
      const group = exceptions.find(({ deals }: { deals: { dealId: string }[] }) =>
        deals.some((deal) => deal.dealId === dealId),
      );
      expect(group.reason).to.equal('no_assignment');
      for (const { meaning } of exceptions) expect(meaning).to.be.a('string').with.length.greaterThan(20);
    },
    'Deals of a period that paid nothing': testedIn(
      'commissions/exceptions',
      'groups deals by reason, without open pipeline and lost deals',
    ),
    'The current month by default': async (world) => {
      expect((await world.call('list_exceptions')).period).to.equal(currentMonth());
    },
  },
  recalculate_commissions: {
    'Always a job.': async (world) => {
      for (const given of [{}, { repId: world.ids['repId'] }, { planId: world.ids['planId'] }, { dealId: 'D-1' }])
        expect((await world.call('recalculate_commissions', given)).jobId).to.be.a('string');
    },
    'give one of dealId, repId and planId, or none for the workspace; of several the narrowest applies': async (
      world,
    ) => {
      const { repId, planId } = world.ids;
      const scope = async (given: object) => (await world.call('recalculate_commissions', given)).scope;
      expect(await scope({})).to.equal('workspace');
      expect(await scope({ planId })).to.equal('plan');
      expect(await scope({ planId, repId })).to.equal('rep');
      expect(await scope({ planId, repId, dealId: 'D-1' })).to.equal('deal');
    },
    'The answer has jobId: call get_recalculation_job after pollAfterSeconds until its status is completed': async (
      world,
    ) => {
      const { jobId, pollAfterSeconds } = await world.call('recalculate_commissions', {});
      expect(pollAfterSeconds).to.be.greaterThan(0);
      expect((await world.finishedJob(jobId)).status).to.equal('completed');
    },
    'Changes start their own calculation': async (world) => {
      const { repId } = await world.addPaidRep();
      expect(await world.total(await world.addDeal(repId))).to.equal(100);
    },
    'incorrect commission is corrected; a second run changes nothing more': async (world) => {
      const { repId } = await world.addPaidRep();
      const dealId = await world.addDeal(repId);
      expect(await world.total(dealId)).to.equal(100);
      // The key is a hash of what was calculated.
      const wrong = 'update commission_events set amount = 77, idempotency_key = gen_random_uuid() where rep_id = $1';
      await world.service.sql(wrong, repId);
      const run = async () => {
        const { jobId } = await world.call('recalculate_commissions', { repId });
        return (await world.finishedJob(jobId)).result;
      };
      expect((await run()).eventsWritten).to.equal(1);
      expect(await world.total(dealId)).to.equal(100);
      expect(await run()).to.include({ eventsWritten: 0, eventsReversed: 0 });
    },
    'Approved statements block it for their rep and period': async (world) => {
      const { repId, planId } = await world.addPaidRep();
      const approved = await world.addDeal(repId);
      const open = await world.addDeal(repId, { closeDate: '2026-02-10' });
      await world.approve(repId);
      await world.changePlan(planId, { config: flat(0.2) });
      const { jobId } = await world.call('recalculate_commissions', { repId });
      expect(await world.totals(approved, open)).to.deep.equal([100, 200]);
      expect((await world.finishedJob(jobId)).result.statementLocked).to.equal(true);
    },
  },
  get_recalculation_job: {
    'Changes: nothing.': changesNothing('get_recalculation_job'),
    'A job is available for six hours after its end': testedIn(
      'operation/restarts.slow',
      'are readable from every API process for six hours after their end',
    ),
  },
  simulate_commissions: {
    'Changes: nothing.': changesNothing('simulate_commissions'),
    'Dry run of a plan': async (world) => {
      const { repId, planId } = await world.addPaidRep({ status: 'draft' });
      const dealId = await world.addDeal(repId);
      const { planVersionId } = await world.call('get_plan', { planId });
      expect((await world.call('simulate_commissions', { planVersionId, period: month })).total).to.equal(100);
      expect(await world.total(dealId)).to.equal(0);
    },
    'Without repId everyone assigned to the plan is simulated, with config alone every active rep': async (world) => {
      const { repId, planId } = await world.addPaidRep();
      const other = await world.addRep();
      await world.addRep();
      await world.assign(other, planId);
      const { reps } = await world.call('simulate_commissions', { planId, period: month });
      expect(valuesOf(reps, 'repId')).to.have.members([repId, other]);
      await world.addRep({ active: false });
      const tried = await world.call('simulate_commissions', { config: flat(0.1), period: month, limit: 200 });
      const active = (await world.call('list_reps', { limit: 200 })).reps.filter(
        (rep: { active: boolean }) => rep.active,
      );
      expect(valuesOf(tried.reps, 'repId')).to.have.members(valuesOf(active, 'id'));
    },
    'planId, planVersionId or config; planId with config is a change of the plan': async (world) => {
      const { repId, planId } = await world.addPaidRep();
      await world.addDeal(repId);
      const total = async (given: object) =>
        (await world.call('simulate_commissions', { period: month, repId, ...given })).total;
      expect(await total({ planId })).to.equal(100);
      expect(await total({ config: flat(0.5) })).to.equal(500);
      const halfway = { planId, config: flat(0.5), effectiveStart: `${month}-15` };
      expect(await total(halfway)).to.equal(100);
      expect(await total({ ...halfway, effectiveStart: `${month}-05` })).to.equal(500);
    },
    '[{dealId, amount, stage, closeDate, fields?, repId?}]': async (world) => {
      const { repId, planId } = await world.addPaidRep();
      await world.assign(await world.addRep(), planId);
      const given = (more: object) => {
        const deal = { dealId: 'what-if', amount: 700, stage: 'Won', closeDate: `${month}-20`, ...more };
        return { planId, period: month, deals: [deal] };
      };
      expect((await world.call('simulate_commissions', given({ repId }))).total).to.equal(70);
      await world.expectCode('VALIDATION_FAILED', 'simulate_commissions', given({}));
      const later = given({ repId, closeDate: '2026-07-01' });
      expect((await world.call('simulate_commissions', later)).total).to.equal(0);
    },
    'Give this or repId': async (world) => {
      const { repId, planId } = await world.addPaidRep();
      const given = { planId, period: month, repId, repIds: [repId] };
      await world.expectCode('VALIDATION_FAILED', 'simulate_commissions', given);
    },
    'To assume for every rep': async (world) => {
      const { repId, planId } = await world.addPaidRep({ config: tiered });
      await world.addDeal(repId);
      const given = { planId, period: month, quota: { target: 500 } };
      expect((await world.call('simulate_commissions', given)).total).to.equal(200);
    },
    'summary omits reps.rules.deals, reps.outcomes': async (world) => {
      const { repId, planId } = await world.addPaidRep();
      await world.addDeal(repId);
      const { reps } = await world.call('simulate_commissions', { planId, period: month, detail: 'summary' });
      expect(reps[0]).to.not.have.any.keys('outcomes');
      expect(reps[0].rules[0]).to.not.have.any.keys('deals');
    },
    'managers and admins': testedIn('commissions/simulate-as-rep', 'rejects a config with 403, alone and with a plan'),
    'what each rep would earn, by rule and deal, with the trace and the reason for every 0': async (world) => {
      const condition = { field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' };
      const { repId, planId } = await world.addPaidRep({ config: { dealConditions: [condition], ...flat(0.1) } });
      const won = await world.addDeal(repId);
      const lost = await world.addDeal(repId, { stage: 'Closed Lost' });
      const { reps } = await world.call('simulate_commissions', { planId, period: month });
      const [rep] = reps;
      expect(rep).to.include({ repId, total: 100 });
      expect(rep.rules[0].deals[0]).to.deep.include({ dealId: won, amount: 100 });
      expect(rep.rules[0].deals[0].trace.amount).to.equal(100);
      const outcome = rep.outcomes.find(({ dealId }: { dealId: string }) => dealId === lost);
      expect(outcome).to.include({ paid: false, amount: 0, reason: 'deal_condition_failed' });
    },
    'period as in get_commissions, or 2026-H1': async (world) => {
      const rules = [rule([tier(0.1)])];
      const { repId, planId } = await world.addPaidRep({ config: { rules } });
      await world.addDeal(repId);
      for (const period of ['2026-03', '2026-Q1', '2026-H1', '2026'])
        expect((await world.call('simulate_commissions', { planId, period })).total, period).to.equal(100);
    },
  },
  list_disputes: {
    'Changes: nothing.': changesNothing('list_disputes'),
    'latest first': async (world) => {
      const repId = await world.addRep();
      const given = { repId, period: month, type: 'other', description: 'x' };
      const first = await world.call('open_dispute', given);
      const second = await world.call('open_dispute', given);
      const { disputes } = await world.call('list_disputes', { repId });
      expect(valuesOf(disputes, 'disputeId')).to.deep.equal([second.disputeId, first.disputeId]);
    },
  },
  open_dispute: {
    'by default the statement cannot be approved until a person decides': async (world) => {
      const { repId } = await world.addPaidRep();
      await world.addDeal(repId);
      await world.calculated();
      await world.api.generate(repId, month);
      await world.call('open_dispute', { repId, period: month, type: 'other', description: 'x' });
      const approve = { period: month, status: 'approved' };
      await expectError('409 open_dispute', world.api.post(`/v1/statements/${repId}/approve`, approve));
    },
    'the present calculation is stored with it': testedIn(
      'statements/disputes/disputes',
      'stores the trace of the deal and the statement as they were when it was opened',
    ),
  },
  list_discrepancies: {
    'Changes: nothing.': changesNothing('list_discrepancies'),
    'What approved statements owe after later changes, and why': testedIn(
      'statements/discrepancies/discrepancies',
      'lists what a late deal would add to an approved period, with lines, causes and the team overview',
    ),
  },
  list_payables: {
    'Changes: nothing.': changesNothing('list_payables'),
    'What of the earned commission is waiting, held, payable, approved or paid, and what it waits for': testedIn(
      'pay/payables/payables',
      'list what is waiting, held, payable, approved and paid, and what it waits for',
    ),
  },
  list_approvals: { 'Changes: nothing.': changesNothing('list_approvals') },
  list_acceptances: { 'Changes: nothing.': changesNothing('list_acceptances') },
  resolve_discrepancy: {
    'Not for true_up above 500, which a person must pay': async (world) => {
      const { repId } = await world.addPaidRep();
      await world.approve(repId);
      await world.addDeal(repId, { amount: 5010 });
      await world.checked();
      const [{ discrepancyId }] = (await world.call('list_discrepancies', { repId })).discrepancies;
      const given = { discrepancyId, action: 'true_up', reason: 'agreed' };
      expect((await world.call('resolve_discrepancy', given)).result.action).to.equal('requires_approval');
      await world.expectCode('VALIDATION_FAILED', 'resolve_discrepancy', { ...given, force: true });
      expect(await world.netPayout(repId)).to.equal(0);
    },
    'true_up pays in the approved period, carry_forward in the next open one': async (world) => {
      const { repId } = await world.addPaidRep();
      for (const period of ['2026-02', month]) await world.approve(repId, period);
      await world.addDeal(repId, { closeDate: '2026-02-10' });
      await world.addDeal(repId, { amount: 2000 });
      await world.checked();
      const { discrepancies } = await world.call('list_discrepancies', { repId });
      for (const { discrepancyId, period } of discrepancies) {
        const action = period === month ? 'true_up' : 'carry_forward';
        await world.call('resolve_discrepancy', { discrepancyId, action, reason: 'agreed' });
      }
      await world.calculated();
      const paid = [];
      for (const period of ['2026-02', month, '2026-04']) paid.push(await world.netPayout(repId, period));
      expect(paid).to.deep.equal([0, 200, 100]);
    },
  },
};
