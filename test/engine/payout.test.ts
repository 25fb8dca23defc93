import { expect } from 'chai';
import { decodeTrace, type Trace } from '#src/engine/trace.js';
import { workedTiers } from '#test/support/worked-example.js';
import { run } from './scenario.js';
import { amounts, deal, rule, version, world } from './small-world.js';

const quotas = { 'New 2026-Q1': { target: 100_000 } };

/** The traces of a rule, or of several, in close order. */
function traces(
  terms: object | readonly object[],
  deals: string,
  scenario: { quotas?: typeof quotas } = { quotas },
): Trace[] {
  const rules = [terms].flat().map((changed) => rule(changed));
  return run({ config: { rules }, deals, ...scenario }).decisions.map(({ trace, tierName, amount }) =>
    decodeTrace(trace ?? '', {
      conditions: [],
      day: '2026-01-01',
      timeZone: 'UTC',
      tierName,
      amount: amount.toNumber(),
    }),
  );
}

/** The amounts of a rule whose second tier pays the rep differently, as an override of an earlier version does. */
function amountsWithOverride(terms: object, pay: { rate: number } | { flatAmount: number }, deals: [string, number][]) {
  const overrides = [{ repId: 'r', ruleName: 'New', tiers: [{ tierIndex: 1, ...pay }] }];
  const plans = [
    { planId: 'p', status: 'active' as const, versions: [version({ rules: [rule(terms)] }, { overrides })] },
  ];
  const quotas = [{ repId: 'r', planId: 'p', key: 'New', period: '2026-Q1', target: 100, variableTarget: 1000 }];
  return amounts(
    world([], { plans, quotas, deals: deals.map(([id, amount], index) => deal(id, `2026-01-1${index}`, amount)) }),
  );
}

const fixedAmounts = [
  { tierIndex: 0, minThreshold: 0, flatAmount: 100 },
  { tierIndex: 1, minThreshold: 1, flatAmount: 300 },
];
const flat = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];
const fromHalf = [
  { tierIndex: 0, minThreshold: 0.5, rate: 0.1 },
  { tierIndex: 1, minThreshold: 1, rate: 0.2 },
];

describe('what a payout records in the trace', () => {
  const twoDeals = 'D1 | 2026-01-10 | 60000\n D2 | 2026-01-11 | 60000';

  it('the tier that was reached', () => {
    const tiers = traces({}, twoDeals).map(({ tier }) => tier);
    expect(tiers).to.deep.equal([
      { tierIndex: 0, name: 'Base' },
      { tierIndex: 1, name: 'Over' },
    ]);
  });

  it('the start of the slice for marginal rules of a group, and the credit of earlier deals for others', () => {
    const group = (tierMode: string) =>
      traces(
        ['New', 'Second'].map((name) => ({ name, quotaGroup: 'New', tierMode })),
        'D1 | 2026-01-10 | 10000\n D2 | 2026-01-11 | 10000',
      ).map(({ before }) => before);
    expect(group('marginal')).to.deep.equal([0, 10_000, 20_000, 30_000]);
    expect(group('full_rate')).to.deep.equal([0, 0, 20_000, 20_000]);
  });

  it('the value, the rank and the credit of the period only where they decide the tier', () => {
    const deals = 'D1 | 2026-01-10 | 1000 | seats=5';
    expect(traces({ tierValueField: 'seats' }, deals)[0]).to.not.have.any.keys('tierValue', 'periodCredit', 'rank');
    expect(traces({ tierBy: 'value', tierValueField: 'seats' }, deals)[0]).to.include({ tierValue: 5 });
    expect(traces({ tierMode: 'retroactive' }, twoDeals)[0]).to.include({
      periodCredit: 120_000,
      periodAttainment: 1.2,
    });
  });

  it('no part for a band that the slice only touches', () => {
    expect(traces({ tierMode: 'marginal' }, 'D1 | 2026-01-10 | 100000')[0]?.parts).to.deep.equal([
      { tierIndex: 0, rate: 0.08, part: 100_000 },
    ]);
  });

  it('the base times the attainment as the part of rate_times_attainment', () => {
    const terms = { payoutMode: 'rate_times_attainment', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] };
    expect(traces(terms, 'D1 | 2026-01-10 | 50000')[0]).to.deep.include({
      parts: [{ tierIndex: 0, rate: 0.1, part: 25_000 }],
      raw: 2500,
    });
  });

  it('only the limits that changed the amount', () => {
    const limits = (terms: object, variableTarget?: number) =>
      traces({ tiers: flat, ...terms }, 'D1 | 2026-01-10 | 1000', {
        quotas: { 'New 2026-Q1': { target: 100_000, ...(variableTarget === undefined ? {} : { variableTarget }) } },
      })[0]?.limits;
    expect(limits({ floor: 50, capMultiplier: 5, cap: 500 }, 1000)).to.deep.equal([]);
    expect(limits({ floor: 150 })).to.deep.equal([{ kind: 'floor', bound: 150, before: 100, after: 150 }]);
    expect(limits({ capMultiplier: 0.05 }, 1000)).to.deep.equal([
      { kind: 'cap_multiplier', bound: 50, before: 100, after: 50 },
    ]);
    expect(limits({ cap: 30 })).to.deep.equal([{ kind: 'cap', bound: 30, before: 100, after: 30 }]);
  });

  it('that there was no variable target to multiply, with and without a quota', () => {
    const unlimited = [{ kind: 'cap_multiplier', bound: null, before: 100, after: 100 }];
    for (const scenario of [{ quotas }, {}])
      expect(traces({ tiers: flat, capMultiplier: 2 }, 'D1 | 2026-01-10 | 1000', scenario)[0]).to.deep.include({
        amount: 100,
        limits: unlimited,
      });
  });
});

