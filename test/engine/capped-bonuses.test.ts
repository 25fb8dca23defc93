import { expect } from 'chai';
import { tiersOf } from './one-deal.js';
import { run } from './scenario.js';

const quotas = { 'New 2026-Q1': { target: 100_000 } };
const steps = tiersOf({ minThreshold: 0.5, flatAmount: 500 }, { minThreshold: 1, flatAmount: 2_000 });

/** The amount and what the cap cut off, by deal. */
function paid(terms: object, deals: string) {
  const config = { rules: [{ name: 'New', measure: 'amount', cap: 600, ...terms }] };
  const { decisions } = run({ config, deals, quotas });
  return decisions.map(({ amount, cutOff }) => [amount.toNumber(), cutOff.toNumber()]);
}

describe('what a cap cuts off', () => {
  const deals = 'D1 | 2026-01-10 | 60000\nD2 | 2026-01-11 | 60000';

  it('is kept for credit notes by rules that pay deals', () => {
    const tiers = tiersOf({ minThreshold: 0, rate: 0.009 });
    expect(paid({ tiers }, deals)).to.deep.equal([
      [540, 0],
      [60, 480],
    ]);
  });

  it('is lost for bonuses of the period', () => {
    for (const payoutMode of ['stepped_bonus', 'flat_per_tier'])
      expect(paid({ payoutMode, tiers: steps }, deals), payoutMode).to.deep.equal([
        [500, 0],
        [100, 0],
      ]);
  });
});
