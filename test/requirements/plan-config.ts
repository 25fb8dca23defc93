import { expect } from 'chai';
import { row } from './rows.js';
import { type Json, service } from './running-service.js';
import { exampleTiers, expectError, flatTier, World, won } from './world.js';

/** Section 2 of the specification: events, plans, both config shapes, rules, tiers, quotas and the workspace. */
export function describeResources(): void {
  describe('2: resources', () => {
    let world: World;

    before(async () => {
      world = await World.create();
    });

    describeEventAndPlan();
    describeSecondShape();
    describeQuotas();
    describeRules(() => world);
    describeWorkspacePlans(() => world);
  });
}

function describeEventAndPlan(): void {
  row(102, 'a clawback row has its own kind and takes money back', async () => {
    const { world } = await World.example();
    const event = await world.adjust('ben', -500, '2026-Q1', { kind: 'clawback', reason: 'D1 was cancelled' });
    expect(event).to.include({ kind: 'clawback', amount: -500, reason: 'D1 was cancelled', status: 'earned' });
    const body = { amount: 500, reason: 'x', period: '2026-Q1', kind: 'clawback' };
    const path = `/v1/statements/${world.ids.ben}/adjust`;
    await expectError('400 clawback_must_be_negative', world.admin.post(path, body));
    const { summary } = await world.generate('ben', '2026-Q1');
    expect(summary).to.deep.equal({
      totalCommission: 16_500,
      totalBonuses: 0,
      totalAdjustments: -500,
      netPayout: 16_000,
    });
  });

  row(103, "a plan's fieldMapping overrides the CRM slugs of the workspace", async () => {
    const world = await World.create();
    const rules = [{ name: 'Net', measure: 'amount', tiers: flatTier(0.1) }];
    const plan = await world.plan('Net', rules, { fieldMapping: { amount: 'net_value' } });
    await world.assign(plan, 'ben');
    await world.deal('M1', { amount: 10_000, fields: { net_value: 4000 } });
    expect(await world.earned()).to.deep.equal({ M1: 400 });
    expect((await world.get(`/v1/plans/${plan.planVersionId}`)).fieldMapping).to.deep.equal({ amount: 'net_value' });
  });
}

const secondShape = {
  name: 'Second',
  version: 1,
  quotaPeriod: 'monthly',
  dealConditions: [won],
  rules: [
    {
      name: 'Rate',
      baseField: 'amount',
      payoutMode: 'rate',
      tierBy: 'attainment',
      tierMode: 'marginal',
      conditions: [{ field: 'amount', fieldType: 'currency', operator: 'gt', value: 0 }],
      tiers: [
        { name: 'Base', min: 0, rate: 0.08 },
        { name: 'Over', min: 1, rate: 0.12 },
      ],
    },
    { name: 'Event', baseField: 'amount', payoutMode: 'flat_per_event', tiers: [{ name: 'Any', min: 0, amount: 50 }] },
    {
      name: 'Tier',
      baseField: 'amount',
      payoutMode: 'flat_per_tier',
      tierMode: 'full_rate',
      tiers: [{ min: 0, flatAmount: 100 }],
    },
    { name: 'Bonus', baseField: 'amount', payoutMode: 'stepped_bonus', tiers: [{ min: 1, flatAmount: 1000 }] },
    { name: 'Field', baseField: 'amount', tierBy: 'seats', tiers: [{ min: 10, rate: 0.01 }] },
    { name: 'Rank', baseField: 'amount', tierBy: 'rank', tiers: [{ min: 1, flatAmount: 500 }] },
  ],
};

/** Period of a deal of 2026-02-10, by the quotaPeriod of the second shape. */
const quotaPeriods = [
  [106, 'monthly', '2026-02'],
  [107, 'quarterly', '2026-Q1'],
  [108, 'semi_annual', '2026-H1'],
  [109, 'annual', '2026'],
] as const;

