import { expect } from 'chai';
import fc from 'fast-check';
import { amountProblem } from '#web/shared/format/amounts.js';
import { readNumber, writeNumber } from '#web/shared/format/entered-numbers.js';
import { formatMoney, formatNumber } from '#web/shared/format/numbers.js';

const runs = { seed: 37, numRuns: 500 };

describe('a number that a person enters', () => {
  for (const [text, value] of [
    ['0', 0],
    ['-0', 0],
    ['250', 250],
    ['-99.50', -99.5],
    ['+12', 12],
    ['.5', 0.5],
    ['5.', 5],
    ['007', 7],
    ['4,761.28', 4761.28],
    ['1,234', 1234],
    ['1.234', 1.234],
    ['0,125', 0.125],
    ['1,5', 1.5],
    ['1.234,56', 1234.56],
    ['1,234,567', 1234567],
    ['1.234.567', 1234567],
    ['1.234.567,89', 1234567.89],
    ['1,23,456', 123456],
    ['1 234,56', 1234.56],
    ['1\u00a0234\u202f567,8', 1234567.8],
    ["1'234.50", 1234.5],
    ['1’234.50', 1234.5],
    ['$280,000', 280000],
    ['-$500.00', -500],
    ['$-500.00', -500],
    ['−$500.00', -500],
    ['(500.00)', -500],
    ['($1,234.50)', -1234.5],
    ['500-', -500],
    ['USD 1,234.50', 1234.5],
    ['1.234,50 €', 1234.5],
    ['1.234,50 EUR', 1234.5],
    ['CA$12', 12],
    ['1 200 kr.', 1200],
    ['¥1,235', 1235],
    ['１２３', 123],
  ] as const)
    it(`is read with its currency, sign and separators: ${JSON.stringify(text)} is ${value}`, () => {
      expect(readNumber(text)).to.equal(value);
    });

  for (const text of [
    '',
    ' ',
    '-',
    '.',
    ',',
    '$',
    'abc',
    '1e5',
    'NaN',
    'Infinity',
    '12k',
    '250 k',
    '12 %',
    '--5',
    '(-5)',
    '-5-',
    '(5',
    '5)',
    '1,2,3',
    '1.2.3',
    '1,23.456,7',
    '12,34,5',
    '1.5-2',
    '9'.repeat(400),
    '0x10',
    '2026-01-31',
  ])
    it(`is not guessed from ${JSON.stringify(text.slice(0, 20))}`, () => {
      expect(readNumber(text)).to.equal(null);
    });

  it('may be written as the page displays amounts', () => {
    const cents = fc.integer({ min: -1e11, max: 1e11 });
    const currencies = [
      ['USD', 2],
      ['EUR', 2],
      ['JPY', 0],
      ['KWD', 3],
      ['CHF', 2],
      ['SEK', 2],
      ['PLN', 2],
      ['CZK', 2],
    ] as const;
    fc.assert(
      fc.property(cents, fc.constantFrom(...currencies), (units, [currency, places]) => {
        const amount = units / 10 ** places + 0;
        for (const unit of ['symbol', 'code', 'none'] as const)
          expect(readNumber(formatMoney(amount, currency, { unit }))).to.equal(amount);
        expect(readNumber(formatMoney(amount, currency, { signed: true }))).to.equal(amount);
      }),
      { ...runs, numRuns: 100 },
    );
  });

  it('may be written as the page displays counts and rates', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), (millionths) => {
        expect(readNumber(formatNumber(millionths / 1e6))).to.equal(millionths / 1e6 + 0);
      }),
      runs,
    );
  });

  it('is read as it is filled in', () => {
    const value = fc.double({ min: -1e12, max: 1e12, noNaN: true }).filter((number) => Math.abs(number) > 1e-3);
    fc.assert(
      fc.property(value, (number) => {
        expect(readNumber(writeNumber(number))).to.equal(number);
      }),
      runs,
    );
  });

  it('is filled in as nothing where there is none', () => {
    expect(writeNumber(undefined)).to.equal('');
  });
});

describe('an amount that a person enters', () => {
  for (const text of ['', '  ', '250', '-99.50', '4,761.28', '$4,761.28', '(500.00)', '−12'])
    it(`is accepted: ${JSON.stringify(text)}`, () => {
      expect(amountProblem(text)).to.equal(null);
    });

  for (const text of ['0', '0.00', '-0', 'abc', '12 apples', '1e3'])
    it(`is rejected if it pays nothing or is no number: ${JSON.stringify(text)}`, () => {
      expect(amountProblem(text)).to.match(/^Enter a number such as 250/);
    });
});
