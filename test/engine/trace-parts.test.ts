import { expect } from 'chai';
import fc from 'fast-check';
import { Decimal, sum } from '#src/kernel/decimal.js';
import { run } from './scenario.js';

const tiers = [
  { tierIndex: 0, minThreshold: 0, rate: 0.08, name: 'Base' },
  { tierIndex: 1, minThreshold: 1, rate: 0.12, name: 'Quota' },
];
const flatAmounts = tiers.map(({ rate, ...tier }) => ({ ...tier, flatAmount: rate * 5000 }));
const quotas = { 'New 2026-Q1': { target: 100_000, variableTarget: 20_000 } };

/** The parts of every decision as [rate, part] with the raw amount and the base, in close order. */
function tracesOf(terms: object, deals: string) {
  const rule = { name: 'New', measure: 'amount', tiers, ...terms };
  return run({ config: { rules: [rule] }, deals, quotas }).decisions.map(({ trace }) => {
    const [, , , , , base, raw, , parts] = JSON.parse(trace);
    return { base, raw, parts: parts.map(([, rate, part]: [number, number | null, number]) => [rate, part]) };
  });
}

describe('the parts in the trace', () => {
  for (const [title, terms] of Object.entries({
    full_rate: {},
    marginal: { tierMode: 'marginal' },
    'marginal with another base than the credit': { tierMode: 'marginal', payoutBase: 'margin' },
    'marginal on the variable target': { tierMode: 'marginal', payoutBase: 'variable_target' },
    retroactive: { tierMode: 'retroactive' },
    'fixed amounts': { tiers: flatAmounts },
    flat_per_tier: { payoutMode: 'flat_per_tier', tiers: flatAmounts },
    stepped_bonus: { payoutMode: 'stepped_bonus', tiers: flatAmounts },
  }))
    it(`${title}: each times its rate, they add up to the raw amount of sales and refunds`, () => {
      const deal = fc.record({
        amount: fc.integer({ min: -90_000, max: 90_000 }),
        margin: fc.integer({ min: -9, max: 9 }),
      });
      fc.assert(
        fc.property(fc.array(deal, { minLength: 1, maxLength: 5 }), (values) => {
          const lines = values.map(
            ({ amount, margin }, at) => `D${at} | 2026-01-0${at + 1} | ${amount} | margin=${margin}`,
          );
          for (const { raw, parts } of tracesOf(terms, lines.join('\n'))) {
            const paid = parts.map(([rate, part]: [number | null, number]) =>
              Decimal.of(rate ?? 1).times(Decimal.of(part)),
            );
            expect(sum(paid).toNumber()).to.be.closeTo(raw, 1e-6);
          }
        }),
        { numRuns: 60 },
      );
    });

  it('are parts of the base, not of the credit', () => {
    const deals = 'D1 | 2026-01-10 | 150000 | margin=300';
    const terms = { tierMode: 'marginal', payoutBase: 'margin' };
    expect(tracesOf(terms, deals)).to.deep.equal([
      {
        base: 300,
        raw: 28,
        parts: [
          [0.08, 200],
          [0.12, 100],
        ],
      },
    ]);
  });

  it('are negative for a refund', () => {
    const deals = 'D1 | 2026-01-10 | 150000\n R1 | 2026-02-10 | -80000';
    expect(tracesOf({ tierMode: 'marginal' }, deals)[1]?.parts).to.deep.equal([
      [0.08, -30000],
      [0.12, -50000],
    ]);
    expect(tracesOf({}, deals)[1]?.parts).to.deep.equal([[0.08, -80000]]);
  });
});