function describeSecondShape(): void {
  row(104, 'effectiveStart and effectiveEnd inside a config of the second shape take effect', async () => {
    const world = await World.create();
    const rules = [{ baseField: 'amount', tiers: [{ min: 0, rate: 0.1 }] }];
    const config = { effectiveStart: '2026-02-01', effectiveEnd: '2026-02-28', rules };
    const plan = await world.admin.createPlan({ name: 'February', config });
    expect(plan).to.include({ effectiveStart: '2026-02-01', effectiveEnd: '2026-02-28' });
    await world.assign(plan, 'ben');
    for (const month of ['01', '02', '03'])
      await world.deal(`M${month}`, { amount: 1000, closeDate: `2026-${month}-15` });
    expect(await world.earned()).to.deep.equal({ M02: 100 });
    const body = { name: 'Contradiction', config, effectiveStart: '2026-03-01' };
    await expectError('400 VALIDATION_FAILED', world.admin.post('/v1/plans', body));
  });

  row(105, 'the second config shape is accepted with every one of its names', async () => {
    const world = await World.create();
    const config = { ...secondShape, effectiveStart: '2026-01-01', effectiveEnd: '2026-12-31' };
    const plan = await world.admin.createPlan({ name: 'Second', config });
    expect(plan).to.include({ name: 'Second', status: 'active' });
    expect(plan.rules.map(({ name }: Json) => name)).to.deep.equal(secondShape.rules.map(({ name }) => name));
    expect(plan.rules[0]).to.deep.include({ measure: 'amount', attainmentPeriod: 'monthly', tierMode: 'marginal' });
    expect(plan.rules[0].tiers).to.deep.equal([
      { tierIndex: 0, minThreshold: 0, name: 'Base', rate: 0.08 },
      { tierIndex: 1, minThreshold: 1, name: 'Over', rate: 0.12 },
    ]);
    expect(plan.rules[1]).to.include({ payoutMode: 'flat_per_event' });
    expect(plan.rules[1].tiers[0]).to.include({ flatAmount: 50 });
    expect(plan.rules[2]).to.include({ payoutMode: 'flat_per_tier' });
    expect(plan.rules[3]).to.include({ payoutMode: 'stepped_bonus' });
    expect(plan.rules[4]).to.include({ tierBy: 'value', tierValueField: 'seats' });
    expect(plan.rules[5]).to.include({ tierBy: 'rank' });
  });

  for (const [number, quotaPeriod, period] of quotaPeriods)
    row(number, `quotaPeriod ${quotaPeriod} of the second shape counts attainment by ${period}`, async () => {
      const world = await World.create();
      const tiers = [
        { min: 0, rate: 0.08 },
        { min: 1, rate: 0.12 },
      ];
      const config = { quotaPeriod, rules: [{ name: 'Rule', baseField: 'amount', tiers }] };
      const plan = await world.admin.createPlan({ name: 'Second', config });
      expect(plan.rules[0].attainmentPeriod).to.equal(quotaPeriod);
      await world.assign(plan, 'ben');
      const quota = await world.quota(plan, 'ben', period, 10_000);
      expect(quota).to.include({ period, target: 10_000 });
      await world.deal('P1', { amount: 10_000, closeDate: '2026-02-10' });
      expect(await world.earned()).to.deep.equal({ P1: 1200 });
      expect((await world.breakdown('P1')).events[0].period).to.equal(period);
      expect(await world.counter('ben', period)).to.equal(10_000);
    });
}

const formats = [
  [110, 'monthly', '2026-03', '2026-Q1'],
  [111, 'quarterly', '2026-Q1', '2026-03'],
  [112, 'annual', '2026', '2026-Q1'],
] as const;

function describeQuotas(): void {
  for (const [number, attainmentPeriod, right, wrong] of formats)
    row(number, `a quota of a ${attainmentPeriod} rule takes ${right} and not ${wrong}`, async () => {
      const world = await World.create();
      const rule = { name: 'Rule', measure: 'amount', attainmentPeriod, tiers: exampleTiers };
      const plan = await world.plan('AE', [rule]);
      await world.assign(plan, 'ben');
      const quota = await world.quota(plan, 'ben', right, 5000);
      expect(quota).to.include({ period: right, target: 5000, repId: world.ids.ben, measure: 'Rule' });
      const body = { repIds: [world.ids.ben], planRuleId: plan.rules[0]?.id, period: wrong, target: 5000 };
      await expectError('400 period_mismatch', world.admin.post('/v1/quotas', body));
    });

  row(113, 'a missing quota gives attainment 0 and no tier fires', async () => {
    const { world } = await World.example({ deals: false });
    await world.deal('Q2', { amount: 50_000, closeDate: '2026-04-10' });
    expect(await world.earned()).to.deep.equal({ Q2: 0 });
    const [event] = (await world.breakdown('Q2')).events;
    expect(event).to.include({ amount: 0, tierName: null, period: '2026-Q2', credit: 50_000 });
  });

  row(114, 'attainment is in quotas.current_value', async () => {
    const { world } = await World.example();
    const [quota] = await world.get(`/v1/quotas?repId=${world.ids.ben}`);
    expect(quota).to.include({ period: '2026-Q1', target: 100_000, current_value: 150_000, attainment: 1.5 });
    const [stored] = await service().sql('select current_value from quotas where workspace_id = $1', world.workspaceId);
    expect(Number(stored.current_value)).to.equal(150_000);
  });
}

