import { expect } from 'chai';
import { type Line, payLines, tiersOf } from './one-deal.js';

const fixed = { tiers: tiersOf({ minThreshold: 0, flatAmount: 75 }) };
const perLine = { ...fixed, flatPer: 'line' };
const perUnit = { ...fixed, flatPer: 'unit' };
const amountOf = (terms: object, ...lines: readonly Line[]) => payLines(terms, lines).amount.toNumber();
const line = (amount: number, quantity: number | null = null): Line => ({ amount, quantity });

describe('a fixed amount of each line', () => {
  it('is paid for counted lines only', () => {
    const terms = {
      ...perLine,
      lines: { conditions: [{ field: 'line.family', fieldType: 'text', operator: 'equals', value: 'software' }] },
    };
    const lines = ['software', 'services', 'software'].map((family): Line => ({ amount: 100, family }));
    expect(amountOf(terms, ...lines)).to.equal(150);
  });

  it('is taken back for a line with a negative base', () => {
    expect(amountOf(perLine, line(300), line(-100))).to.equal(0);
    expect(amountOf(perLine, line(-100))).to.equal(-75);
  });

  it('is taken back for each line of a credit note where the base is of the deal', () => {
    const terms = { ...perLine, payoutBase: '1' };
    expect(amountOf(terms, line(100), line(200))).to.equal(150);
    expect(amountOf(terms, line(-100), line(-200))).to.equal(-150);
  });
});

describe('a fixed amount of each unit', () => {
  it('is taken back on a credit note, whatever the sign of the quantity is', () => {
    expect(amountOf(perUnit, line(-300, 3))).to.equal(-225);
    expect(amountOf(perUnit, line(-300, -3))).to.equal(-225);
    expect(amountOf(perUnit, line(-300, 3), line(100, 1)), 'with a sold line').to.equal(-150);
  });

  it('is paid by the quantity as it stands on a sale, also of a line with a negative amount', () => {
    expect(amountOf(perUnit, line(300, 3), line(-100, 1))).to.equal(300);
    expect(amountOf(perUnit, line(300, 3), line(-100, -1))).to.equal(150);
  });

  it('is not paid for a line without a quantity', () => {
    for (const amount of [100, -100]) {
      const { amount: paid, decoded, reason } = payLines(perUnit, [line(amount)]);
      expect([paid.toNumber(), decoded.lines?.[0]?.reason, reason]).to.deep.equal([
        0,
        'field_missing',
        'field_missing',
      ]);
    }
  });
});
