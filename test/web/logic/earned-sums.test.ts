import { expect } from 'chai';
import { changeSince, type EarnedSums, earnedParts, earnedTotal, leavesOut } from '#web/features/fx/earned-sum.js';

const earned = (total: number) => ({ total, commission: total, bonus: 0, adjustments: 0 });
const sums: EarnedSums = {
  currency: 'USD',
  earnings: earned(1000),
  otherCurrencies: [{ currency: 'GBP', earnings: earned(500.33) }],
};
const rate = { from: 'GBP', to: 'USD', day: '2026-01-31', rate: 1.25 };

describe('what was earned in several currencies', () => {
  it('is one sum with each part and its rate', () => {
    const converted = { ...sums, converted: { total: 1625.41, rates: [rate], missing: [] } };
    expect(earnedTotal(converted)).to.equal(1625.41);
    expect(earnedParts(converted).map((part) => part.replaceAll('\u00a0', ' '))).to.deep.equal([
      'USD 1,000.00',
      '+ GBP 500.33 × 1.25, the rate of 31 January 2026',
    ]);
    const open = {
      ...converted,
      converted: { total: 1, rates: [{ ...rate, provisional: true as const }], missing: [] },
    };
    expect(earnedParts(open)[1]).to.contain('the latest rate so far');
  });

  it('is apart without a rate, and says so', () => {
    const missing = { ...sums, converted: { total: null, rates: [], missing: ['GBP'] } };
    expect([earnedTotal(missing), leavesOut(missing)]).to.deep.equal([1000, true]);
    expect(earnedParts(missing).map((part) => part.replaceAll('\u00a0', ' '))).to.deep.equal([
      'GBP 500.33 apart: no exchange rate to USD',
    ]);
  });

  it('is listed by currency in a workspace without rates', () => {
    expect([earnedTotal(sums), leavesOut(sums)]).to.deep.equal([1000, false]);
    expect(earnedParts(sums).map((part) => part.replaceAll('\u00a0', ' '))).to.deep.equal(['GBP 500.33']);
  });

  it('changes in the only currency of a person, whatever the rates do', () => {
    const inPounds = (total: number, converted: number) => ({
      ...{ earnings: earned(0), otherCurrencies: [{ currency: 'GBP', earnings: earned(total) }] },
      converted: { total: converted, rates: [rate], missing: [] },
    });
    expect(changeSince(inPounds(500, 660), inPounds(500, 625), 'USD')).to.deep.equal({ amount: '0', currency: 'GBP' });
    const both = { ...inPounds(500, 660), earnings: earned(10) };
    expect(changeSince(both, inPounds(500, 625), 'USD')).to.deep.equal({ amount: '35', currency: 'USD' });
  });
});
