import { expect } from 'chai';
import fc from 'fast-check';
import { listDifferences } from '#web/features/plans/differences.js';
import { type Draft, isSame, type PlanTest, type Rule } from '#web/features/plans/draft.js';
import { draft, drafts, draftWith } from './drafts.js';
import { rule } from './samples.js';

const between = (before: Draft, after: Draft) =>
  listDifferences(before, after, 'USD').map((text) => text.replaceAll('\u00a0', ' '));
const ofRule = (before: Partial<Rule>, after: Partial<Rule>) => between(draftWith(before), draftWith(after));
const rates = (...pairs: readonly (readonly [number, number])[]) => ({
  tiers: pairs.map(([minThreshold, rate], tierIndex) => ({ tierIndex, minThreshold, rate })),
});
const won = { field: 'stage', fieldType: 'status', operator: 'contains', value: 'won' } as const;
const large = { field: 'amount', fieldType: 'currency', operator: 'gte', value: 1000 } as const;
const example: PlanTest = { name: 'Example', deals: [], expected: [] };

describe('the differences of two versions of a plan', () => {
  for (const [before, after, expected] of [
    [{}, { name: 'AE 2027' }, ['The plan is called AE 2027, was AE plan.']],
    [{}, { effectiveStart: '2026-07-01' }, ['The first day is 1 July 2026, was open.']],
    [{ effectiveStart: '2026-07-01' }, {}, ['The first day is open, was 1 July 2026.']],
    [{}, { effectiveStart: '12026-07-01' }, ['The first day is 12026-07-01, was open.']],
    [
      { effectiveEnd: '2026-12-31' },
      { effectiveEnd: '2027-12-31' },
      ['The last day is 31 December 2027, was 31 December 2026.'],
    ],
    [{}, { currency: 'EUR' }, ['The currency is EUR, was USD.']],
    [{}, { currency: 'USD' }, []],
    [{}, { fieldMapping: { amount: 'acv' } }, ['The names of fields in this plan change.']],
    [{}, { terms: { dealConditions: [won], rules: [rule()] } }, ['The plan pays only where stage contains won.']],
    [
      { terms: { dealConditions: [won], rules: [rule()] } },
      {},
      ['No longer: the plan pays only where stage contains won.'],
    ],
    [
      { terms: { dealConditions: [won, large], rules: [] } },
      { terms: { dealConditions: [large, won], rules: [] } },
      ['The conditions of the plan are written differently.'],
    ],
    [{}, { tests: [example] }, ['The test Example is new.']],
    [{ tests: [example] }, {}, ['The test Example is removed.']],
    [{ tests: [example] }, { tests: [{ ...example, total: 5 }] }, ['The test Example changes.']],
    [{}, { terms: { dealConditions: [], rules: [rule(), rule({ name: 'Renewals' })] } }, ['The rule Renewals is new.']],
    [
      { terms: { dealConditions: [], rules: [rule(), rule({ name: 'Renewals' })] } },
      {},
      ['The rule Renewals is removed.'],
    ],
    [
      { terms: { dealConditions: [], rules: [rule({ name: 'A' }), rule({ name: 'B' })] } },
      { terms: { dealConditions: [], rules: [rule({ name: 'B' }), rule({ name: 'A' })] } },
      ['The order of the rules changes.'],
    ],
    [
      { terms: { dealConditions: [], rules: [rule({ name: 'A' }), rule({ name: 'B' })] } },
      { terms: { dealConditions: [], rules: [rule({ name: 'New' }), rule({ name: 'A' }), rule({ name: 'B' })] } },
      ['The rule New is new.'],
    ],
    [
      { terms: { dealConditions: [], rules: [rule({ name: 'A' })] } },
      { terms: { dealConditions: [], rules: [rule({ name: 'B' })] } },
      ['The rule A is removed.', 'The rule B is new.'],
    ],
  ] as readonly (readonly [Partial<Draft>, Partial<Draft>, readonly string[]])[])
    it(`${expected.join(' ') || 'are none where the effect is the same'}`, () => {
      expect(between(draft(before), draft(after))).to.deep.equal(expected);
    });

  const tiers = rates([0, 0.08], [1, 0.12]);
  for (const [before, after, ...expected] of [
    [{}, rates([0, 0.09]), 'from 0 % it pays 9 %, was 8 %.'],
    [rates([0, 0.08121]), rates([0, 0.08122]), 'from 0 % it pays 8.122 %, was 8.121 %.'],
    [{}, tiers, 'from 100 % it pays 12 %, which is a new tier.'],
    [tiers, {}, 'the tier from 100 % is removed.'],
    [
      tiers,
      rates([0, 0.08], [1.005, 0.12]),
      'from 100.5 % it pays 12 %, which is a new tier.',
      'the tier from 100 % is removed.',
    ],
    [
      tiers,
      rates([0, 0.08], [1.0004, 0.12]),
      'from 100.04 % it pays 12 %, which is a new tier.',
      'the tier from 100 % is removed.',
    ],
    [{}, { tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 500 }] }, 'from 0 % it pays $500.00, was 8 %.'],
    [
      {},
      { tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.08, name: 'Base' }] },
      'the tier from 0 % is called Base, was nothing.',
    ],
    [
      {},
      { tiers: [...rule().tiers, { tierIndex: 0, minThreshold: 0, rate: 0.2, repId: 'r' }] },
      'individual tiers change.',
    ],
    [
      {},
      { clawback: { window: { days: 180 } } },
      'a refund takes back all that was paid for the deal within 180 days of the close date, and nothing later, was nothing.',
    ],
    [
      { clawback: { window: { days: 180 } } },
      { clawback: { window: { days: 90 }, declining: true, causes: ['cancellation'], credit: 'none' } },
      'a refund takes back a part that falls from everything on the close date to nothing on day 90 after a cancellation, while the quota keeps the credit, was all that was paid for the deal within 180 days of the close date, and nothing later.',
    ],
    [{}, { measure: 'arr' }, 'the measure is Arr, was Amount.'],
    [{}, { payoutBase: 'gross_margin' }, 'the rate multiplies the gross margin, was the measure.'],
    [{}, { payoutBase: 'variable_target' }, 'the rate multiplies the variable target, was the measure.'],
    [{}, { payoutBase: '1' }, 'the rate multiplies nothing, was the measure.'],
    [
      { measure: 'arr', quotaMeasure: 'amount', payoutBase: 'arr' },
      { measure: 'arr', quotaMeasure: 'arr', payoutBase: 'amount' },
      'the rate multiplies the amount, was the measure.',
      'the quota counts the measure, was amount.',
    ],
    [{}, { attainmentPeriod: 'annual' }, 'attainment counts by year, was quarter.'],
    [{}, { tierBy: 'rank' }, 'tiers go by rank, was attainment.'],
    [
      { tierBy: 'value', tierValueField: 'months' },
      { tierBy: 'value', tierValueField: 'seats' },
      'tiers go by the seats, was the months.',
    ],
    [{}, { tierMode: 'marginal' }, 'tiers apply to the part in the tier, was the whole deal.'],
    [
      { tierMode: 'marginal' },
      { tierMode: 'retroactive' },
      'tiers apply to the whole period, was the part in the tier.',
    ],
    [
      {},
      { payoutMode: 'stepped_bonus' },
      'a tier pays its amount as the bonus of the period, was a rate or an amount for each deal.',
    ],
    [
      {},
      { payoutMode: 'flat_per_tier' },
      'a tier pays its amount once, when it is reached, was a rate or an amount for each deal.',
    ],
    [{}, { executionPhase: 'periodic' }, 'it pays once for each period that has ended, was the owner of each deal.'],
    [{}, { dependsOn: 'Renewals' }, 'it depends on Renewals, was every rule.'],
    [{}, { dependsOn: '_total' }],
    [{}, { cap: 14_000 }, 'the cap of a period is $14,000.00, was none.'],
    [{ cap: 0 }, {}, 'the cap of a period is none, was $0.00.'],
    [{ floor: 100 }, { floor: 0 }, 'the least for a deal is $0.00, was $100.00.'],
    [{}, { capMultiplier: 0.3 }, 'the cap of a deal, in variable targets, is 0.3, was none.'],
    [{ floorAttainment: 0.5 }, { floorAttainment: 0.5004 }, 'it pays nothing below 50.04 %, was 50 %.'],
    [{}, { quotaGroup: 'Bookings' }, 'the shared quota is Bookings, was none.'],
    [
      {},
      { creditKinds: ['overlay'], creditRoles: ['SE'] },
      'it pays the credit of overlays as SE, was owners and splits.',
    ],
    [{}, { quotaMeasure: 'arr' }, 'the quota counts arr, was the measure.'],
    [{}, { quotaMeasure: 'amount' }],
    [
      {},
      {
        quotaCredit: [
          { field: 'amount', weight: 1 },
          { field: 'services', weight: 0.5 },
        ],
      },
      'the quota counts 1 × amount + 0.5 × services, was the measure.',
    ],
    [{}, { conditions: [won] }, 'pays only where stage contains won.'],
    [{ conditions: [won] }, {}, 'no longer: pays only where stage contains won.'],
    [{ conditions: [won, large] }, { conditions: [large, won] }, 'its conditions are written differently.'],
    [
      { conditions: [{ ...large, value: 1000 }] },
      { conditions: [{ ...large, value: '1,000' }] },
      'its conditions are written differently.',
    ],
    [
      { conditions: [{ ...large, value: 1.0000001 }] },
      { conditions: [{ ...large, value: 1 }] },
      'its conditions are written differently.',
    ],
  ] as readonly (readonly [Partial<Rule>, Partial<Rule>, ...string[]])[])
    it(`of a rule: ${expected.join(' ') || 'none where the effect is the same'}`, () => {
      expect(ofRule(before, after)).to.deep.equal(expected.map((text) => `New business: ${text}`));
    });

  it('are none between a version and itself, whatever the order of its fields', () => {
    const reordered = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(reordered)
        : value !== null && typeof value === 'object'
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([key, one]) => [key, reordered(one)]),
            )
          : value;
    fc.assert(
      fc.property(drafts, (one) => {
        expect(between(one, reordered(one) as Draft)).to.deep.equal([]);
      }),
      { seed: 37, numRuns: 200 },
    );
  });

  it('are said, each once, whatever changes', () => {
    fc.assert(
      fc.property(drafts, drafts, (one, other) => {
        const sentences = between(one, other);
        expect(new Set(sentences).size).to.equal(sentences.length);
        if (!isSame(one, other)) expect(sentences).not.to.deep.equal([]);
      }),
      { seed: 37, numRuns: 300 },
    );
  });

  const changes = fc.constantFrom<Partial<Rule>>(
    { measure: 'services' },
    { payoutBase: 'gross_margin' },
    { tierBy: 'value', tierValueField: 'contract_months' },
    { dependsOn: 'Another' },
    { cap: 1.23 },
    { floor: 4.56 },
    { capMultiplier: 7.89 },
    { floorAttainment: 9.87 },
    { quotaGroup: 'Other group' },
    { tiers: [{ tierIndex: 0, minThreshold: 3, rate: 0.333 }] },
    { conditions: [{ field: 'owner', fieldType: 'text', operator: 'is_set' }] },
  );

  it('of one rule are not said of another', () => {
    fc.assert(
      fc.property(drafts, changes, (one, change) => {
        const [first, ...rest] = one.terms.rules;
        const other = { ...one, terms: { ...one.terms, rules: [{ ...(first as Rule), ...change }, ...rest] } };
        for (const sentence of between(one, other)) expect(sentence).to.match(/^Rule 1: /);
        expect(between(one, other)).not.to.deep.equal([]);
      }),
      { seed: 37, numRuns: 200 },
    );
  });
});
