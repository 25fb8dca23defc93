import { expect } from 'chai';
import fc from 'fast-check';
import { run } from '#test/engine/scenario.js';
import { payoutCurve, pointAt, tierInFull } from '#web/features/plans/curve.js';
import { type Rule, toConfig } from '#web/features/plans/draft.js';
import { rule } from './samples.js';

const quota = 100;
const rates = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08 },
  { tierIndex: 1, minThreshold: 1, rate: 0.12 },
];
const amounts = [
  { tierIndex: 0, minThreshold: 0.5, flatAmount: 300 },
  { tierIndex: 1, minThreshold: 1, flatAmount: 500 },
];

/** What the rule pays at the attainment, of a quota of 100. */
function paidAt(change: Partial<Rule>, attainment: number): number | undefined {
  return payoutCurve(rule(change), quota)?.find((point) => Math.abs(point.attainment - attainment) < 1e-12)?.payout;
}

/** What the engine pays for as many deals of 1, of a quota of 100 in the quarter. */
function paidFor(change: Partial<Rule>, deals: number): number {
  const { decisions } = run({
    config: toConfig({ dealConditions: [], rules: [rule(change)] }),
    deals: Array.from({ length: deals }, (_, at) => `D${1000 + at} | 2026-01-10 | 1`).join('\n'),
    quotas: { 'New business 2026-Q1': { target: quota } },
  });
  return decisions.reduce((sum, { amount }) => sum + amount.toNumber(), 0);
}

describe('the payout by attainment', () => {
  for (const [title, change, points] of [
    [
      'one rate',
      {},
      [
        [0, 0],
        [0.5, 4],
        [1, 8],
        [1.5, 12],
      ],
    ],
    [
      'marginal tiers',
      { tiers: rates, tierMode: 'marginal' },
      [
        [0.5, 4],
        [1, 8],
        [1.5, 14],
      ],
    ],
    [
      'retroactive tiers',
      { tiers: rates, tierMode: 'retroactive' },
      [
        [0.5, 4],
        [1, 12],
        [1.5, 18],
      ],
    ],
    [
      'once for a period',
      { tiers: rates, executionPhase: 'periodic' },
      [
        [0.5, 4],
        [1, 12],
        [1.5, 18],
      ],
    ],
    [
      'stepped bonus',
      { tiers: amounts, payoutMode: 'stepped_bonus' },
      [
        [0.45, 0],
        [0.5, 300],
        [1, 500],
        [1.5, 500],
      ],
    ],
    [
      'an amount for each tier',
      { tiers: amounts, payoutMode: 'flat_per_tier' },
      [
        [0.45, 0],
        [0.5, 300],
        [1, 800],
      ],
    ],
    [
      'a cap',
      { cap: 5 },
      [
        [0.5, 4],
        [1, 5],
        [1.5, 5],
      ],
    ],
    ['a cap of 0', { cap: 0 }, [[1, 0]]],
    [
      'a threshold for every deal',
      { floorAttainment: 0.5 },
      [
        [0.45, 0],
        [0.5, 0],
        [1, 4],
      ],
    ],
    [
      'a threshold for the period',
      { tierMode: 'retroactive', floorAttainment: 0.5 },
      [
        [0.45, 0],
        [0.5, 4],
        [1, 8],
      ],
    ],
  ] as readonly (readonly [string, Partial<Rule>, readonly (readonly [number, number])[]])[])
    it(`is that of ${title}`, () => {
      for (const [attainment, payout] of points)
        expect(paidAt(change, attainment), `${attainment}`).to.be.closeTo(payout, 1e-9);
    });

  for (const [title, change] of [
    ['tiers by value', { tierBy: 'value', tierValueField: 'months' }],
    ['tiers by rank', { tierBy: 'rank' }],
    ['managers', { executionPhase: 'cascade' }],
    ['a fixed amount for each deal', { payoutMode: 'flat_per_event', tiers: amounts }],
    ['a fixed amount in the shape with base 1', { payoutBase: '1', tiers: amounts }],
    ['an amount for each deal by attainment', { tiers: amounts }],
    ['a share of the variable target', { payoutBase: 'variable_target', executionPhase: 'periodic', tiers: rates }],
    ['a share of another field than the quota counts', { measure: 'points', payoutBase: 'amount' }],
    ['a quota that counts another field', { quotaMeasure: 'arr' }],
    ['a quota that counts several fields', { quotaCredit: [{ field: 'amount', weight: 2 }] }],
    ['a quota that other rules count towards', { quotaGroup: 'Bookings' }],
    ['a minimum for each deal', { floor: 5 }],
    ['a maximum for each deal', { capMultiplier: 0.3 }],
  ] as readonly (readonly [string, Partial<Rule>])[])
    it(`is not displayed where attainment does not decide it: ${title}`, () => {
      expect(payoutCurve(rule(change), quota)).to.equal(null);
      expect(tierInFull(rule(change), 0, quota)).to.equal(null);
    });

  it('shows every tier, also above 150 %', () => {
    const tiers = [...rates, { tierIndex: 2, minThreshold: 2, rate: 0.2 }];
    const curve = payoutCurve(rule({ tiers, tierMode: 'marginal' }), quota) ?? [];
    const last = curve.at(-1);
    expect(last?.attainment).to.be.greaterThan(2.1);
    expect(last?.payout).to.be.closeTo(8 + 12 + 20 * ((last?.attainment ?? 0) - 2), 1e-9);
    expect(payoutCurve(rule(), quota)?.at(-1)?.attainment).to.equal(1.5);
  });

  it('has its points in order, with both sides of every step', () => {
    const curve = payoutCurve(rule({ tiers: amounts, payoutMode: 'stepped_bonus' }), quota) ?? [];
    const places = curve.map(({ attainment }) => attainment);
    expect(places).to.deep.equal([...places].sort((a, b) => a - b));
    expect(new Set(places).size).to.equal(places.length);
    const step = curve.findIndex(({ attainment }) => attainment === 0.5);
    expect(curve[step - 1]?.attainment).to.be.closeTo(0.5, 1e-6);
    expect([curve[step - 1]?.payout, curve[step]?.payout]).to.deep.equal([0, 300]);
  });

  it('is what the engine pays for many small deals', () => {
    const percent = fc.integer({ min: 0, max: 25 }).map((count) => count / 20);
    const terms = fc.record({
      tiers: fc
        .uniqueArray(percent, { minLength: 1, maxLength: 3 })
        .chain((thresholds) =>
          fc
            .tuple(...thresholds.map(() => fc.integer({ min: 0, max: 30 })))
            .map((pay) =>
              [...thresholds]
                .sort((a, b) => a - b)
                .map((minThreshold, tierIndex) => ({ tierIndex, minThreshold, pay: pay[tierIndex] ?? 0 })),
            ),
        ),
      tierMode: fc.constantFrom('full_rate', 'marginal', 'retroactive'),
      executionPhase: fc.constantFrom('per_deal', 'periodic'),
      payoutMode: fc.constantFrom('rate', 'flat_per_tier', 'stepped_bonus'),
      cap: fc.option(fc.constantFrom(0, 3, 10), { nil: undefined }),
      floorAttainment: fc.option(fc.constantFrom(0, 0.25, 0.5, 1), { nil: undefined }),
    });
    fc.assert(
      fc.property(terms, fc.integer({ min: 0, max: 30 }), ({ tiers, ...more }, steps) => {
        const isRate = more.payoutMode === 'rate';
        const change = {
          ...more,
          ...(isRate ? {} : { tierMode: 'full_rate' }),
          tiers: tiers.map(({ pay, ...tier }) => ({
            ...tier,
            ...(isRate ? { rate: pay / 100 } : { flatAmount: pay }),
          })),
        } as Partial<Rule>;
        // A deal that reaches a tier pays at its rate as a whole: 1 of 100 at a threshold and at the floor.
        const tolerance = isRate ? 0.3 * (tiers.length + 1) + 0.01 * steps * 5 : 1e-9;
        expect(paidAt(change, (steps * 1.5) / 30)).to.be.closeTo(paidFor(change, steps * 5), tolerance);
      }),
      { seed: 37, numRuns: 150 },
    );
  });
});

