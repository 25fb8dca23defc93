import { expect } from 'chai';
import { readPlanConfig } from '#src/engine/plan-config.js';
import { amounts, amountsOf, deal, EXAMPLE, ledgerOf, quota, rule, version, world } from './small-world.js';

const flat = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];
const issuesOf = (changed: object) => {
  const read = readPlanConfig({ rules: [rule(changed)] });
  return 'issues' in read ? read.issues.map(({ path, message }) => `${path}: ${message}`) : [];
};

describe('measures that are no field, and payouts times attainment, by the engine and by the oracle', () => {
  describe('_deals, the number of deals', () => {
    it('counts every deal as 1, also without an amount and of another currency, and a credit note as −1', () => {
      const bonus = rule({
        measure: '_deals',
        payoutMode: 'stepped_bonus',
        tiers: [
          { tierIndex: 0, minThreshold: 0.5, flatAmount: 300 },
          { tierIndex: 1, minThreshold: 1, flatAmount: 500 },
        ],
      });
      const deals = [
        deal('D1', '2026-01-15', {}),
        deal('D2', '2026-01-16', -50),
        deal('D3', '2026-01-17', { amount: 1, amount_currency: 'EUR' }),
        { ...deal('D4', '2026-01-18', 10), given: { currency: 'EUR' } },
      ];
      expect(amounts(world([bonus], { deals, quotas: [quota({ target: 2 })] }))).to.deep.equal({
        D1: '300',
        D2: '0',
        D3: '0',
        D4: '200',
      });
    });

    it('is the number of the period in a periodic rule, whose tiers by value need no quota', () => {
      const monthly = rule({
        measure: '_deals',
        executionPhase: 'periodic',
        attainmentPeriod: 'monthly',
        tierBy: 'value',
        tierValueField: '_deals',
        payoutBase: '1',
        tiers: [{ tierIndex: 0, minThreshold: 2, flatAmount: 400 }],
      });
      const deals = [deal('D1', '2026-01-10', {}), deal('D2', '2026-02-10', {}), deal('D3', '2026-02-11', {})];
      const of = world([monthly], { deals, quotas: [], asOf: '2026-03-01' });
      expect(engineAmounts(of)).to.deep.equal({ '2026-01': '0', '2026-02': '400' });
    });

    it('can count towards the quota of a rule that pays on the amount', () => {
      const counted = rule({
        quotaMeasure: '_deals',
        tiers: [
          { tierIndex: 0, minThreshold: 0, rate: 0.1 },
          { tierIndex: 1, minThreshold: 1, rate: 0.2 },
        ],
      });
      expect(amounts(world([counted], { deals: EXAMPLE, quotas: [quota({ target: 3 })] }))).to.deep.equal({
        D1: '6000',
        D2: '6000',
        D3: '6000',
      });
    });
  });

  describe('_earned, what the people below earned', () => {
    const team = {
      reps: [
        { repId: 'r', lines: [{ managerId: 'm', from: null, to: null }] },
        { repId: 'm', lines: [] },
      ],
      assignments: ['r', 'm'].map((repId) => ({ repId, planId: 'p', effectiveStart: null, effectiveEnd: null })),
    };
    const own = rule({ name: 'Own', measure: 'points', tiers: flat });
    const override = {
      name: 'Team',
      executionPhase: 'cascade',
      tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.02 }],
    };

    it('pays on deals without an amount, and is the measure of a cascade rule that names none', () => {
      const deals = [deal('D1', '2026-01-15', { points: 1000 })];
      const of = world([own, override], { ...team, deals });
      expect(amountsOf(of, 'Team', 'm')).to.deep.equal({ D1: '2' });
      const named = world([own, { ...override, measure: '_earned' }], { ...team, deals });
      expect(ledgerOf(named)).to.deep.equal(ledgerOf(of));
      expect(ledgerOf(of).find(({ repId }) => repId === 'm')?.credit).to.equal('100');
      expect(
        amountsOf(world([own, { ...override, measure: 'amount' }], { ...team, deals }), 'Team', 'm'),
      ).to.deep.equal({});
    });

    it('counts towards the quota of the manager', () => {
      const tiers = [
        { tierIndex: 0, minThreshold: 0, rate: 0.1 },
        { tierIndex: 1, minThreshold: 1, rate: 0.5 },
      ];
      const deals = [deal('D1', '2026-01-15', { points: 1000 }), deal('D2', '2026-01-16', { points: 1000 })];
      const quotas = [quota({ repId: 'm', key: 'Team', target: 200 })];
      expect(amountsOf(world([own, { ...override, tiers }], { ...team, deals, quotas }), 'Team', 'm')).to.deep.equal({
        D1: '10',
        D2: '50',
      });
    });

    it('is the measure of cascade rules only, and nothing else', () => {
      expect(issuesOf({ measure: '_earned' })).to.deep.equal([
        'rules.0.measure: _earned is what the people below earned, in cascade rules only',
      ]);
      expect(issuesOf({ executionPhase: 'cascade', payoutBase: '_earned' })).to.deep.equal([
        'rules.0.payoutBase: _earned can only be the measure',
      ]);
      expect(issuesOf({ executionPhase: 'cascade', quotaCredit: [{ field: '_earned' }] })).to.have.length(1);
    });

    it('is not assumed for other rules, which must name their measure', () => {
      const { measure: _, ...unnamed } = rule({ tiers: flat }) as Record<string, unknown>;
      expect(readPlanConfig({ rules: [unnamed] })).to.have.property('issues');
    });
  });

  describe('rate_times_attainment', () => {
    const tiers = [
      { tierIndex: 0, minThreshold: 0.5, rate: 1 },
      { tierIndex: 1, minThreshold: 1, rate: 1.5 },
    ];
    const scored = rule({
      measure: 'points',
      executionPhase: 'periodic',
      payoutMode: 'rate_times_attainment',
      payoutBase: 'variable_target',
      tiers,
    });
    const score = (points: number, more: object = {}) =>
      engineAmounts(
        world([scored], {
          deals: [deal('D1', '2026-02-01', { points })],
          quotas: [quota({ target: 100, variableTarget: 5000, ...more })],
          asOf: '2026-04-01',
        }),
      )['2026-Q1'];

    it('pays the rate of the tier times the base times the attainment of the period', () => {
      expect(score(90)).to.equal('4500');
      expect(score(49.99)).to.equal('0');
      expect(score(120)).to.equal('9000');
      expect(score(-10)).to.equal('0');
      // A third is cut off nowhere: 5,000 × 200 / 300.
      expect(score(200, { target: 300 })).to.equal('3333.33');
    });

    it('needs a quota, even with one tier from 0', () => {
      const single = rule({ payoutMode: 'rate_times_attainment', tiers: flat });
      expect(amounts(world([single], { deals: EXAMPLE, quotas: [] }))).to.deep.equal({ D1: '0', D2: '0', D3: '0' });
    });

    it('of a deal uses the attainment reached with it, with retroactive tiers that of the whole period', () => {
      const perDeal = rule({ payoutMode: 'rate_times_attainment', tiers: flat });
      expect(amounts(world([perDeal], { deals: EXAMPLE }))).to.deep.equal({ D1: '3600', D2: '7200', D3: '4500' });
      const whole = rule({ payoutMode: 'rate_times_attainment', tierMode: 'retroactive', tiers: flat });
      expect(amounts(world([whole], { deals: EXAMPLE }))).to.deep.equal({ D1: '9000', D2: '9000', D3: '4500' });
    });

    it('takes rates and neither amounts, marginal tiers nor tiers by value', () => {
      const mode = { payoutMode: 'rate_times_attainment', tiers: flat };
      expect(issuesOf(mode)).to.deep.equal([]);
      expect(issuesOf({ ...mode, tierMode: 'marginal' })).to.have.length(1);
      expect(issuesOf({ ...mode, tierBy: 'value', tierValueField: 'seats' })).to.have.length(1);
      expect(issuesOf({ ...mode, tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 5 }] })).to.have.length(1);
    });
  });

  describe('names of fields', () => {
    const read = (fields: Record<string, string | number>, changed: object = {}) =>
      amounts(
        world([rule({ measure: 'meetings', tiers: flat, ...changed })], { deals: [deal('D1', '2026-01-15', fields)] }),
      );

    it('are read without regard to case where no field has exactly the name', () => {
      expect(read({ Meetings: 10 })).to.deep.equal({ D1: '1' });
      expect(read({ Meetings: 10, meetings: 20 })).to.deep.equal({ D1: '2' });
      expect(read({ Meetings: 10, MEETINGS: 30 })).to.deep.equal({ D1: '3' });
      const condition = { field: 'REGION', fieldType: 'text', operator: 'equals', value: 'emea' };
      expect(read({ meetings: 10, Region: 'EMEA' }, { conditions: [condition] })).to.deep.equal({ D1: '1' });
    });

    it('have the currency beside the field that was found', () => {
      expect(read({ Meetings: 10, Meetings_currency: 'EUR' })).to.deep.equal({});
    });

    it('of standard values and mapped names are read as written', () => {
      expect(read({ Amount: 10 }, { measure: 'amount' })).to.deep.equal({});
      const mapped = version({ rules: [rule({ tiers: flat })] }, { fieldMapping: { amount: 'acv' } });
      const plans = [{ planId: 'p', status: 'active' as const, versions: [mapped] }];
      expect(amounts(world([], { plans, deals: [deal('D1', '2026-01-15', { ACV: 10 })] }))).to.deep.equal({});
    });
  });

  it('the three readings of a floor pay 10,800, 14,400 and 8,400 of the example in docs/plans.md', () => {
    const deals = [deal('D1', '2026-01-15', 30000), deal('D2', '2026-02-10', 30000), deal('D3', '2026-03-05', 60000)];
    const sum = (changed: object) =>
      ledgerOf(
        world([rule({ tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.12 }], ...changed })], {
          deals,
          asOf: '2026-04-01',
        }),
      ).reduce((total, { amount }) => total + Number(amount), 0);
    expect(sum({ floorAttainment: 0.5 })).to.equal(10800);
    expect(sum({ floorAttainment: 0.5, executionPhase: 'periodic' })).to.equal(14400);
    expect(sum({ floorAttainment: 0.5, tierMode: 'retroactive' })).to.equal(14400);
    const above = [
      { tierIndex: 0, minThreshold: 0, rate: 0 },
      { tierIndex: 1, minThreshold: 0.5, rate: 0.12 },
    ];
    expect(sum({ tierMode: 'marginal', tiers: above })).to.equal(8400);
  });

  it('a half-year is an attainment period of rules', () => {
    const half = rule({ attainmentPeriod: 'semi_annual' });
    const deals = [deal('D1', '2026-01-15', 60000), deal('D2', '2026-06-10', 60000)];
    expect(amounts(world([half], { deals, quotas: [quota({ period: '2026-H1' })] }))).to.deep.equal({
      D1: '4800',
      D2: '7200',
    });
  });
});

function engineAmounts(of: Parameters<typeof ledgerOf>[0]): Record<string, string> {
  return Object.fromEntries(ledgerOf(of).map((row) => [row.dealId, row.amount]));
}
