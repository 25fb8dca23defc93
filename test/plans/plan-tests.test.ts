import { expect } from 'chai';
import { planTerms } from '#src/plans/plan.js';
import { type PlanTest, planTests } from '#src/plans/plan-tests.js';
import { runTests } from '#src/plans/run-tests.js';
import { planTemplates } from '#src/plans/templates-catalog.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';

const won = { field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' };
const tiers = (...rates: number[]) => rates.map((rate, tierIndex) => ({ tierIndex, minThreshold: tierIndex, rate }));
const commission = { name: 'Commission', measure: 'amount', tiers: tiers(0.1, 0.2) };
const configOf = (...rules: object[]) => ({ dealConditions: [won], rules });
const deal = (dealId: string, amount: number, rep?: string) => ({
  dealId,
  closeDate: '2026-02-10',
  amount,
  stage: 'Won',
  ...(rep === undefined ? {} : { rep }),
});

/** Runs tests without a service. */
function run(config: object, ...tests: object[]) {
  const plan = {
    terms: planTerms(config),
    currency: 'USD',
    fx: null,
    rates: { workspaceCurrency: 'USD', maxAgeDays: null, currencyFields: [] },
    fieldMapping: {},
    measures: {},
    fiscalYears: [],
    deals: { timeZone: 'UTC', standard: {} },
  };
  return runTests(plan, planTests.parse(tests));
}

const double = (value: unknown) => (typeof value === 'number' ? value * 2 : value);

/** The same with all rates and amounts doubled, also those of the rows of rate tables. */
function doubled<Terms>(terms: Terms): Terms {
  return JSON.parse(JSON.stringify(terms), (key, value) => {
    if (key === 'rate' || key === 'flatAmount') return double(value);
    if (key !== 'values') return value;
    return Object.fromEntries(Object.entries(value).map(([column, one]) => [column, double(one)]));
  });
}

describe('tests of a plan', () => {
  for (const { templateId, planConfig } of planTemplates)
    it(`of the template ${templateId} pass, and fail with other rates`, async () => {
      expect(await run(planConfig.config, ...planConfig.tests)).to.deep.equal({ passed: true, tests: 1, failed: [] });
      expect((await run(doubled(planConfig.config), ...doubled(planConfig.tests))).passed).to.equal(false);
    });

  it('expect the part for one product of a deal', async () => {
    const template = planTemplates.find(({ templateId }) => templateId === 'product-rates');
    const { config, tests } = (template as (typeof planTemplates)[number]).planConfig;
    const [test] = tests as unknown as [PlanTest];
    const entry = { ruleName: 'Products', dealId: 'products-2' };
    const parts = [4200, 750, 100].map((amount, index) => ({ ...entry, lineId: String(index + 1), amount }));
    expect(await run(config, { ...test, expected: parts })).to.include({ passed: true });
    const wrong = { ...entry, lineId: '2', amount: 600 };
    const { failed } = await run(config, { ...test, expected: [wrong, { ...entry, lineId: '9', amount: 0 }] });
    expect(failed).to.have.length(1);
    expect(failed[0]).to.include({ lineId: '2', expected: 600, actual: 750 });
  });

  it('name the rule, the deal, both amounts and the trace', async () => {
    const test = {
      name: 'Above the quota',
      deals: [deal('a', 1000), deal('b', 500)],
      quotas: [{ measure: 'Commission', period: '2026-Q1', target: 1000 }],
      expected: [
        { ruleName: 'Commission', dealId: 'a', amount: 100 },
        { ruleName: 'Commission', dealId: 'c', amount: 0 },
      ],
      total: 150,
    };
    const { passed, failed } = await run(configOf(commission), test);
    expect(passed).to.equal(false);
    expect(failed).to.have.length(2);
    const [ofDeal, ofTotal] = failed;
    expect(ofDeal).to.include({ name: 'Above the quota', ruleName: 'Commission', dealId: 'a' });
    expect(ofDeal).to.include({ expected: 100, actual: 200 });
    expect(ofDeal?.trace).to.have.property('conditions');
    expect(ofTotal).to.include({ ruleName: null, dealId: null, expected: 150, actual: 300, trace: null });
  });

  const clawback = { window: { days: 180 } };
  const kept = { ...configOf(commission), clawback };

  it('take back what refunds take back, from everyone on the deal', async () => {
    const shared = {
      ...deal('a', 1000, 'Ann'),
      credits: [
        { rep: 'Ann', percent: 60 },
        { rep: 'Ben', percent: 40 },
      ],
    };
    const refunds = [
      { dealId: 'a', refundId: 'r', day: '2026-05-02', amount: 500, waivers: [{ rep: 'Ben', percent: 50 }] },
      { dealId: 'a', refundId: 's', day: '2026-05-03' },
    ];
    const quotas = [{ measure: 'Commission', period: '2026-Q1', target: 10_000 }];
    const expected = [
      { ruleName: 'Commission', dealId: 'a', period: '2026-Q1', amount: 100 },
      { ruleName: 'Commission', refundId: 'r', rep: 'Ann', amount: -30 },
      { ruleName: 'Commission', refundId: 'r', rep: 'Ben', amount: -10 },
      { ruleName: 'Commission', dealId: 'a', refundId: 's', period: '2026-05', amount: -50 },
      { ruleName: 'Commission', dealId: 'a', rep: 'Ben', amount: 10 },
    ];
    const test = { name: 'Refunds', deals: [shared], refunds, quotas, expected, total: 10 };
    expect(await run(kept, test)).to.deep.equal({ passed: true, tests: 1, failed: [] });
  });

  it('say why a refund takes nothing back', async () => {
    const refunds = [{ dealId: 'a', day: '2026-05-02' }];
    const quotas = [{ measure: 'Commission', period: '2026-Q1', target: 10_000 }];
    const expected = [{ ruleName: 'Commission', dealId: 'a', refundId: 'refund', amount: -100 }];
    const test = { name: 'Refunds', deals: [deal('a', 1000)], refunds, quotas, expected };
    const { failed } = await run(configOf(commission), test);
    expect(failed).to.have.length(1);
    expect(failed[0]).to.include({ dealId: 'a', refundId: 'refund', actual: 0 });
    expect(failed[0]?.unpaid).to.deep.equal([
      { dealKey: 'a', refundId: 'refund', reason: 'no_clawback_policy', conditions: [], missing: [] },
    ]);
  });

  it('are rejected with refunds of other deals, and of more than the deal', async () => {
    const rejected = async (...refunds: object[]) => {
      const expected = [{ ruleName: 'Commission', amount: 0 }];
      const failure = await run(kept, { name: 'Refunds', deals: [deal('a', 1000)], refunds, expected }).then(
        () => null,
        (error: { message: string }) => error.message,
      );
      return failure;
    };
    const day = '2026-05-02';
    expect(await rejected({ dealId: 'b', day })).to.equal('tests.0.refunds.0.dealId: there is no deal b');
    expect(await rejected({ dealId: 'a', day, amount: 1000.01 })).to.equal(
      'tests.0.refunds.0.amount: The amount of the deal is 1000; a refund cannot be more.',
    );
  });

  it('name the reasons, the conditions and the missing fields where nothing was paid', async () => {
    const listed = { ...commission, name: 'Seats', measure: 'seats' };
    const deals = [deal('a', 1000), { ...deal('lost', 1000), stage: 'Lost' }];
    const expected = [
      { ruleName: 'Commission', dealId: 'lost', amount: 100 },
      { ruleName: 'Seats', period: '2026-02', amount: 50 },
      { ruleName: 'Commission', period: '2026-03', amount: 1 },
    ];
    const { failed } = await run(configOf(commission, listed), { name: 'Unpaid', deals, expected });
    expect(failed.map(({ actual, trace }) => [actual, trace])).to.deep.equal([
      [0, null],
      [0, null],
      [0, null],
    ]);
    const [ofLost, ofSeats, ofMarch] = failed.map(({ unpaid }) => unpaid);
    expect(ofLost).to.deep.equal([
      {
        dealKey: 'lost',
        reason: 'deal_condition_failed',
        conditions: [{ field: 'stage', operator: 'equals', value: 'Won', seen: 'Lost', passed: false }],
        missing: [],
      },
    ]);
    expect(ofSeats?.map(({ dealKey, reason, missing }) => [dealKey, reason, missing])).to.deep.equal([
      ['a', 'field_missing', ['seats']],
      ['lost', 'deal_condition_failed', []],
    ]);
    expect(ofMarch).to.deep.equal([]);
  });

  it('name the person whom a rule did not pay, and the period of a rule of periods', async () => {
    const bonus = {
      name: 'Bonus',
      measure: 'amount',
      executionPhase: 'periodic',
      payoutMode: 'flat_per_event',
      attainmentPeriod: 'quarterly',
      tiers: [{ tierIndex: 0, minThreshold: 1, flatAmount: 500 }],
    };
    const test = {
      name: 'Quarter',
      deals: [deal('a', 1000, 'Ann'), deal('b', 1000, 'Ben')],
      quotas: [{ measure: 'Bonus', period: '2026-Q1', target: 5000, rep: 'Ann' }],
      expected: [{ ruleName: 'Bonus', rep: 'Ann', period: '2026-Q1', amount: 500 }],
    };
    const { failed } = await run(configOf(bonus), test);
    expect(failed.map(({ unpaid }) => unpaid.map(({ dealKey, rep, reason }) => [dealKey, rep, reason]))).to.deep.equal([
      [['2026-Q1', 'Ann', 'below_lowest_tier']],
    ]);
  });

  it('cover managers above, ranks and rules of periods', async () => {
    const override = { name: 'Override', measure: 'amount', executionPhase: 'cascade', dependsOn: 'Commission' };
    const flat = { ...commission, tiers: tiers(0.1) };
    const cascade = {
      name: 'Two levels',
      deals: [deal('a', 1000, 'Ann')],
      managers: { Ann: 'Mia', Mia: 'Zoe' },
      expected: [
        { ruleName: 'Override', rep: 'Mia', amount: 10 },
        { ruleName: 'Override', rep: 'Zoe', amount: 10 },
        { ruleName: 'Override', rep: 'Ann', amount: 0 },
      ],
      total: 120,
    };
    expect((await run(configOf(flat, { ...override, tiers: tiers(0.1) }), cascade)).failed).to.deep.equal([]);
    const rank = {
      name: 'Contest',
      measure: 'amount',
      executionPhase: 'periodic',
      tierBy: 'rank',
      payoutMode: 'flat_per_event',
      attainmentPeriod: 'quarterly',
      tiers: [
        { tierIndex: 0, minThreshold: 1, flatAmount: 500 },
        { tierIndex: 1, minThreshold: 2, flatAmount: 200 },
      ],
    };
    const contest = {
      name: 'First and second',
      deals: [deal('a', 1000, 'Ann'), deal('b', 2000, 'Ben')],
      expected: [
        { ruleName: 'Contest', rep: 'Ben', period: '2026-Q1', amount: 500 },
        { ruleName: 'Contest', rep: 'Ann', period: '2026-Q1', amount: 200 },
      ],
      total: 700,
    };
    expect((await run(configOf(rank), contest)).failed).to.deep.equal([]);
    const early = {
      ...contest,
      asOf: '2026-03-01',
      total: 0,
      expected: contest.expected.map((one) => ({ ...one, amount: 0 })),
    };
    expect((await run(configOf(rank), early)).failed).to.deep.equal([]);
  });

  it('are rejected if they name a rule that the config does not have, or need too many comparisons', async () => {
    const misspelled = { name: 'x', deals: [], expected: [{ ruleName: 'Comission', amount: 0 }] };
    expect(await run(configOf(commission), misspelled).catch(String)).to.contain('tests.0.expected.0.ruleName');
    const conditions = Array.from({ length: 50 }, () => won);
    const expensive = Array.from({ length: 20 }, (_, index) => ({
      name: `t${index}`,
      deals: Array.from({ length: 100 }, (__, place) => deal(`d${place}`, 1)),
      expected: [{ ruleName: 'Commission', amount: 0 }],
    }));
    const config = { dealConditions: conditions, rules: [commission, { ...commission, name: 'Other' }] };
    expect(await run(config, ...expensive).catch(String)).to.contain('comparisons');
  });

  describe('over HTTP', () => {
    const service = Service.duringSuite();
    let api: ApiClient;
    let workspaceId: string;
    const passing: PlanTest = {
      name: 'Flat',
      deals: [deal('a', 1000)],
      expected: [{ ruleName: 'Commission', dealId: 'a', amount: 100 }],
    };
    const failing: PlanTest = { ...passing, expected: [{ ruleName: 'Commission', dealId: 'a', amount: 99 }] };
    const flat = configOf({ ...commission, tiers: tiers(0.1) });

    before(async () => {
      ({ workspaceId, api } = await service.workspace());
    });

    async function rejection(method: string, path: string, body: object) {
      const { details } = await expectError('400 plan_tests_failed', api.send(method, path, body));
      expect(details.failed[0]).to.include({ name: 'Flat', expected: 99, actual: 100 });
    }

    it('are stored with a version, in every answer, and continue in the next version', async () => {
      const plan = await api.createPlan({ name: 'Stored', config: flat, tests: [passing] });
      expect(plan.tests).to.deep.equal([passing]);
      const next = await api.expect(200, 'PATCH', `/v1/plans/${plan.planId}`, { effectiveStart: '2026-01-01' });
      expect([next.version, next.tests]).to.deep.equal([2, [passing]]);
      const other = { ...passing, name: 'Other' };
      const replaced = await api.expect(200, 'PATCH', `/v1/plans/${plan.planId}`, { tests: [other] });
      expect([replaced.version, replaced.tests]).to.deep.equal([2, [other]]);
      expect((await api.expect(200, 'GET', `/v1/plans/${plan.planId}`)).tests).to.deep.equal([other]);
      const cleared = await api.expect(200, 'PATCH', `/v1/plans/${plan.planId}`, { tests: [] });
      expect(cleared.tests).to.deep.equal([]);
    });

    it('that fail prevent that a version becomes active, unless it is forced, which is audited', async () => {
      await rejection('POST', '/v1/plans', { name: 'Gate', config: flat, tests: [failing] });
      const draft = await api.createPlan({
        name: 'Gate',
        config: flat,
        tests: [failing],
        status: 'draft',
      });
      const path = `/v1/plans/${draft.planId}`;
      await rejection('PATCH', `${path}/status`, { status: 'active' });
      expect((await api.expect(200, 'GET', path)).planStatus).to.equal('draft');
      await api.expect(200, 'PATCH', `${path}/status`, { status: 'active', force: true });
      const audited = await service.sql<{ details: object }>(
        `select details from audit_runs where workspace_id = $1 and trigger = 'plan_tests_forced'`,
        workspaceId,
      );
      expect(audited.map(({ details }) => details)).to.deep.equal([
        { planId: draft.planId, planVersionId: draft.planVersionId, failed: 1 },
      ]);
      await rejection('PATCH', path, { config: flat });
      await rejection('PATCH', path, { tests: [{ ...failing, asOf: '2026-04-01' }] });
      const corrected = await api.expect(200, 'PATCH', path, { tests: [passing] });
      expect(corrected.version).to.equal(1);
      const wrong = configOf({ ...commission, tiers: tiers(0.3) });
      const answer = await api.patch(path, { config: wrong });
      expect([answer.status, answer.body.details.failed[0].actual]).to.deep.equal([400, 300]);
    });

    it('run on demand, also with a config or tests that are not stored, and in a preview', async () => {
      const plan = await api.createPlan({ name: 'Run', config: flat, tests: [passing] });
      const path = `/v1/plans/${plan.planId}`;
      const result = (body: object) => api.expect(200, 'POST', `${path}/tests/run`, body);
      expect(await result({})).to.deep.equal({ passed: true, tests: 1, failed: [] });
      expect((await result({ tests: [failing] })).failed[0]).to.include({ name: 'Flat', actual: 100 });
      const wrong = configOf({ ...commission, tiers: tiers(0.3) });
      expect((await result({ config: wrong })).passed).to.equal(false);
      const preview = (body: object) => api.expect(200, 'POST', `${path}/preview`, { ...body, period: '2026' });
      expect((await preview({ config: wrong })).testsPassed).to.equal(false);
      expect((await preview({ config: flat })).testsPassed).to.equal(true);
      expect(await preview({ tests: [] })).to.not.have.property('testsPassed');
    });
  });
});
