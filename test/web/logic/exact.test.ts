import { expect } from 'chai';
import fc from 'fast-check';
import { absolute, difference, multiplyAmounts, signOf, sumAmounts } from '#web/shared/format/exact.js';

/** Decimal texts with at most ten decimals, as the API returns amounts. */
const decimalText = fc
  .tuple(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.integer({ min: 0, max: 10 }))
  .map(([units, places]) => textWith(units, places));

function textWith(units: bigint, places: number): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  return `${units < 0n ? '-' : ''}${whole}${places === 0 ? '' : `.${digits.slice(-places)}`}`;
}

const runs = { seed: 37, numRuns: 300 };

describe('exact numbers', () => {
  for (const [amounts, total] of [
    [[], '0'],
    [[0], '0'],
    [[-0], '0'],
    [['-0.00'], '0'],
    [[0.1, 0.2], '0.3'],
    [[1.005, 1.005], '2.01'],
    [['0.0000000001', '-0.0000000001'], '0'],
    [[1e-10, 2e-10], '0.0000000003'],
    [[-1e-7], '-0.0000001'],
    [['12345678901234567.89', '0.01'], '12345678901234567.9'],
    [[1e21, 1], '1000000000000000000001'],
    [[-1.5e22], '-15000000000000000000000'],
    [['1.5', '-3'], '-1.5'],
  ] as const)
    it(`add up to the last decimal: ${amounts.join(' + ') || 'nothing'} is ${total}`, () => {
      expect(sumAmounts(amounts)).to.equal(total);
    });

  it('add up to the same sum in every order', () => {
    fc.assert(
      fc.property(fc.array(decimalText, { maxLength: 8 }), (amounts) => {
        expect(sumAmounts([...amounts].reverse())).to.equal(sumAmounts(amounts));
      }),
      runs,
    );
  });

  it('differ by what must be added to the second to get the first', () => {
    fc.assert(
      fc.property(decimalText, decimalText, (one, other) => {
        expect(sumAmounts([difference(one, other), other])).to.equal(sumAmounts([one]));
      }),
      runs,
    );
  });

  it('have the sign of their difference to zero, and an absolute value without it', () => {
    fc.assert(
      fc.property(decimalText, (amount) => {
        expect(signOf(amount)).to.equal(Math.sign(Number(amount)) + 0);
        expect(sumAmounts([absolute(amount)])).to.equal(
          signOf(amount) < 0 ? difference(0, amount) : sumAmounts([amount]),
        );
      }),
      runs,
    );
  });

  for (const [one, other, product] of [
    [0, 0.08, '0'],
    ['1000.00', 0.0825, '82.5'],
    [33.335, 0.1, '3.3335'],
    [-250, '0.07', '-17.5'],
    ['0.000001', '0.000001', '0.000000000001'],
    ['12345678901234567.89', 1, '12345678901234567.89'],
    [1e-7, 1e-5, '0.000000000001'],
  ] as const)
    it(`multiply to the twelfth decimal: ${one} × ${other} is ${product}`, () => {
      expect(multiplyAmounts(one, other)).to.equal(product);
      expect(multiplyAmounts(other, one)).to.equal(product);
    });

  it('multiply the parts of a base to the product of the whole', () => {
    const cents = fc.integer({ min: -1e9, max: 1e9 }).map((units) => textWith(BigInt(units), 2));
    const rate = fc.integer({ min: 0, max: 1e6 }).map((units) => textWith(BigInt(units), 5));
    fc.assert(
      fc.property(fc.array(cents, { minLength: 1, maxLength: 6 }), rate, (parts, of) => {
        expect(sumAmounts(parts.map((part) => multiplyAmounts(part, of)))).to.equal(
          multiplyAmounts(sumAmounts(parts), of),
        );
      }),
      runs,
    );
  });
});
