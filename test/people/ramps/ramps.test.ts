import { expect } from 'chai';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

const tiers = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08 },
  { tierIndex: 1, minThreshold: 1, rate: 0.12 },
];

const steps = [25, 50, 75, 100].map((quotaPercent) => ({ months: 1, quotaPercent }));

describe('ramps', () => {
  const service = Service.duringSuite();
  let workspace: WorkedExample;
  let assignmentId: string;

  /** Ben's plan prorates by days; his quota for 2026-Q1 is 120,000. */
  beforeEach(async () => {
    workspace = await WorkedExample.create(service, { deals: false });
    const rules = [{ name: 'New business', measure: 'amount', quotaProration: 'calendar_days', tiers }];
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, { config: { rules } });
    await workspace.api.setQuota([workspace.ben], 'New business', '2026-Q1', 120_000);
    const assignments = await workspace.api.expect(200, 'GET', `/v1/assignments?repId=${workspace.ben}`);
    ({ assignmentId } = assignments[0]);
    await workspace.calculated();
  });
  afterEach(() => workspace.expectSoundLedger());

  const create = (terms: object = {}) =>
    workspace.api.expect(201, 'POST', '/v1/ramps', { name: 'Four months', steps, ...terms });
  const assign = (terms: object) => workspace.api.expect(200, 'PATCH', `/v1/assignments/${assignmentId}`, terms);
  const quota = async () => {
    const [found] = await workspace.api.expect(200, 'GET', `/v1/quotas?repId=${workspace.ben}&period=2026-Q1`);
    return found;
  };
  const discrepancies = async () => {
    await service.waitForChecks(workspace.workspaceId);
    const found = await workspace.api.expect(200, 'GET', '/v1/discrepancies?status=open');
    return found.discrepancies.map(({ delta, causes }: { delta: number; causes: { kind: string }[] }) => [
      delta,
      causes.map(({ kind }) => kind),
    ]);
  };

  it('Q2: the target grows with the steps, and every page names the days', async () => {
    await workspace.deal('a', 46_000, '2026-03-20');
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ a: '3680' });
    expect(await quota()).to.include({ effectiveTarget: 120_000, factor: 1 });
    const { rampId } = await create();
    expect(await assign({ effectiveStart: '2026-01-15', rampId })).to.include({ rampId });
    await workspace.calculated();
    // (31 × 0.25 + 28 × 0.5 + 17 × 0.75) of 90 days.
    expect(await workspace.earned()).to.deep.equal({ a: '5520' });
    expect(await quota()).to.deep.include({
      target: 120_000,
      effectiveTarget: 46_000,
      factor: 0.383333,
      explanation: '120,000 × 34.5 of 90 days',
      attainment: 1,
      factors: [
        { from: '2026-01-01', to: '2026-01-14', weight: 0, variableWeight: 0, because: 'not_assigned' },
        { from: '2026-01-15', to: '2026-02-14', weight: 0.25, variableWeight: 1, because: 'ramp' },
        { from: '2026-02-15', to: '2026-03-14', weight: 0.5, variableWeight: 1, because: 'ramp' },
        { from: '2026-03-15', to: '2026-03-31', weight: 0.75, variableWeight: 1, because: 'ramp' },
      ],
    });
    const dashboard = await workspace.api.expect(
      200,
      'GET',
      `/v1/commissions/dashboard?repId=${workspace.ben}&period=2026-Q1`,
    );
    expect(dashboard.attainment[0]).to.deep.include({ target: 46_000, fullTarget: 120_000, attainment: 1 });
  });

  it('a dry run says what the ramp of an assignment would do, and changes nothing', async () => {
    await workspace.deal('a', 46_000, '2026-03-20');
    await workspace.calculated();
    const { rampId } = await create();
    const terms = { effectiveStart: '2026-01-15', rampId };
    const preview = () => workspace.api.expect(200, 'PATCH', `/v1/assignments/${assignmentId}?dryRun=true`, terms);
    const { quotaId } = await quota();
    const { effect, targets, rampName } = await preview();
    expect(rampName).to.equal('Four months');
    expect(effect).to.deep.equal({
      lines: 1,
      reps: 1,
      totals: [{ currency: 'USD', delta: 1840 }],
      locked: [],
      byPeriod: [{ repId: workspace.ben, period: '2026-Q1', currency: 'USD', before: 3680, after: 5520, delta: 1840 }],
    });
    expect(targets).to.deep.equal([
      {
        ...{ quotaId, planId: workspace.planId, measure: 'New business', period: '2026-Q1' },
        ...{ before: 120_000, after: 46_000, variableBefore: null, variableAfter: null },
        explanation: '120,000 × 34.5 of 90 days',
      },
    ]);
    const [stored] = await workspace.api.expect(200, 'GET', `/v1/assignments?repId=${workspace.ben}`);
    expect(stored).to.include({ effectiveStart: null }).and.not.have.property('rampId');
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ a: '3680' });
    expect(await assign(terms)).to.not.have.any.keys('effect', 'targets');
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ a: '5520' });
    expect((await preview()).effect).to.deep.include({ lines: 0, byPeriod: [] });
  });

  it('Q10: a step changes what a deal pays, before the floor', async () => {
    const rules = [{ name: 'New business', measure: 'amount', floor: 100, tiers }];
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, { config: { rules } });
    await workspace.deal('a', 1000, '2026-01-20');
    await workspace.deal('b', 1000, '2026-02-20');
    const { rampId } = await create({ steps: [{ months: 1, quotaPercent: 50, ratePercent: 150 }] });
    await assign({ rampId, rampFrom: '2026-01-15' });
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ a: '120', b: '100' });
    expect(await quota()).to.not.have.property('effectiveTarget');
  });

  it('a day before the first step has none: quota, rate and variable target count in full', async () => {
    const rules = [
      { name: 'New business', measure: 'amount', tierBy: 'attainment', tiers, quotaProration: 'calendar_days' },
      {
        name: 'Start',
        measure: '_deals',
        payoutBase: 'variable_target',
        tiers: [{ tierIndex: 0, minThreshold: 0, rate: 1 }],
      },
    ];
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, { config: { rules } });
    const bonus = { repIds: [workspace.ben], measure: 'Start', period: '2026-Q1', target: 1, variableTarget: 100 };
    await workspace.api.expect(201, 'POST', '/v1/quotas', bonus);
    const half = { months: 1, quotaPercent: 50, ratePercent: 50, variablePercent: 50 };
    const { rampId } = await create({ steps: [half] });
    await assign({ rampId, rampFrom: '2026-03-15' });
    await workspace.deal('a', 1000, '2026-01-20');
    await workspace.calculated();
    const [{ rules: paid }] = await workspace.sql(
      "select jsonb_object_agg(rule_name, amount::float8) as rules from commission_events where workspace_id = $1 and status = 'earned'",
    );
    expect(paid).to.deep.equal({ 'New business': 80, Start: 100 });
  });

  it('a changed step in an approved period is a discrepancy of the ramp, which clears when it is changed back', async () => {
    await workspace.deal('a', 46_000, '2026-01-20');
    const { rampId } = await create();
    await assign({ rampId, rampFrom: '2026-01-15' });
    await workspace.calculated();
    const before = await workspace.earned();
    await workspace.generateAndApprove('2026-01');
    await service.waitForChecks(workspace.workspaceId);
    const change = (quotaPercent: number) =>
      workspace.api.expect(200, 'PATCH', `/v1/ramps/${rampId}`, { steps: [{ months: 3, quotaPercent }] });
    const preview = { steps: [{ months: 3, quotaPercent: 10 }] };
    const { effect } = await workspace.api.expect(200, 'PATCH', `/v1/ramps/${rampId}?dryRun=true`, preview);
    expect(effect).to.deep.include({ lines: 0, byPeriod: [] });
    expect(effect.locked).to.deep.equal([{ repId: workspace.ben, period: '2026-01', currency: 'USD', delta: 1840 }]);
    expect(await discrepancies()).to.deep.equal([]);
    await change(10);
    expect(await discrepancies()).to.deep.equal([[1840, ['ramp']]]);
    await workspace.api.expect(200, 'PATCH', `/v1/ramps/${rampId}`, { steps });
    expect(await discrepancies()).to.deep.equal([]);
    expect(await workspace.earned()).to.deep.equal(before);
  });

  it('a fixed quota and a raised minimum change what counts', async () => {
    const { rampId } = await create({ steps: [{ months: 12, quotaPercent: 0 }] });
    await assign({ rampId, rampFrom: '2026-01-01' });
    expect(await quota()).to.include({
      effectiveTarget: 30_000,
      factor: 0.25,
      explanation: '120,000 × 25 %, the minimum (0 of 90 days)',
    });
    await workspace.api.expect(200, 'PATCH', '/v1/workspaces', { minQuotaPercent: 40 });
    expect(await quota()).to.include({ effectiveTarget: 48_000, factor: 0.4 });
    await workspace.deal('a', 48_000, '2026-01-20');
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ a: '5760' });
    const fix = { repIds: [workspace.ben], measure: 'New business', period: '2026-Q1', target: 120_000 };
    await workspace.api.expect(201, 'POST', '/v1/quotas', { ...fix, prorate: false });
    await workspace.calculated();
    expect(await quota())
      .to.include({ prorate: false })
      .and.not.have.property('effectiveTarget');
    expect(await workspace.earned()).to.deep.equal({ a: '3840' });
    await workspace.api.expect(201, 'POST', '/v1/quotas', { ...fix, target: 120_001 });
    expect(await quota()).to.include({ prorate: false });
    const { minQuotaPercent } = await workspace.api.expect(200, 'GET', '/v1/workspaces');
    expect(minQuotaPercent).to.equal(40);
  });

  it('simulations and tests of plans assume ramps and absences, and previews see those that are stored', async () => {
    await workspace.deal('a', 46_000, '2026-03-20');
    await workspace.calculated();
    const { planId, ben } = workspace;
    const simulate = async (terms: object) => {
      const body = { planId, period: '2026-Q1', repId: ben, ...terms };
      const { total, reps } = await workspace.api.expect(200, 'POST', '/v1/commissions/simulate', body);
      return [total, reps[0].attainment[0].target];
    };
    const ramp = { from: '2026-01-01', steps: [{ months: 3, quotaPercent: 30 }] };
    expect(await simulate({})).to.deep.equal([3680, 120_000]);
    expect(await simulate({ ramp })).to.deep.equal([5520, 36_000]);
    const leave = { from: '2026-01-01', to: '2026-03-01' };
    expect(await simulate({ absences: [leave] })).to.deep.equal([5520, 40_000]);
    const foreign = { planId, period: '2026-Q1', repId: ben, absences: [{ ...leave, repId: workspace.mia }] };
    await expectError('400 VALIDATION_FAILED', workspace.api.post('/v1/commissions/simulate', foreign));
    const test = {
      name: 'Leave',
      deals: [{ dealId: 'a', amount: 46_000, closeDate: '2026-03-20' }],
      quotas: [{ measure: 'New business', period: '2026-Q1', target: 120_000 }],
    };
    const tests = [
      { ...test, absences: [leave], expected: [{ ruleName: 'New business', amount: 5520 }] },
      {
        ...test,
        name: 'Ramp',
        assignment: { ramp },
        expected: [{ ruleName: 'New business', amount: 5520 }],
      },
      { ...test, name: 'Neither', expected: [{ ruleName: 'New business', amount: 3680 }] },
    ];
    const result = await workspace.api.expect(200, 'POST', `/v1/plans/${planId}/tests/run`, { tests });
    expect(result).to.include({ passed: true, tests: 3 });
  });

  it('a preview of proration and what it then pays agree', async () => {
    const config = (quotaProration: string) => ({
      rules: [{ name: 'New business', measure: 'amount', quotaProration, tiers }],
    });
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, { config: config('none') });
    await workspace.deal('a', 46_000, '2026-03-20');
    const leave = { repId: workspace.ben, from: '2026-01-01', to: '2026-03-01' };
    await workspace.api.expect(201, 'POST', '/v1/absences', leave);
    await workspace.calculated();
    const change = { config: config('calendar_days') };
    const { byDeal } = await workspace.api.expect(200, 'POST', `/v1/plans/${workspace.planId}/preview`, {
      ...change,
      period: '2026-Q1',
    });
    expect(byDeal.map(({ delta }: { delta: number }) => delta)).to.deep.equal([1840]);
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, change);
    await workspace.calculated();
    expect(await workspace.earned()).to.deep.equal({ a: '5520' });
  });

  it('a ramp that an assignment uses cannot be deleted, and names are unique', async () => {
    const { rampId } = await create();
    await expectError('409 ramp_name_taken', workspace.api.post('/v1/ramps', { name: 'four MONTHS', steps }));
    await assign({ rampId, rampFrom: '2026-01-15' });
    await expectError('409 ramp_in_use', workspace.api.delete(`/v1/ramps/${rampId}`));
    const listed = await workspace.api.expect(200, 'GET', '/v1/ramps');
    expect(listed).to.deep.include({ count: 1 });
    expect(listed.ramps[0]).to.include({ rampId, assignments: 1 });
    expect(await assign({ rampId: null })).to.not.have.any.keys('rampId', 'rampFrom');
    await workspace.api.expect(200, 'DELETE', `/v1/ramps/${rampId}`);
    await expectError('404 ramp_not_found', workspace.api.patch(`/v1/assignments/${assignmentId}`, { rampId }));
    await expectError(
      '400 VALIDATION_FAILED',
      workspace.api.patch(`/v1/assignments/${assignmentId}`, { rampFrom: '2026-01-01' }),
    );
    await expectError('400 VALIDATION_FAILED', workspace.api.post('/v1/ramps', { name: 'None', steps: [] }));
  });

  it('a ramp starts on its own day, otherwise with the assignment, otherwise with the hire', async () => {
    const { rampId } = await create({ steps: [{ months: 1, quotaPercent: 50 }] });
    const step = { quotaPercent: 50, variablePercent: 100, ratePercent: 100 };
    expect(await assign({ rampId })).to.deep.include({ rampName: 'Four months', rampSteps: [] });
    await workspace.api.expect(200, 'PATCH', `/v1/reps/${workspace.ben}`, { hireDate: '2026-01-31' });
    const [listed] = await workspace.api.expect(200, 'GET', `/v1/assignments?repId=${workspace.ben}`);
    expect(listed.rampSteps).to.deep.equal([{ ...step, from: '2026-01-31', to: '2026-02-27' }]);
    const moved = await assign({ effectiveStart: '2026-02-10' });
    expect(moved.rampSteps).to.deep.equal([{ ...step, from: '2026-02-10', to: '2026-03-09' }]);
    const dated = await assign({ rampFrom: '2026-01-15' });
    expect(dated.rampSteps).to.deep.equal([{ ...step, from: '2026-01-15', to: '2026-02-14' }]);
  });

  it('a ramp that changes only quotas has a warning where no rule prorates them', async () => {
    const rules = [{ name: 'New business', measure: 'amount', tiers }];
    await workspace.api.expect(200, 'PATCH', `/v1/plans/${workspace.planId}`, { config: { rules } });
    const { rampId } = await create();
    const { warnings } = await assign({ rampId });
    expect(warnings.map(({ code }: { code: string }) => code)).to.deep.equal(['no_effect_without_proration']);
    const paying = await create({ name: 'Pays more', steps: [{ months: 1, quotaPercent: 50, ratePercent: 150 }] });
    expect(await assign({ rampId: paying.rampId })).to.not.have.property('warnings');
  });

  it('earlier states of ramps and absences stay readable', async () => {
    const { rampId } = await create();
    const leave = { repId: workspace.ben, from: '2026-02-10', to: '2026-03-11' };
    const { absenceId } = await workspace.api.expect(201, 'POST', '/v1/absences', leave);
    const [{ now }] = await workspace.sql('select clock_timestamp() as now from workspaces where workspace_id = $1');
    await workspace.api.expect(200, 'PATCH', `/v1/ramps/${rampId}`, { name: 'Short', steps: steps.slice(1) });
    await workspace.api.expect(200, 'DELETE', `/v1/ramps/${rampId}`);
    await workspace.api.expect(200, 'PATCH', `/v1/absences/${absenceId}`, { to: '2026-02-20' });
    await workspace.api.expect(200, 'DELETE', `/v1/absences/${absenceId}`);
    const asOf = `?asOf=${encodeURIComponent((now as Date).toISOString())}`;
    for (const [query, count] of [
      ['', 0],
      [asOf, 1],
    ] as const) {
      expect(await workspace.api.expect(200, 'GET', `/v1/ramps${query}`)).to.include({ count });
      expect(await workspace.api.expect(200, 'GET', `/v1/absences${query}`)).to.include({ count });
    }
    const [ramp] = (await workspace.api.expect(200, 'GET', `/v1/ramps${asOf}`)).ramps;
    expect(ramp.name).to.equal('Four months');
    expect(ramp.steps).to.have.lengthOf(4);
    const [absence] = (await workspace.api.expect(200, 'GET', `/v1/absences${asOf}`)).absences;
    expect(absence).to.include({ ...leave, absenceId, note: null });
  });

  it('assignments are imported with their ramps', async () => {
    const { rampId } = await create();
    await workspace.api.expect(200, 'DELETE', `/v1/assignments/${assignmentId}`);
    const csv = `email,plan,effectiveStart,ramp,rampFrom\nben@acme.test,AE,2026-01-01,FOUR months,2026-01-15\n`;
    const imported = await workspace.api.expect(200, 'POST', '/v1/assignments/import', csv, {
      'content-type': 'text/csv',
    });
    expect(imported).to.include({ accepted: 1, unchanged: 0 });
    const [assigned] = await workspace.api.expect(200, 'GET', `/v1/assignments?repId=${workspace.ben}`);
    expect(assigned).to.include({ rampId, rampFrom: '2026-01-15' });
  });
});