describe('what a tier pays if all of it is reached', () => {
  for (const [title, change, index, paid] of [
    ['the width of the tier at its rate', { tiers: rates }, 0, '8'],
    ['no limit of the last tier', { tiers: rates }, 1, 'no limit'],
    ['nothing of one tier for whole periods', { tiers: rates, tierMode: 'retroactive' }, 0, null],
    ['nothing of one tier, once for a period', { tiers: rates, executionPhase: 'periodic' }, 0, null],
    ['nothing without a rate', { tiers: amounts, payoutMode: 'stepped_bonus' }, 0, null],
    ['nothing of a tier that does not exist', { tiers: rates }, 2, null],
  ] as readonly (readonly [string, Partial<Rule>, number, string | null])[])
    it(`is ${title}`, () => {
      expect(tierInFull(rule(change), index, quota)).to.equal(paid);
    });

  it('adds up to the payout where the next tier begins', () => {
    const tiers = [0, 0.5, 1, 1.25].map((minThreshold, tierIndex) => ({
      tierIndex,
      minThreshold,
      rate: 0.05 * (tierIndex + 1),
    }));
    const change = { tiers, tierMode: 'marginal' } as const;
    const sum = [0, 1, 2].reduce((total, index) => total + Number(tierInFull(rule(change), index, quota)), 0);
    expect(paidAt(change, 1.25)).to.be.closeTo(sum, 1e-9);
  });
});

describe('the position of a person on a payout curve', () => {
  const curve = payoutCurve(rule({ tiers: rates, tierMode: 'marginal' }), quota) ?? [];

  for (const [attainment, at, payout] of [
    [0.531, 0.531, 4.248],
    [1, 1, 8],
    [1.2, 1.2, 10.4],
    [-0.1, 0, 0],
    [9, 1.5, 14],
  ] as const)
    it(`at ${attainment} is at ${at}, where it pays ${payout}`, () => {
      const point = pointAt(curve, attainment);
      expect(point?.attainment).to.be.closeTo(at, 1e-9);
      expect(point?.payout).to.be.closeTo(payout, 1e-6);
    });

  it('does not exist without a curve', () => {
    expect(pointAt([], 1)).to.equal(null);
  });
});
