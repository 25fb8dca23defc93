import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

interface Warning {
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

const won = { field: 'stage', fieldType: 'status', operator: 'equals', value: 'Closed Won' };
const tier = { tierIndex: 0, minThreshold: 0, rate: 0.1 };
const rule = { name: 'New business', measure: 'amount', tiers: [tier] };
const config = { dealConditions: [won], rules: [rule] };
const tiers = [tier, { tierIndex: 1, minThreshold: 1, rate: 0.15 }];

describe('warnings about a plan', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;
  let reps: string[];
  let plans = 0;

  before(async () => {
    ({ workspaceId, api } = await service.workspace());
    const people = ['ben', 'cem', 'dan'].map((name) => ({ email: `${name}@acme.test`, name, crmMemberId: name }));
    reps = await api.saveReps(...people);
    const deals = [
      { dealId: 'D-1', closeDate: '2026-01-20', fields: { arr: 100, region: 'EMEA', tags: ['new', 'Public Sector'] } },
      { dealId: 'D-2', closeDate: '2026-02-20', fields: { arr: 100, region: 'APAC' } },
      { dealId: 'D-3', closeDate: '2026-04-20', fields: { arr: 100, 'Seats Sold': 3 }, stage: 'Negotiation' },
    ].map((deal) => ({ amount: 1000, stage: 'Closed Won', ownerId: 'ben', ...deal }));
    await api.expect(200, 'POST', '/v1/deals/import', { deals });
    await service.waitForCalculations(workspaceId);
  });

  const create = (changed: object = config, more: object = {}) =>
    api.createPlan({ name: `Plan ${++plans}`, config: changed, ...more });
  /** Without the warning of every new plan that no rep is assigned. */
  const warningsOf = async (changed: object, more: object = {}): Promise<Warning[]> => {
    const { warnings } = await create(changed, more);
    expect(warnings.at(-1)).to.include({ code: 'unassigned', path: '' });
    return warnings.slice(0, -1);
  };
  const codesAt = (warnings: readonly Warning[]) => warnings.map(({ code, path }) => `${code} ${path}`);

  it('a valid plan without assignments has only the warning unassigned', async () => {
    expect(await warningsOf(config)).to.deep.equal([]);
  });

  it('a last place without an end that pays warns that everyone behind it is paid', async () => {
    const places = [1, 2, 3].map((minThreshold, tierIndex) => ({ tierIndex, minThreshold, flatAmount: 1000 }));
    const ranked = { ...rule, name: 'Top three', tierBy: 'rank', tiers: places };
    const [warning, ...others] = await warningsOf({ ...config, rules: [ranked] });
    expect(others).to.deep.equal([]);
    expect(warning).to.deep.equal({
      code: 'rank_open_ended',
      path: 'config.rules.0.tiers.2',
      message:
        '"Top three" pays everyone from place 3 on. To pay the first places only, add a tier that pays 0 from the place after the last that is paid.',
    });
    const ended = { ...ranked, tiers: [...places, { tierIndex: 3, minThreshold: 4, flatAmount: 0 }] };
    expect(await warningsOf({ ...config, rules: [ended] })).to.deep.equal([]);
  });

  it('a floor over marginal tiers warns that deals below it stay unpaid', async () => {
    const floored = { ...rule, tierMode: 'marginal', floorAttainment: 0.5 };
    expect(codesAt(await warningsOf({ ...config, rules: [floored] }))).to.deep.equal([
      'floor_with_marginal config.rules.0.floorAttainment',
    ]);
    for (const other of [{ tierMode: 'full_rate' }, { executionPhase: 'periodic' }, { floorAttainment: 0 }])
      expect(codesAt(await warningsOf({ ...config, rules: [{ ...floored, ...other }] }))).to.not.include(
        'floor_with_marginal config.rules.0.floorAttainment',
      );
  });

  it('names of fields in another case, counted deals and earnings of a team cause no warning', async () => {
    const rules = [
      { ...rule, measure: 'ARR' },
      { ...rule, name: 'Count', measure: '_deals' },
      { name: 'Team', executionPhase: 'cascade', tiers: [tier] },
    ];
    expect(await warningsOf({ ...config, rules })).to.deep.equal([]);
  });

  it('a plan with typing mistakes is accepted with a warning for each mistake', async () => {
    const warnings = await warningsOf({
      dealConditions: [{ ...won, value: 'Won' }],
      rules: [
        {
          ...rule,
          measure: 'amout',
          tiers: [
            { ...tier, rate: 8 },
            { tierIndex: 1, minThreshold: 100, rate: 0.1 },
          ],
        },
      ],
    });
    expect(codesAt(warnings)).to.deep.equal([
      'rate_above_one config.rules.0.tiers.0.rate',
      'threshold_above_ten config.rules.0.tiers.1.minThreshold',
      'unknown_field config.rules.0.measure',
      'unknown_value config.dealConditions.0.value',
    ]);
    expect(warnings[0]?.message).to.include('800 %');
    expect(warnings[1]?.message).to.include('10,000 %');
    expect(warnings[2]?.message).to.match(/"amout".*Nearest names: amount/);
    expect(warnings[3]?.message).to.include('Existing values: Closed Won, Negotiation.');
  });

  it('paths name the fields of the second config shape as they were written', async () => {
    const warnings = await warningsOf({
      rules: [{ baseField: 'amnt', tierBy: 'sizze', tiers: [{ rate: 1.5 }] }],
      dealConditions: [won],
    });
    expect(codesAt(warnings)).to.deep.equal([
      'rate_above_one config.rules.0.tiers.0.rate',
      'unknown_field config.rules.0.baseField',
      'unknown_field config.rules.0.tierBy',
    ]);
    const thresholds = await warningsOf({
      rules: [
        {
          baseField: 'amount',
          tiers: [
            { min: 0, rate: 0.1 },
            { min: 50, rate: 0.2 },
          ],
        },
      ],
      dealConditions: [won],
    });
    expect(codesAt(thresholds)).to.deep.equal(['threshold_above_ten config.rules.0.tiers.1.min']);
  });

  it('rates of the variable target and thresholds of values and ranks cause no warning', async () => {
    const rules = [
      { ...rule, payoutBase: 'variable_target', tiers: [{ ...tier, rate: 1.5 }] },
      { ...rule, name: 'B', tierBy: 'value', tierValueField: 'amount', tiers: [{ ...tier, minThreshold: 50000 }] },
      {
        ...rule,
        name: 'C',
        tierBy: 'rank',
        tiers: [
          { ...tier, minThreshold: 1 },
          { ...tier, tierIndex: 1, minThreshold: 20, rate: 0 },
        ],
      },
    ];
    expect(await warningsOf({ ...config, rules })).to.deep.equal([]);
    const floor = await warningsOf({ ...config, rules: [{ ...rule, floorAttainment: 50 }] });
    expect(codesAt(floor)).to.deep.equal(['threshold_above_ten config.rules.0.floorAttainment']);
  });

  describe('unknown_field', () => {
    for (const [name, slug] of [
      ['a standard name', 'dealAmount'],
      ['an alias', 'value'],
      ['a field of some deal', 'Seats Sold'],
    ] as const)
      it(`${name} is known: ${slug}`, async () => {
        expect(await warningsOf({ ...config, rules: [{ ...rule, measure: slug }] })).to.deep.equal([]);
      });

    it('every place that reads a field is checked', async () => {
      const group = { operator: 'or', rules: [{ field: 'regoin', fieldType: 'text', operator: 'is_set' }] };
      const warnings = await warningsOf({
        dealConditions: [won, group],
        rules: [
          {
            ...rule,
            measure: 'arrr',
            payoutBase: 'marginn',
            tierBy: 'value',
            tierValueField: 'sizee',
            quotaCredit: [{ field: 'arr' }, { field: 'seatss' }],
            conditions: [{ field: 'prodct', fieldType: 'text', operator: 'is_set' }],
          },
          { ...rule, name: 'B', quotaMeasure: 'acvv' },
        ],
      });
      expect(codesAt(warnings)).to.deep.equal([
        'unknown_field config.dealConditions.1.rules.0.field',
        'unknown_field config.rules.0.conditions.0.field',
        'unknown_field config.rules.0.measure',
        'unknown_field config.rules.0.payoutBase',
        'unknown_field config.rules.0.tierValueField',
        'unknown_field config.rules.0.quotaCredit.1.field',
        'unknown_field config.rules.1.quotaMeasure',
      ]);
      expect(warnings[0]?.message).to.include('Nearest names: region');
    });

    it("a name of the plan's field mapping is known, and its slug must be known too", async () => {
      const mapped = { ...config, rules: [{ ...rule, measure: 'revenue' }] };
      expect(await warningsOf(mapped, { fieldMapping: { revenue: 'arr' } })).to.deep.equal([]);
      const wrong = await warningsOf(mapped, { fieldMapping: { revenue: 'arrr' } });
      expect(codesAt(wrong)).to.deep.equal(['unknown_field fieldMapping.revenue']);
    });
  });

  describe('unknown_value', () => {
    const conditions = async (...dealConditions: object[]) => warningsOf({ ...config, dealConditions });
    const region = { field: 'region', fieldType: 'select' };

    it('values compare as conditions do: without regard to case and space, by each part of a multi-select', async () => {
      const tags = { field: 'tags', fieldType: 'select', operator: 'equals', value: 'public sector' };
      expect(await conditions({ ...won, value: ' closed WON ' }, tags)).to.deep.equal([]);
    });

    it('every value of a list is checked, and parts of values for contains', async () => {
      const warnings = await conditions(
        { ...won, operator: 'in', value: ['Closed Won', 'Signed'] },
        { ...region, operator: 'not_equals', value: 'EMAE' },
        { ...won, operator: 'contains', value: 'won' },
        { ...won, operator: 'not_contains', value: 'lost' },
      );
      expect(codesAt(warnings)).to.deep.equal([
        'unknown_value config.dealConditions.0.value.1',
        'unknown_value config.dealConditions.3.value',
        'unknown_value config.dealConditions.1.value',
      ]);
      expect(warnings[2]?.message).to.include('"region" "EMAE". Existing values: APAC, EMEA.');
    });

    it('the stage is a select field whatever type the condition gives it, and other text is not', async () => {
      const stage = await conditions({ ...won, fieldType: 'text', value: 'Won' });
      expect(codesAt(stage)).to.deep.equal(['unknown_value config.dealConditions.0.value']);
      expect(await conditions(won, { ...region, fieldType: 'text', operator: 'equals', value: 'x' })).to.deep.equal([]);
    });

    it('a field without stored values causes no warning', async () => {
      const { api: empty } = await service.workspace();
      const { warnings } = await empty.createPlan({ name: 'First', config });
      expect(codesAt(warnings)).to.deep.equal(['unassigned ']);
    });
  });

  it('no_deal_conditions: a rule that reads deals without any condition pays on every deal', async () => {
    const open = await warningsOf({ rules: [rule, { ...rule, name: 'Own', conditions: [won] }] });
    expect(codesAt(open)).to.deep.equal(['no_deal_conditions config.dealConditions']);
    expect(open[0]?.message).to.include('"New business" pays on every deal, won or not');
    expect(await warningsOf({ rules: [{ ...rule, conditions: [won] }] })).to.deep.equal([]);
    expect(await warningsOf({ rules: [{ ...rule, executionPhase: 'cascade' }] })).to.deep.equal([]);
  });

  it('unassigned ends with an assignment on a day of the plan, and returns when the plan moves away from it', async () => {
    const plan = await create({ ...config });
    const assignment = { repIds: [reps[0]], planId: plan.planId, effectiveEnd: '2026-06-30' };
    await api.expect(201, 'POST', '/v1/assignments', assignment);
    const path = `/v1/plans/${plan.planId}`;
    const updated = await api.expect(200, 'PATCH', path, { effectiveStart: '2026-06-30' });
    expect(codesAt(updated.warnings)).to.not.include('unassigned ');
    const moved = await api.expect(200, 'PATCH', path, { effectiveStart: '2026-07-01' });
    expect(codesAt(moved.warnings)).to.include('unassigned ');
  });

  it('quota_missing counts the assigned reps without a quota for the current period', async () => {
    const quarter = `${new Date().getUTCFullYear()}-Q${Math.ceil((new Date().getUTCMonth() + 1) / 3)}`;
    const plan = await create({
      dealConditions: [won],
      rules: [
        { ...rule, tiers },
        { ...rule, name: 'Flat' },
      ],
    });
    const path = `/v1/plans/${plan.planId}`;
    await api.assign(reps, plan.planId);
    const missing = async () => {
      const { warnings } = await api.expect(200, 'PATCH', path, { currency: null });
      return warnings.filter(({ code }: Warning) => code === 'quota_missing');
    };
    expect(await missing()).to.deep.equal([
      {
        code: 'quota_missing',
        path: 'config.rules.0',
        message: `3 of 3 assigned reps have no quota for "New business" in ${quarter}: ben, cem, dan. Their attainment is 0 and no tier is reached.`,
      },
    ]);
    const quota = { measure: 'New business', planId: plan.planId, period: quarter };
    await api.expect(201, 'POST', '/v1/quotas', { ...quota, repIds: [reps[0]], target: 100 });
    await api.expect(201, 'POST', '/v1/quotas', { ...quota, repIds: [reps[1]], target: 0 });
    expect((await missing())[0].message).to.match(/^2 of 3 /);
    await api.expect(201, 'POST', '/v1/quotas', { ...quota, repIds: [reps[1], reps[2]], target: 5 });
    expect(await missing()).to.deep.equal([]);
  });

  it('quota_missing names the variable target if the payout requires it', async () => {
    const plan = await create({ ...config, rules: [{ ...rule, payoutBase: 'variable_target' }] });
    await api.assign([reps[0]], plan.planId);
    const { warnings } = await api.expect(200, 'PATCH', `/v1/plans/${plan.planId}`, { currency: null });
    expect(warnings).to.have.length(1);
    expect(warnings[0].message).to.match(/^1 of 1 assigned reps have no quota with a variable target/);
  });

  it('restates_open_periods counts the events that a change recalculates, without those of approved periods', async () => {
    const plan = await create();
    const path = `/v1/plans/${plan.planId}`;
    await api.assign([reps[0]], plan.planId);
    await service.waitForCalculations(workspaceId);
    const restated = async (change: object) => {
      const { warnings } = await api.expect(200, 'PATCH', path, change);
      await service.waitForCalculations(workspaceId);
      return warnings.filter(({ code }: Warning) => code === 'restates_open_periods');
    };
    const [warning] = await restated({ config: { ...config, rules: [{ ...rule, tiers: [{ ...tier, rate: 0.2 }] }] } });
    expect(warning).to.include({ path: 'effectiveStart' });
    expect(warning.message).to.match(/^2 commission events in open periods/);
    await api.generate(reps[0], '2026-01');
    await api.approve(reps[0], '2026-01');
    expect((await restated({ config }))[0].message).to.match(/^1 commission event in open periods/);
    expect(await restated({ status: 'archived' })).to.deep.equal([]);
  });

  it('a change of status returns the warnings about the plan', async () => {
    const { planId } = await create({ rules: [rule] }, { status: 'draft' });
    const { warnings } = await api.expect(200, 'PATCH', `/v1/plans/${planId}/status`, { status: 'active' });
    expect(codesAt(warnings)).to.deep.equal(['no_deal_conditions config.dealConditions', 'unassigned ']);
  });
});
