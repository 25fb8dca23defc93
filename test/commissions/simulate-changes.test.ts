import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

interface Warning {
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

const won = { field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' };
const flat = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];
const tiers = [
  { tierIndex: 0, minThreshold: 0, rate: 0.1 },
  { tierIndex: 1, minThreshold: 1, rate: 0.2 },
];
const richer = [
  { tierIndex: 0, minThreshold: 0, rate: 0.11 },
  { tierIndex: 1, minThreshold: 1, rate: 0.3 },
];
const deals = { name: 'New business', measure: 'amount' };
const override = { name: 'Override', measure: 'amount', executionPhase: 'cascade', dependsOn: 'New business' };
const configOf = (ofDeals: object, ofOverride: object = { tiers: flat }) => ({
  dealConditions: [won],
  rules: [
    { ...deals, ...ofDeals },
    { ...override, ...ofOverride },
  ],
});

/** Ann and Ben sell below Mia, who is below Zoe; all four are on the plan. */
describe('the simulation of a changed plan', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;
  let ann: string;
  let ben: string;
  let mia: string;
  let zoe: string;
  let planId: string;
  let planVersionId: string;

  beforeEach(async () => {
    ({ workspaceId, api } = await service.workspace());
    [zoe, mia, ann, ben] = await api.saveReps(
      { name: 'Zoe', role: 'manager' },
      { name: 'Mia', role: 'manager', managerEmail: 'zoe@x.io' },
      { name: 'Ann', managerEmail: 'mia@x.io' },
      { name: 'Ben', managerEmail: 'mia@x.io' },
    );
    const stored = [
      ['a1', 'ann', 60_000, '2026-01-15'],
      ['a2', 'ann', 60_000, '2026-02-10'],
      ['a3', 'ann', 30_000, '2026-04-05'],
      ['b1', 'ben', 20_000, '2026-01-20'],
      ['b2', 'ben', -5_000, '2026-02-20'],
    ].map(([dealId, ownerId, amount, closeDate]) => ({ dealId, ownerId, amount, closeDate, stage: 'Won' }));
    await api.expect(200, 'POST', '/v1/deals/import', { deals: stored });
    const plan = await api.createPlan({ name: 'Sales', config: configOf({ tiers }) });
    ({ planId, planVersionId } = plan);
    await api.assign([ann, ben, mia, zoe], planId);
    const quota = { planRuleId: plan.rules[0].id, target: 100_000 };
    for (const period of ['2026-Q1', '2026-Q2'])
      await api.expect(201, 'POST', '/v1/quotas', { ...quota, repIds: [ann, ben], period });
    const own = { rules: [{ ruleId: plan.rules[0].id, tiers: [{ tierIndex: 1, rate: 0.5 }] }] };
    await api.expect(200, 'PUT', `/v1/plans/${planVersionId}/overrides/${ann}`, own);
    await service.waitForCalculations(workspaceId);
  });

  const simulate = (body: object, client = api) => client.expect(200, 'POST', '/v1/commissions/simulate', body);
  type Simulated = {
    reps: { repId: string; rules: { name: string; deals: { dealId: string; amount: number }[] }[] }[];
  };
  const amounts = ({ reps }: Simulated) =>
    Object.fromEntries(
      reps.flatMap(({ repId, rules }) =>
        rules.flatMap(({ name, deals: paid }) =>
          paid.map(({ dealId, amount }) => [`${repId} ${name} ${dealId}`, amount] as const),
        ),
      ),
    );
  const calculated = async (period: string) => {
    await service.waitForCalculations(workspaceId);
    return amounts(await simulate({ planId, period }));
  };
  /** What the ledger has, in the same form. */
  const earned = async (): Promise<Record<string, number>> => {
    const events: Record<string, number> = {};
    for (const dealId of ['a1', 'a2', 'a3', 'b1', 'b2']) {
      const breakdown = await api.expect(200, 'GET', `/v1/commissions?dealId=${dealId}`);
      for (const { repId, ruleName, amount, status } of breakdown.events)
        if (status === 'earned') events[`${repId} ${ruleName} ${dealId}`] = amount;
    }
    return events;
  };

  const changes: Readonly<Record<string, object>> = {
    'other rates, for all days': { config: configOf({ tiers: richer }) },
    'other rates from February on': { config: configOf({ tiers: richer }), effectiveStart: '2026-02-01' },
    'other rates from the second quarter on': { config: configOf({ tiers: richer }), effectiveStart: '2026-04-01' },
    'a threshold that drops the override': {
      config: configOf({ tiers: [tiers[0], { tierIndex: 1, minThreshold: 0.5, rate: 0.4 }] }),
    },
    'an override of the manager at another rate': {
      config: configOf({ tiers }, { tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.05 }] }),
    },
    'a cascade over two levels': {
      config: {
        dealConditions: [won],
        rules: [
          { ...deals, tiers },
          { ...override, tiers: flat },
          { ...override, name: 'Top', dependsOn: 'Override', tiers: flat },
        ],
      },
    },
    'a renamed rule, without its quota and override': {
      config: configOf({ name: 'Renamed', tiers }, { tiers: flat, dependsOn: 'Renamed' }),
    },
    'no earliest day': { config: configOf({ tiers: richer }), effectiveStart: null },
  };
  for (const [name, change] of Object.entries(changes))
    it(`equals what the change then calculates: ${name}`, async () => {
      const before = await earned();
      const simulated = amounts(await simulate({ planId, period: '2026', ...change }));
      expect(await earned()).to.deep.equal(before);
      await api.expect(200, 'PATCH', `/v1/plans/${planId}`, change);
      await service.waitForCalculations(workspaceId);
      expect(simulated).to.deep.equal(await earned());
      expect(Object.keys(simulated).length).to.be.greaterThan(8);
      expect(await calculated('2026')).to.deep.equal(simulated);
    });

  it('equals what the change then calculates for a single manager, whose team is simulated too', async () => {
    const change = { config: configOf({ tiers: richer }) };
    const all = await simulate({ planId, period: '2026', ...change });
    const alone = await simulate({ planId, period: '2026', ...change, repId: mia });
    expect(alone.reps).to.have.length(1);
    expect(alone.reps[0]).to.deep.equal(all.reps.find(({ repId }: { repId: string }) => repId === mia));
    expect(alone.total).to.be.greaterThan(0);
  });

  it('of one month has no outcomes of deals of other months, also if their ids look like periods', async () => {
    const later = ['1234', '2026-01'].map((dealId) => ({ dealId, ownerId: 'ann', amount: 1, closeDate: '2026-02-11' }));
    await api.expect(200, 'POST', '/v1/deals/import', { deals: later });
    const { reps } = await simulate({ planId, period: '2026-01', repId: ann });
    expect(reps[0].outcomes.map(({ dealId }: { dealId: string }) => dealId)).to.deep.equal(['a1']);
  });

  it('a hypothetical deal of a rep also pays the manager', async () => {
    const made = { dealId: 'made', amount: 10_000, stage: 'Won', closeDate: '2026-03-01', repId: ben };
    const simulated = amounts(await simulate({ planId, period: '2026-Q1', deals: [made] }));
    expect(simulated[`${ben} New business made`]).to.equal(1000);
    expect(simulated[`${mia} Override made`]).to.equal(100);
  });

  it('pays periodic rules of a person without stored deals and quotas on the made-up deals or the assumed quota', async () => {
    const bonus = { ...deals, name: 'Bonus', executionPhase: 'periodic' };
    const made = { dealId: 'made', amount: 10_000, closeDate: '2026-03-01', repId: zoe };
    const flatBonus = {
      config: { rules: [{ ...bonus, tiers: flat }] },
      period: '2026-Q1',
      repId: zoe,
      asOf: '2026-04-01',
    };
    expect((await simulate({ ...flatBonus, deals: [made] })).total).to.equal(1000);
    const onTarget = { rules: [{ ...bonus, tiers: flat, payoutBase: 'variable_target' }] };
    const quota = { target: 100, variableTarget: 5000 };
    expect((await simulate({ ...flatBonus, config: onTarget, quota })).total).to.equal(500);
  });

  describe('warnings', () => {
    const codes = ({ warnings }: { warnings: Warning[] }) => warnings.map(({ code, path }) => `${code} ${path}`);

    it('an unassigned plan causes a warning and not only an amount of 0', async () => {
      const other = await api.createPlan({ name: 'Other', config: configOf({ tiers }) });
      const answer = await simulate({ planId: other.planId, period: '2026-Q1' });
      expect(answer).to.include({ total: 0 });
      expect(codes(answer)).to.deep.equal(['unassigned ']);
      const assigned = await simulate({ planId, period: '2026-Q1', quota: { target: 1 } });
      expect(codes(assigned)).to.deep.equal([]);
    });

    it('a changed config has the warnings of a change, with the events that it would restate', async () => {
      const rules = [{ ...deals, measure: 'amout', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 8 }] }];
      const config = { dealConditions: [{ ...won, value: 'Closed Won' }], rules };
      const answer = await simulate({ planId, config, period: '2026-Q1', effectiveStart: '2026-02-01' });
      expect(codes(answer)).to.deep.equal([
        'rate_above_one config.rules.0.tiers.0.rate',
        'unknown_field config.rules.0.measure',
        'unknown_value config.dealConditions.0.value',
        'restates_open_periods effectiveStart',
      ]);
      const patched = await api.expect(200, 'PATCH', `/v1/plans/${planId}`, { config, effectiveStart: '2026-02-01' });
      expect(patched.warnings.filter(({ code }: Warning) => code !== 'unassigned')).to.deep.equal(answer.warnings);
    });

    it('counts quotas that are missing in the simulated period, unless a quota is given', async () => {
      const period = '2026-Q3';
      const missing = await simulate({ planId, period });
      expect(missing.warnings[0].message).to.match(/^4 of 4 assigned reps have no quota for "New business" in 2026-Q3/);
      expect(codes(await simulate({ planId, period, quota: { target: 5 } }))).to.deep.equal([]);
      const config = configOf({ tiers });
      const unsaved = await simulate({ config, period, repId: ann });
      expect(unsaved.warnings[0].message).to.match(/^1 of 1 assigned reps have no quota/);
      expect(unsaved.reps[0].outcomes.map((one: { ruleId: unknown }) => one.ruleId)).to.not.include(undefined);
    });

    it('a rep receives warnings about the terms and not about other people', async () => {
      const rep = await service.as(workspaceId, ann);
      const config = { rules: [{ ...deals, tiers }] };
      const open = await api.createPlan({ name: 'Open', config }, [ann, ben]);
      const answer = await simulate({ planId: open.planId, period: '2026-Q3' }, rep);
      expect(codes(answer)).to.deep.equal(['no_deal_conditions config.dealConditions']);
      expect(answer.reps.map(({ repId }: { repId: string }) => repId)).to.deep.equal([ann]);
    });
  });
});
