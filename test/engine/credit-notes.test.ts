import { expect } from 'chai';
import { decode, tiersOf } from './one-deal.js';
import { run } from './scenario.js';

const bySeats = {
  tierBy: 'value',
  tierValueField: 'seats',
  tiers: tiersOf({ minThreshold: 0, rate: 0.05, name: 'Small' }, { minThreshold: 10, rate: 0.08, name: 'Large' }),
};
const variableTarget = { 'New 2026-Q1': { target: 100_000, variableTarget: 1_000 } };

/** Amount, tier and reason of each deal under one rule. */
function paid(terms: object, deals: string, quotas = {}) {
  const config = { rules: [{ name: 'New', measure: 'amount', ...terms }] };
  const { decisions, outcomes } = run({ config, deals, quotas });
  return decisions.map(({ amount, tierName }, index) => [amount.toNumber(), tierName, outcomes[index]?.reason]);
}

describe('a credit note under tiers by value', () => {
  it('is as large as the sale that it mirrors', () => {
    expect(paid(bySeats, 'R | 2026-01-10 | -1000 | seats=-12')).to.deep.equal([[-80, 'Large', null]]);
    expect(paid(bySeats, 'R | 2026-01-10 | -1000 | seats=12')).to.deep.equal([[-80, 'Large', null]]);
  });

  it('reaches no tier with a negative value if it takes nothing back', () => {
    const onMargin = { ...bySeats, payoutBase: 'margin' };
    for (const margin of [0, 50])
      expect(paid(onMargin, `R | 2026-01-10 | -1000 | seats=-12, margin=${margin}`), String(margin)).to.deep.equal([
        [0, null, 'below_lowest_tier'],
      ]);
  });

  it('takes back the fixed amount of the tier of its own value, whatever the credit before it is', () => {
    const tiers = tiersOf({ minThreshold: 0, flatAmount: 100, name: 'Small' }, { minThreshold: 10, flatAmount: 300 });
    expect(paid({ ...bySeats, tiers }, 'R | 2026-01-10 | -1000 | seats=12')).to.deep.equal([[-300, null, null]]);
  });
});

describe('a credit note on the variable target', () => {
  const terms = { payoutBase: 'variable_target', tiers: tiersOf({ minThreshold: 0, rate: 0.1, name: 'Base' }) };

  it('takes a part of the target back', () => {
    expect(paid(terms, 'R | 2026-01-10 | -1000', variableTarget)).to.deep.equal([[-100, 'Base', null]]);
  });

  it('takes nothing back without a target, and says why', () => {
    const { decisions, outcomes } = run({
      config: { rules: [{ name: 'New', measure: 'amount', ...terms }] },
      deals: 'R | 2026-01-10 | -1000',
    });
    expect([decisions.length, outcomes[0]?.reason]).to.deep.equal([0, 'variable_target_missing']);
  });
});

describe('the limits of a credit note', () => {
  const flat = { tiers: tiersOf({ minThreshold: 0, rate: 0.1 }) };
  const limitsOf = (terms: object, deals: string) =>
    run({
      config: { rules: [{ name: 'New', measure: 'amount', ...flat, ...terms }] },
      deals,
      quotas: variableTarget,
    }).decisions.map((decision) => decode(decision).limits);

  it('are the same multiple of the variable target below 0 as above', () => {
    expect(limitsOf({ capMultiplier: 0.5 }, 'R | 2026-01-10 | -9000')).to.deep.equal([
      [{ kind: 'cap_multiplier', bound: -500, before: -900, after: -500 }],
    ]);
  });

  it('are no floor', () => {
    expect(limitsOf({ floor: 50 }, 'R | 2026-01-10 | -100')).to.deep.equal([[]]);
  });
});
