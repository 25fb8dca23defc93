import { expect } from 'chai';
import {
  type Amount,
  formatAttainment,
  formatCompact,
  formatCount,
  formatMoney,
  formatNumber,
  formatPercent,
  formatRate,
  formatUnits,
  moneyParts,
} from '#web/shared/format/numbers.js';

/** With ordinary spaces in the place of those that do not break. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

describe('money', () => {
  for (const [amount, currency, text] of [
    [0, 'USD', '$0.00'],
    [-0, 'USD', '$0.00'],
    ['-0.001', 'USD', '$0.00'],
    [1234.5, 'USD', '$1,234.50'],
    [-500, 'USD', '−$500.00'],
    ['12345678901234567.89', 'USD', '$12,345,678,901,234,567.89'],
    [0.005, 'USD', '$0.01'],
    ['-0.005', 'USD', '−$0.01'],
    [1234.5, 'EUR', '€1,234.50'],
    [1234, 'JPY', '¥1,234'],
    [1234.5, 'JPY', '¥1,235'],
    [1.5, 'KWD', 'KWD 1.500'],
    [-1.2345, 'KWD', '−KWD 1.235'],
  ] as const)
    it(`has the decimals of its currency and a true minus sign: ${amount} ${currency} is ${text}`, () => {
      expect(plain(formatMoney(amount, currency))).to.equal(text);
    });

  for (const [amount, currency, text] of [
    [12.5, 'USD', 'USD 12.50'],
    [-12.5, 'USD', '−USD 12.50'],
    [12, 'JPY', 'JPY 12'],
  ] as const)
    it(`names its currency where a page has several: ${text}`, () => {
      expect(plain(formatMoney(amount, currency, { unit: 'code' }))).to.equal(text);
    });

  for (const [amount, currency, text] of [
    [1234.5, 'USD', '1,234.50'],
    [-1234.5, 'USD', '−1,234.50'],
    [0, 'JPY', '0'],
    [1.5, 'KWD', '1.500'],
  ] as const)
    it(`has no unit in a column whose header has it: ${text}`, () => {
      expect(formatMoney(amount, currency, { unit: 'none' })).to.equal(text);
    });

  for (const [amount, text] of [
    [5, '+$5.00'],
    [-5, '−$5.00'],
    [0, '$0.00'],
    ['0.004', '$0.00'],
  ] as const)
    it(`has a sign as a change, and none without a change: ${text}`, () => {
      expect(formatMoney(amount, 'USD', { signed: true })).to.equal(text);
    });

  for (const [amount, currency, text] of [
    [1000, 'USD', '$1,000'],
    ['1000.00', 'USD', '$1,000'],
    ['1000.10', 'USD', '$1,000.10'],
    [-1000, 'KWD', '−KWD 1,000'],
    [0.01, 'USD', '$0.01'],
    [1000, 'JPY', '¥1,000'],
  ] as const)
    it(`is trimmed only if it is whole: ${text}`, () => {
      expect(plain(formatMoney(amount, currency, { trim: true }))).to.equal(text);
    });

  for (const currency of ['', 'E', 'EU', 'Euro', '$$$'])
    it(`has no unit while its currency is typed: ${JSON.stringify(currency)}`, () => {
      expect(formatMoney(-1234.5, currency)).to.equal('−1,234.50');
      expect(formatMoney(1234.5, currency, { unit: 'code' })).to.equal('1,234.50');
      expect(formatMoney(1000, currency, { trim: true })).to.equal('1,000');
      expect(formatCompact(5000, currency)).to.equal('5k');
    });

  for (const [amount, currency, whole, cents] of [
    [1234.5, 'USD', '$1,234', '.50'],
    [-0.5, 'USD', '−$0', '.50'],
    [1234, 'JPY', '¥1,234', ''],
  ] as const)
    it(`is divided where the cents begin: ${whole} and ${cents || 'nothing'}`, () => {
      expect(moneyParts(amount, currency)).to.deep.equal({ whole, cents });
    });
});

describe('compact money', () => {
  for (const [amount, currency, text] of [
    [0, 'USD', '$0'],
    [999, 'USD', '$999'],
    [5000, 'USD', '$5k'],
    [1_250_000, 'USD', '$1.3M'],
    [-2500, 'EUR', '−€2.5k'],
    [3e9, 'USD', '$3B'],
    [81_000, 'KWD', 'KWD 81k'],
    [81_000, 'CZK', 'Kč 81k'],
    [12_000_000, 'JPY', '¥12M'],
  ] as const)
    it(`writes thousands in small letters, but not those of the currency: ${amount} ${currency} is ${text}`, () => {
      expect(plain(formatCompact(amount, currency)).replace('Kč81', 'Kč 81')).to.equal(text);
    });
});

describe('numbers, ratios and counts', () => {
  for (const [value, text] of [
    [0, '0'],
    [-1234.5, '−1,234.5'],
    [0.1 + 0.2, '0.3'],
    ['9007199254740993', '9,007,199,254,740,993'],
    [1e-9, '0'],
  ] as const)
    it(`a number has at most six decimals: ${value} is ${text}`, () => {
      expect(formatNumber(value)).to.equal(text);
    });

  for (const [ratio, attainment, rate] of [
    [0, '0 %', '0 %'],
    [0.07, '7 %', '7 %'],
    [0.0825, '8.3 %', '8.25 %'],
    [1.12, '112 %', '112 %'],
    [6.814, '681.4 %', '681.4 %'],
    [-0.05, '−5 %', '−5 %'],
    ['0.29', '29 %', '29 %'],
    [1e-7, '0 %', '0 %'],
    ['0.0000001', '0 %', '0 %'],
    [1.5e-7, '0 %', '0 %'],
    [1e21, '100,000,000,000,000,000,000,000 %', '100,000,000,000,000,000,000,000 %'],
  ] as readonly (readonly [Amount, string, string])[])
    it(`${ratio} as attainment is ${attainment}, as a rate ${rate}`, () => {
      expect(plain(formatAttainment(ratio))).to.equal(attainment);
      expect(plain(formatRate(ratio))).to.equal(rate);
    });

  for (const [value, text] of [
    [0, '0'],
    [20, '20'],
    [92_586.2, '92,586.20'],
    ['77043.46', '77,043.46'],
    [-0.5, '−0.50'],
    [2.999, '3'],
    [-0.001, '0'],
  ] as const)
    it(`what counts towards a quota has two decimals or none: ${value} is ${text}`, () => {
      expect(formatUnits(value)).to.equal(text);
    });

  it('a percentage never breaks before its sign', () => {
    expect(formatPercent(0.5, 0)).to.equal('50\u00a0%');
  });

  for (const [count, text] of [
    [0, '0 people'],
    [1, '1 person'],
    [1200, '1,200 people'],
  ] as const)
    it(`a count has its noun: ${text}`, () => {
      expect(plain(formatCount(count, 'person', 'people'))).to.equal(text);
    });
});
