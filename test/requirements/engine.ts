import { expect } from 'chai';
import { row } from './rows.js';
import { type Json } from './running-service.js';
import { exampleDeals, exampleTiers, flatTier, type Plan, World } from './world.js';

type Amounts = Readonly<Record<string, number>>;

interface Case {
  readonly rules: readonly object[];
  /** Null: no quota is set. */
  readonly target?: number | null;
  readonly variableTarget?: number;
  readonly deals?: readonly Json[];
}

const commission = (more: object = {}) => ({ name: 'Commission', measure: 'amount', tiers: exampleTiers, ...more });

/** A new workspace in which Ben is on a plan with these rules, after all calculations. */
async function calculate({ rules, target = 100_000, variableTarget, deals = exampleDeals }: Case) {
  const world = await World.create();
  const plan = await world.plan('AE', rules);
  await world.assign(plan, 'ben');
  const more = variableTarget === undefined ? {} : { variableTarget };
  if (target !== null) await world.quota(plan, 'ben', '2026-Q1', target, more);
  for (const deal of deals) await world.deal(deal.dealId, deal);
  return { world, plan, amounts: await world.earned('ben', (rules[0] as { name: string }).name) };
}

/** One row of the list: with these rules Ben earns these amounts. */
function pays(number: number, title: string, given: Case, expected: Amounts): void {
  row(number, title, async () => {
    expect((await calculate(given)).amounts).to.deep.equal(expected);
  });
}

/** Section 2 of the specification, the engine: the worked examples and every rule field with its figures. */
export function describeEngine(): void {
  describe('1 and 2: the engine', () => {
    describeTiersAndCaps();
    describePayoutBases();
    describeAttainment();
    describeOverridesAndCascades();
  });
}

function describeTiersAndCaps(): void {
  pays(
    55,
    'full_rate pays 4,800 / 7,200 / 4,500 in the worked example',
    { rules: [commission()] },
    { D1: 4800, D2: 7200, D3: 4500 },
  );
  pays(
    56,
    'marginal pays 4,800 / 5,600 / 4,350 in the worked example',
    { rules: [commission({ tierMode: 'marginal' })] },
    { D1: 4800, D2: 5600, D3: 4350 },
  );
  pays(
    57,
    'a cap of 14,000 leaves 2,000 for the third deal under full_rate',
    { rules: [commission({ cap: 14_000 })] },
    { D1: 4800, D2: 7200, D3: 2000 },
  );
  pays(
    58,
    'a cap of 14,000 leaves 3,600 for the third deal under marginal',
    { rules: [commission({ tierMode: 'marginal', cap: 14_000 })] },
    { D1: 4800, D2: 5600, D3: 3600 },
  );

  row(59, 'without a quota attainment is 0 and no tier fires', async () => {
    const { world, amounts } = await calculate({ rules: [commission()], target: null });
    expect(amounts).to.deep.equal({ D1: 0, D2: 0, D3: 0 });
    const { events } = await world.breakdown('D3');
    expect(events).to.have.length(1);
    expect(events[0]).to.include({ amount: 0, tierName: null, credit: 30_000, status: 'earned' });
    expect(Number(events[0].trace.attainmentAfter)).to.equal(0);
  });

  pays(
    60,
    'a flat-rate rule with one tier at 0 pays without a quota',
    { rules: [commission({ tiers: flatTier(0.1) })], target: null },
    { D1: 6000, D2: 6000, D3: 3000 },
  );
  pays(
    61,
    'floor pays at least the flat amount for each firing',
    { rules: [commission({ tiers: flatTier(0.1), floor: 5000 })], target: null },
    { D1: 6000, D2: 6000, D3: 5000 },
  );
  pays(
    62,
    'capMultiplier 0.3 of a variable target of 20,000 limits each firing to 6,000',
    { rules: [commission({ capMultiplier: 0.3 })], variableTarget: 20_000 },
    { D1: 4800, D2: 6000, D3: 4500 },
  );
  pays(
    63,
    'floorAttainment 1.0 pays 0 below the quota',
    { rules: [commission({ floorAttainment: 1 })] },
    { D1: 0, D2: 7200, D3: 4500 },
  );
}

function describePayoutBases(): void {
  const bonus = [
    { tierIndex: 0, minThreshold: 0, flatAmount: 0 },
    { tierIndex: 1, minThreshold: 1, flatAmount: 750 },
  ];

  pays(
    64,
    'payoutBase variable_target multiplies the variable target by the rate',
    { rules: [commission({ payoutBase: 'variable_target' })], variableTarget: 20_000 },
    { D1: 1600, D2: 2400, D3: 3000 },
  );
  row(65, 'payoutBase "1" with flatAmount tiers pays the flat amount of the tier', async () => {
    const { world, amounts } = await calculate({ rules: [commission({ payoutBase: '1', tiers: bonus })] });
    expect(amounts).to.deep.equal({ D1: 0, D2: 750, D3: 750 });
    const [event] = (await world.breakdown('D2')).events;
    expect(event).to.include({ base: 1, category: 'bonus', amount: 750 });
  });
  pays(
    66,
    'payoutBase may be any field of the deal',
    {
      rules: [commission({ payoutBase: 'margin' })],
      deals: [
        { ...exampleDeals[0], fields: { margin: 10_000 } },
        { ...exampleDeals[1], fields: { margin: '2500.50' } },
      ],
    },
    { D1: 800, D2: 300.06 },
  );
  pays(
    69,
    'tierBy value takes the tier from the raw value of a field',
    {
      rules: [
        commission({
          tierBy: 'value',
          tierValueField: 'seats',
          tiers: [
            { tierIndex: 0, minThreshold: 0, rate: 0.05 },
            { tierIndex: 1, minThreshold: 50, rate: 0.1 },
          ],
        }),
      ],
      target: null,
      deals: [
        { ...exampleDeals[0], fields: { seats: 49 } },
        { ...exampleDeals[1], fields: { seats: 50 } },
      ],
    },
    { D1: 3000, D2: 6000 },
  );
}

