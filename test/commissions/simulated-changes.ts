import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

export const won = { field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' };
export const flat = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];
export const tiers = [
  { tierIndex: 0, minThreshold: 0, rate: 0.1 },
  { tierIndex: 1, minThreshold: 1, rate: 0.2 },
];
const richer = [
  { tierIndex: 0, minThreshold: 0, rate: 0.11 },
  { tierIndex: 1, minThreshold: 1, rate: 0.3 },
];
export const deals = { name: 'New business', measure: 'amount' };
const override = { name: 'Override', measure: 'amount', executionPhase: 'cascade', dependsOn: 'New business' };
export const configOf = (ofDeals: object, ofOverride: object = { tiers: flat }) => ({
  dealConditions: [won],
  rules: [
    { ...deals, ...ofDeals },
    { ...override, ...ofOverride },
  ],
});

interface Simulated {
  readonly reps: readonly {
    readonly repId: string;
    readonly rules: readonly { readonly name: string; readonly deals: { dealId: string; amount: number }[] }[];
  }[];
}

/** The amounts of a simulation by rep, rule and deal. */
export function amounts({ reps }: Simulated): Record<string, number> {
  return Object.fromEntries(
    reps.flatMap(({ repId, rules }) =>
      rules.flatMap(({ name, deals: paid }) =>
        paid.map(({ dealId, amount }) => [`${repId} ${name} ${dealId}`, amount] as const),
      ),
    ),
  );
}

/** Ann and Ben sell below Mia, who is below Zoe; all four are on the plan, and Ann has an override. */
export class SalesTeam {
  private constructor(
    private readonly service: Service,
    readonly workspaceId: string,
    readonly api: ApiClient,
    readonly planId: string,
    readonly repIds: Readonly<Record<'zoe' | 'mia' | 'ann' | 'ben', string>>,
  ) {}

  static async create(service: Service): Promise<SalesTeam> {
    const { workspaceId, api } = await service.workspace();
    const [zoe, mia, ann, ben] = await api.saveReps(
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
    const { planId, planVersionId, rules } = await api.createPlan({ name: 'Sales', config: configOf({ tiers }) });
    await api.assign([ann, ben, mia, zoe], planId);
    const quota = { planRuleId: rules[0].id, target: 100_000 };
    for (const period of ['2026-Q1', '2026-Q2'])
      await api.expect(201, 'POST', '/v1/quotas', { ...quota, repIds: [ann, ben], period });
    const own = { rules: [{ ruleId: rules[0].id, tiers: [{ tierIndex: 1, rate: 0.5 }] }] };
    await api.expect(200, 'PUT', `/v1/plans/${planVersionId}/overrides/${ann}`, own);
    await service.waitForCalculations(workspaceId);
    return new SalesTeam(service, workspaceId, api, planId, { zoe, mia, ann, ben });
  }

  simulate(body: object, client = this.api) {
    return client.expect(200, 'POST', '/v1/commissions/simulate', body);
  }

  calculated(): Promise<void> {
    return this.service.waitForCalculations(this.workspaceId);
  }

  /** What the ledger has, in the form of {@link amounts}. */
  async earned(): Promise<Record<string, number>> {
    const events: Record<string, number> = {};
    for (const dealId of ['a1', 'a2', 'a3', 'b1', 'b2']) {
      const breakdown = await this.api.expect(200, 'GET', `/v1/commissions?dealId=${dealId}`);
      for (const { repId, ruleName, amount, status } of breakdown.events)
        if (status === 'earned') events[`${repId} ${ruleName} ${dealId}`] = amount;
    }
    return events;
  }
}

const allChanges = {
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
} as const;

/** One test for each change: what its simulation returns is what saving it then calculates. */
export function describeSimulatedChanges(...names: readonly (keyof typeof allChanges)[]): void {
  describe('the simulation of a changed plan equals what the change then calculates:', () => {
    const service = Service.duringSuite();

    for (const name of names)
      it(name, async () => {
        const team = await SalesTeam.create(service);
        const { planId } = team;
        const before = await team.earned();
        const simulated = amounts(await team.simulate({ planId, period: '2026', ...allChanges[name] }));
        expect(await team.earned()).to.deep.equal(before);
        await team.api.expect(200, 'PATCH', `/v1/plans/${planId}`, allChanges[name]);
        await team.calculated();
        expect(simulated).to.deep.equal(await team.earned());
        expect(Object.keys(simulated).length).to.be.greaterThan(8);
        expect(amounts(await team.simulate({ planId, period: '2026' }))).to.deep.equal(simulated);
      });
  });
}