function describeRules(world: () => World): void {
  row(115, 'a rule with every field of the table is accepted', async () => {
    const full = {
      name: 'Full',
      measure: 'amount',
      executionPhase: 'per_deal',
      attainmentPeriod: 'annual',
      tierBy: 'value',
      tierMode: 'full_rate',
      tierValueField: 'seats',
      payoutBase: 'variable_target',
      cap: 5000,
      floor: 10,
      capMultiplier: 2,
      floorAttainment: 0.5,
      quotaGroup: 'team',
      quotaMeasure: 'arr',
      tiers: [{ tierIndex: 0, minThreshold: 0, name: 'Only', rate: 0.1 }],
    };
    const credit = {
      name: 'Credit',
      measure: 'amount',
      quotaCredit: [{ field: 'amount', weight: 2 }, { field: 'svc' }],
      tiers: flatTier(0.1),
      conditions: [won],
    };
    const cascade = {
      name: 'Cascade',
      measure: 'amount',
      executionPhase: 'cascade',
      dependsOn: 'Full',
      tiers: flatTier(0.1),
    };
    const plan = await world().plan('Every field', [full, credit, cascade], { status: 'draft' });
    expect(plan.rules[0]).to.deep.include(full);
    expect(plan.rules[1]).to.deep.include({
      quotaCredit: [
        { field: 'amount', weight: 2 },
        { field: 'svc', weight: 1 },
      ],
      conditions: credit.conditions,
    });
    expect(plan.rules[2]).to.deep.include({ executionPhase: 'cascade', dependsOn: 'Full' });
  });

  row(116, 'a periodic rule fires once for an ended period on recalculation', async () => {
    const own = await World.create();
    const rule = { name: 'Quarter', measure: 'amount', executionPhase: 'periodic', tiers: exampleTiers };
    const plan = await own.plan('Periodic', [rule], { effectiveStart: '2026-01-01', effectiveEnd: '2026-03-31' });
    await own.assign(plan, 'ben');
    await own.quota(plan, 'ben', '2026-Q1', 100_000);
    await own.deal('P1', { amount: 60_000, closeDate: '2026-01-15' });
    await own.deal('P2', { amount: 40_000, closeDate: '2026-03-31' });
    await own.recalculate();
    const [event, ...others] = await own.events('ben', 'Quarter');
    expect(others).to.deep.equal([]);
    expect(event).to.include({ deal_key: '2026-Q1', period: '2026-Q1', tier_name: 'Over' });
    expect([Number(event.amount), Number(event.base)]).to.deep.equal([12_000, 100_000]);
  });

  row(117, 'tierMode marginal is valid with tierBy attainment only and rejected with rank', async () => {
    const rules = [{ name: 'R', measure: 'amount', tierBy: 'rank', tierMode: 'marginal', tiers: exampleTiers }];
    const { details } = await expectError(
      '400 VALIDATION_FAILED',
      world().admin.post('/v1/plans', { name: 'Marginal rank', config: { rules } }),
    );
    expect(JSON.stringify(details.issues)).to.match(/marginal/);
  });

  row(118, 'a tier needs no flatAmount beside a rate and no rate beside a flatAmount', async () => {
    const own = await World.create();
    const tiers = [
      { tierIndex: 0, minThreshold: 0, flatAmount: 25 },
      { tierIndex: 1, minThreshold: 1, rate: 0.1 },
    ];
    const plan = await own.plan('Mixed tiers', [{ name: 'R', measure: 'amount', tiers }]);
    expect((plan as Json).rules[0].tiers).to.deep.equal(tiers);
    await own.assign(plan, 'ben');
    await own.quota(plan, 'ben', '2026-Q1', 10_000);
    await own.deal('T1', { amount: 6000 });
    await own.deal('T2', { amount: 4000, closeDate: '2026-02-01' });
    expect(await own.earned()).to.deep.equal({ T1: 25, T2: 400 });
  });

  row(119, 'minThreshold may be 0.0, 2.0 and above', async () => {
    const tiers = [0, 0.5, 1, 2, 3.5].map((minThreshold, tierIndex) => ({ tierIndex, minThreshold, rate: 0.1 }));
    const rules = [{ name: 'R', measure: 'amount', tiers }];
    const plan: Json = await world().plan('Thresholds', rules, { status: 'draft' });
    expect(plan.rules[0].tiers.map((tier: Json) => tier.minThreshold)).to.deep.equal([0, 0.5, 1, 2, 3.5]);
  });
}

function describeWorkspacePlans(world: () => World): void {
  row(120, 'plans[] of the workspace lists only active plans by default', async () => {
    const rules = [{ name: 'R', measure: 'amount', tiers: flatTier(0.1) }];
    for (const status of ['active', 'draft']) await world().plan(`Is ${status}`, rules, { status });
    const archived = await world().plan('Is archived', rules);
    await world().admin.expect(200, 'PATCH', `/v1/plans/${archived.planId}/status`, { status: 'archived' });
    const { plans } = await world().get('/v1/workspaces');
    expect(plans.map((plan: Json) => plan.name)).to.deep.equal(['Is active']);
    expect(plans[0].status).to.equal('active');
  });
}