function describeAttainment(): void {
  row(67, 'quotaMeasure computes attainment from arr and leaves the base as it is', async () => {
    const { world, amounts } = await calculate({
      rules: [commission({ quotaMeasure: 'arr' })],
      deals: [
        { ...exampleDeals[0], fields: { arr: 100_000 } },
        { ...exampleDeals[2], fields: { arr: 25_000 } },
      ],
    });
    expect(amounts).to.deep.equal({ D1: 7200, D3: 4500 });
    expect(await world.counter('ben')).to.equal(125_000);
  });

  row(68, 'quotaCredit counts amount × 1 + svc × 2 toward the quota and pays on the measure', async () => {
    const quotaCredit = [{ field: 'amount' }, { field: 'svc', weight: 2 }];
    const { world, amounts } = await calculate({
      rules: [commission({ quotaCredit })],
      deals: [{ ...exampleDeals[0], fields: { svc: 20_000 } }, exampleDeals[2]],
    });
    // 60,000 + 2 × 20,000 reaches the quota; 30,000 without svc reaches 1.3.
    expect(amounts).to.deep.equal({ D1: 7200, D3: 4500 });
    expect(await world.counter('ben')).to.equal(130_000);
  });

  describe('a quotaGroup of two rules', () => {
    let world: World;

    before(async () => {
      const grouped = (name: string, measure: string) => commission({ name, measure, quotaGroup: 'all' });
      ({ world } = await calculate({
        rules: [grouped('License', 'amount'), grouped('Service', 'svc')],
        deals: [{ ...exampleDeals[0], fields: { svc: 40_000 } }, exampleDeals[2]],
      }));
    });

    row(70, 'the first rule is paid at the attainment of the group total', async () => {
      // 60,000 + 40,000 reaches the quota on the first deal, 130,000 the top tier on the next.
      expect(await world.earned('ben', 'License')).to.deep.equal({ D1: 7200, D3: 4500 });
    });

    row(71, 'the second rule is paid at the attainment of the group total', async () => {
      expect(await world.earned('ben', 'Service')).to.deep.equal({ D1: 4800 });
      expect(await world.counter('ben')).to.equal(130_000);
    });
  });

  row(75, 'a quotaGroup with quotaMeasure sums the values of quotaMeasure', async () => {
    const grouped = (name: string) => commission({ name, quotaGroup: 'all', quotaMeasure: 'arr' });
    const { world, amounts } = await calculate({
      rules: [grouped('License'), grouped('Service')],
      deals: [{ ...exampleDeals[0], fields: { arr: 50_000 } }],
    });
    expect(amounts).to.deep.equal({ D1: 7200 });
    expect(await world.earned('ben', 'Service')).to.deep.equal({ D1: 7200 });
    expect(await world.counter('ben')).to.equal(100_000);
  });
}

function describeOverridesAndCascades(): void {
  row(72, 'a tier with a repId is for that rep only', async () => {
    const world = await World.create();
    const tiers = [...flatTier(0.08), { tierIndex: 0, minThreshold: 0, rate: 0.2, repId: world.ids.ben }];
    const plan = await world.plan('AE', [commission({ tiers })]);
    await world.assign(plan, 'ben', 'cat');
    await world.deal('B', { amount: 1000 });
    await world.deal('C', { amount: 1000, ownerId: 'cat' });
    expect(await world.earned('ben')).to.deep.equal({ B: 200 });
    expect(await world.earned('cat')).to.deep.equal({ C: 80 });
  });

  row(73, "a cascade rule in the manager's own plan depends on a rule of the rep's plan", async () => {
    const { world } = await calculate({ rules: [commission()] });
    const tiers = flatTier(0.1);
    const cascade = { name: 'Override', measure: 'amount', executionPhase: 'cascade', dependsOn: 'Commission', tiers };
    await world.assign(await world.plan('Managers', [cascade]), 'mgr');
    expect(await world.earned('mgr')).to.deep.equal({ D1: 480, D2: 720, D3: 450 });
  });

  row(74, "a rep's override decides the rate", async () => {
    const { world, plan, amounts } = await calculate({ rules: [commission()] });
    expect(amounts).to.deep.equal({ D1: 4800, D2: 7200, D3: 4500 });
    const rules = [{ ruleId: ruleOf(plan), tiers: [{ tierIndex: 0, rate: 0.2 }] }];
    const path = `/v1/plans/${plan.planVersionId}/overrides/${world.ids.ben}`;
    await world.admin.expect(200, 'PUT', path, { rules });
    expect(await world.earned('ben')).to.deep.equal({ D1: 12_000, D2: 7200, D3: 4500 });
  });
}

function ruleOf({ rules }: Plan): string {
  return rules[0]?.id as string;
}
