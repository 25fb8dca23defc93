import { expect } from 'chai';
import { Decimal as DecimalJs } from 'decimal.js';
import fc from 'fast-check';
import { roundToCurrency } from '#src/kernel/currency.js';
import { Decimal } from '#src/kernel/decimal.js';

const Reference = DecimalJs.clone({ precision: 120, rounding: DecimalJs.ROUND_HALF_UP, toExpNeg: -200, toExpPos: 200 });

const decimalText = fc
  .tuple(fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n }), fc.integer({ min: 0, max: 12 }))
  .map(([mantissa, scale]) => new Reference(mantissa.toString()).times(new Reference(10).pow(-scale)).toFixed());
const small = fc
  .double({ min: -1e9, max: 1e9, noNaN: true, noDefaultInfinity: true })
  .map((value) => String(Math.round(value * 100) / 100));
const any = fc.oneof(
  decimalText,
  small,
  fc.constantFrom('0', '-0.5', '0.005', '9007199254740993', '-9007199254740992.5'),
);

const plain = (text: string) => new Reference(text).toFixed();

describe('exact decimals', () => {
  it('add, subtract, multiply and compare like an arbitrary-precision library', () => {
    fc.assert(
      fc.property(any, any, (a, b) => {
        const [x, y, p, q] = [Decimal.of(a), Decimal.of(b), new Reference(a), new Reference(b)];
        expect(x.plus(y).toString()).to.equal(plain(p.plus(q).toFixed()));
        expect(x.minus(y).toString()).to.equal(plain(p.minus(q).toFixed()));
        expect(x.times(y).toString()).to.equal(plain(p.times(q).toFixed()));
        expect(x.compare(y)).to.equal(p.comparedTo(q));
      }),
      { numRuns: 5000 },
    );
  });

  it('round half away from zero to any number of places', () => {
    fc.assert(
      fc.property(any, fc.integer({ min: 0, max: 6 }), (a, places) => {
        expect(Decimal.of(a).rounded(places).toString()).to.equal(
          plain(new Reference(a).toDecimalPlaces(places, DecimalJs.ROUND_HALF_UP).toFixed()),
        );
      }),
      { numRuns: 5000 },
    );
    expect(Decimal.of('0.005').rounded(2).toString()).to.equal('0.01');
    expect(Decimal.of('-0.005').rounded(2).toString()).to.equal('-0.01');
    expect(Decimal.of('-1.005').rounded(2).toString()).to.equal('-1.01');
  });

  it('a truncated quotient rounds like the exact one', () => {
    fc.assert(
      fc.property(any, any, (a, b) => {
        fc.pre(!Decimal.of(b).isZero());
        const exact = new Reference(a).div(new Reference(b)).toDecimalPlaces(4, DecimalJs.ROUND_HALF_UP);
        expect(Decimal.of(a).dividedBy(Decimal.of(b)).rounded(4).toString()).to.equal(plain(exact.toFixed()));
      }),
      { numRuns: 5000 },
    );
  });

  it('a JSON number has the decimal value of its text, not of its binary approximation', () => {
    expect(Decimal.of(0.1).plus(Decimal.of(0.2)).toString()).to.equal('0.3');
    expect(Decimal.of(1.005).rounded(2).toString()).to.equal('1.01');
    expect(Decimal.of(1e21).toString()).to.equal('1000000000000000000000');
    expect(Decimal.of(1e-7).toString()).to.equal('0.0000001');
  });

  it('every number has the exact value of its shortest text', () => {
    const numbers = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e100, max: 1e100 }),
      fc.double({ noNaN: true, min: -1e16, max: 1e16 }),
      fc.maxSafeInteger().map((cents) => cents / 100),
      fc.maxSafeInteger().map((mils) => mils / 1000),
      fc.constantFrom(-0, 0.1 + 0.2, 1.005, -0.01, 0.005, 9_999_999_999_999.99, 99_999_999_999_999.98, 5e-324),
    );
    fc.assert(
      fc.property(numbers, (value) => {
        fc.pre(Decimal.parse(String(value)) !== null);
        expect(Decimal.of(value).toString()).to.equal(plain(String(value)).replace(/^-0$/, '0'));
      }),
      { numRuns: 20_000 },
    );
  });

  it('text that is not a finite decimal number is rejected', () => {
    for (const text of ['', 'abc', '1,000', 'NaN', 'Infinity', '0x10', '1e99999', '--1', '.', '1_000']) {
      expect(Decimal.parse(text), text).to.equal(null);
    }
  });

  it('text without an integer part is a number, and zero with any exponent is 0', () => {
    const read = (text: string) => Decimal.parse(text)?.toString();
    expect(['.5', '-.25', '+.5e1', '0e99999', '-0.00e-99999'].map(read)).to.deep.equal(['0.5', '-0.25', '5', '0', '0']);
  });

  it('a product of long numbers is read back from its text', () => {
    const tiny = Decimal.parse('-3.7e-400') as Decimal;
    const product = tiny.times(tiny).times(Decimal.of('1e300'));
    expect(Decimal.of(product.toString()).equals(product)).to.equal(true);
    expect(Decimal.parse(product.toString())).to.equal(null);
  });

  it('are numbers in JSON', () => {
    expect(JSON.stringify({ amount: Decimal.of('1234.50'), rest: Decimal.zero })).to.equal(
      '{"amount":1234.5,"rest":0}',
    );
  });

  it('amounts round to the minor unit of their currency', () => {
    expect(roundToCurrency(Decimal.of('1234.5'), 'JPY').toString()).to.equal('1235');
    expect(roundToCurrency(Decimal.of('1234.5675'), 'BHD').toString()).to.equal('1234.568');
    expect(roundToCurrency(Decimal.of('1234.565'), 'USD').toString()).to.equal('1234.57');
  });
});