describe('attainment below 0 in the trace', () => {
  const refund = 'R1 | 2026-01-10 | -45000';
  const isBelowZero = (terms: object, deals: string, scenario = { quotas }) =>
    traces(terms, deals, scenario).map(({ belowZero }) => belowZero === true);

  it('is recorded where the rule for refunds pays or takes back', () => {
    for (const tierMode of ['full_rate', 'marginal', 'retroactive'])
      expect(isBelowZero({ tierMode }, refund), tierMode).to.deep.equal([true]);
  });

  it('is recorded by marginal rules for each deal whose slice is partly below 0', () => {
    const deals = `${refund}\n D2 | 2026-01-11 | 60000\n D3 | 2026-01-12 | 1000\n R4 | 2026-01-13 | -20000`;
    expect(isBelowZero({ tierMode: 'marginal' }, deals)).to.deep.equal([true, true, false, true]);
    expect(isBelowZero({}, deals)).to.deep.equal([true, false, false, true]);
  });

  it('is not recorded at 0 itself', () => {
    const toZero = 'D1 | 2026-01-10 | 60000\n R2 | 2026-01-11 | -60000';
    for (const tierMode of ['full_rate', 'marginal'])
      expect(isBelowZero({ tierMode }, toZero), tierMode).to.deep.equal([false, false]);
  });

  it('is not recorded where it decides nothing', () => {
    expect(isBelowZero({ tiers: flat }, refund), 'a flat rate').to.deep.equal([false]);
    expect(isBelowZero({ tiers: fromHalf }, refund), 'no tier at 0').to.deep.equal([false]);
    expect(isBelowZero({}, refund, {} as never), 'no quota').to.deep.equal([false]);
    const byValue = { tierBy: 'value', tierValueField: 'seats' };
    expect(isBelowZero(byValue, `${refund} | seats=-1`), 'tiers by value').to.deep.equal([false]);
    expect(isBelowZero(byValue, 'D1 | 2026-01-10 | 100 | seats=-1'), 'a value below 0').to.deep.equal([false]);
    expect(isBelowZero(byValue, refund), 'tiers by an absent value').to.deep.equal([false]);
  });
});

describe('tiers at the edges', () => {
  const paid = (terms: object, deals: string, scenario: { quotas?: typeof quotas } = { quotas }) =>
    traces(terms, deals, scenario).map(({ amount, reason = null }) => [amount, reason]);

  it('a deal of 0 pays the fixed amount of the tier at 0', () => {
    const terms = { payoutMode: 'flat_per_event', tiers: fixedAmounts };
    expect(paid(terms, 'D1 | 2026-01-10 | 0')).to.deep.equal([[100, null]]);
  });

  it('a tier value below 0 reaches no tier', () => {
    const terms = { tierBy: 'value', tierValueField: 'seats' };
    expect(paid(terms, 'D1 | 2026-01-10 | 1000 | seats=-3')).to.deep.equal([[0, 'below_lowest_tier']]);
  });

  it('an absent tier value is the reason, and not the lowest tier', () => {
    const terms = { tierBy: 'value', tierValueField: 'seats', tiers: fromHalf };
    const deals = 'D1 | 2026-01-10 | 1000 | seats=0\n D2 | 2026-01-11 | 1000';
    expect(paid(terms, deals)).to.deep.equal([
      [0, 'below_lowest_tier'],
      [0, 'field_missing'],
    ]);
  });

  it('an absent tier value is no reason where attainment decides the tier', () => {
    const terms = { tierValueField: 'seats', tiers: fromHalf };
    expect(paid(terms, 'D1 | 2026-01-10 | 1000')).to.deep.equal([[0, 'below_lowest_tier']]);
  });

  it('attainment below 0 times a rate pays nothing', () => {
    const terms = { payoutMode: 'rate_times_attainment', tiers: workedTiers };
    expect(paid(terms, 'R1 | 2026-01-10 | -45000')).to.deep.equal([[0, 'below_lowest_tier']]);
  });

  it('marginal: a credit of 0 below the lowest tier pays nothing', () => {
    const terms = { tierMode: 'marginal', payoutBase: 'margin', tiers: fromHalf };
    expect(paid(terms, 'D1 | 2026-01-10 | 0 | margin=40')).to.deep.equal([[0, 'below_lowest_tier']]);
  });

  it('marginal: a credit of 0 pays nothing in the band of a fixed amount, when a later rule reaches a rate', () => {
    const tiers = [
      { tierIndex: 0, minThreshold: 0, flatAmount: 100 },
      { tierIndex: 1, minThreshold: 1, rate: 0.3 },
    ];
    const rules = [
      { measure: 'seats', payoutBase: 'amount', tierMode: 'marginal', tiers },
      { name: 'Second', quotaGroup: 'New', tierMode: 'marginal', tiers },
    ];
    const deals = 'D1 | 2026-01-10 | 150000 | seats=0';
    expect(
      paid(
        rules.map((terms) => ({ ...terms, quotaGroup: 'New' })),
        deals,
      ),
    ).to.deep.equal([
      [0, null],
      [15_000, null],
    ]);
  });

  it('marginal: what a refund takes back has no reason, also when it ends below the lowest tier', () => {
    const terms = { tierMode: 'marginal', tiers: fromHalf };
    expect(paid(terms, 'D1 | 2026-01-10 | 80000\n R2 | 2026-01-11 | -60000')).to.deep.equal([
      [3000, null],
      [-3000, null],
    ]);
  });

  it('flat_per_tier without a quota pays a single tier from 0 once, and several tiers not at all', () => {
    const deals = 'D1 | 2026-01-10 | 10\n D2 | 2026-01-11 | 10';
    const terms = { payoutMode: 'flat_per_tier' };
    expect(paid({ ...terms, tiers: fixedAmounts.slice(0, 1) }, deals, {})).to.deep.equal([
      [100, null],
      [0, null],
    ]);
    expect(paid({ ...terms, tiers: fixedAmounts }, deals, {})).to.deep.equal([
      [0, 'quota_missing'],
      [0, 'quota_missing'],
    ]);
  });

  it('an override of the other kind, from an earlier version, pays nothing in modes of one kind', () => {
    const toSecondTier: [string, number][] = [
      ['D1', 50],
      ['D2', 60],
    ];
    const bands = { payoutMode: 'flat_per_tier', tiers: fixedAmounts };
    expect(amountsWithOverride(bands, { rate: 0.1 }, toSecondTier)).to.deep.equal({ D1: '100', D2: '0' });
    const scored = { payoutMode: 'rate_times_attainment', payoutBase: 'variable_target', tiers: workedTiers };
    expect(amountsWithOverride(scored, { flatAmount: 7 }, toSecondTier)).to.deep.equal({ D1: '40', D2: '0' });
  });
});

describe('floors at the edges', () => {
  it('a floor raises nothing below the lowest tier', () => {
    const [first] = traces({ tiers: fromHalf, floor: 50 }, 'D1 | 2026-01-10 | 1000');
    expect(first).to.deep.include({ amount: 0, limits: [], reason: 'below_lowest_tier' });
  });

  it('a floor raises a bonus of the period, which no deal pays by itself', () => {
    const terms = { payoutMode: 'flat_per_tier', tiers: fixedAmounts, floor: 150 };
    const [first] = traces(terms, 'D1 | 2026-01-10 | 1000');
    expect(first?.limits).to.deep.equal([{ kind: 'floor', bound: 150, before: 100, after: 150 }]);
  });

  it('floorAttainment is not reached without a target, unless it is 0', () => {
    const floored = (floorAttainment: number, scenario: { quotas?: typeof quotas }) => {
      const [first] = traces({ tiers: flat, floorAttainment }, 'D1 | 2026-01-10 | 1000', scenario);
      return [first?.amount, first?.reason];
    };
    for (const scenario of [{}, { quotas: { 'New 2026-Q1': { target: 0 } } }]) {
      expect(floored(0.5, scenario)).to.deep.equal([0, 'below_floor_attainment']);
      expect(floored(0, scenario)).to.deep.equal([100, undefined]);
    }
  });

  it('an amount of 0 without a limit has no reason', () => {
    const [first] = traces({ tiers: flat, cap: 500 }, 'D1 | 2026-01-10 | 0');
    expect(first).to.include({ amount: 0 }).and.not.have.property('reason');
  });
});
