import { expect } from 'chai';
import fc from 'fast-check';
import { readLines } from '#web/features/fx/rates.js';
import { readPeriod } from '#web/features/imports/dates.js';
import { amountProblem } from '#web/shared/format/amounts.js';
import { formatDay, formatTimestamp } from '#web/shared/format/dates.js';
import { readNumber, writeNumber } from '#web/shared/format/entered-numbers.js';
import { formatCompact, formatMoney, formatNumber } from '#web/shared/format/numbers.js';
import { formatMonth, formatPeriod, shortPeriod } from '#web/shared/format/periods.js';

const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');
const runs = { seed: 37, numRuns: 500 };

describe('for a reader whose browser is German', () => {
  for (const [amount, currency, text] of [
    [1234.5, 'EUR', '1.234,50 €'],
    [-1234.5, 'USD', '−1.234,50 $'],
    [1234, 'JPY', '1.234 ¥'],
    [1.5, 'KWD', '1,500 KWD'],
  ] as const)
    it(`amounts have the separators of the reader: ${text}`, () => {
      expect(plain(formatMoney(amount, currency))).to.equal(text);
    });

  for (const [text, value] of [
    ['4.761,28', 4761.28],
    ['4,761.28', 4761.28],
    ['280.000', 280000],
    ['1.234.567', 1234567],
    ['1,234', 1.234],
    ['99,5', 99.5],
    ['99.5', 99.5],
    ['0.125', 0.125],
    ['1.234,50 €', 1234.5],
    ['(500,00)', -500],
  ] as const)
    it(`a single separator before three digits is read as the reader writes it: ${text} is ${value}`, () => {
      expect(readNumber(text)).to.equal(value);
      expect(amountProblem(text)).to.equal(null);
    });

  it('a pasted exchange rate may not have a point before three digits, which can be one between thousands', () => {
    const read = (rate: string) => readLines(`USD KRW 2026-02-02 ${rate}`);
    expect(read('1.385')).to.deep.equal({
      problem: 'The rate 1.385 in line 1 can be 1385 or 1.385: write 1385 or 1.3850.',
    });
    expect(read('1,385')).to.have.nested.property('rates[0].rate', '1.385');
    expect(read('1.0837')).to.have.nested.property('rates[0].rate', '1.0837');
  });

  it('a number may be entered as the page displays it, and as it is filled in', () => {
    const cents = fc.integer({ min: -1e11, max: 1e11 }).map((units) => units / 100);
    fc.assert(
      fc.property(cents, (amount) => {
        expect(readNumber(formatMoney(amount, 'EUR'))).to.equal(amount + 0);
        expect(readNumber(formatNumber(amount))).to.equal(amount + 0);
        expect(readNumber(writeNumber(amount / 10))).to.equal(amount / 10 + 0);
      }),
      runs,
    );
  });

  it('all words are English, as the rest of the page', () => {
    expect(formatMonth('2026-10', 'long')).to.equal('October');
    expect(formatMonth('2026-03', 'short')).to.equal('Mar');
    expect(formatPeriod('2026-10')).to.equal('October 2026');
    expect(shortPeriod('2026-05')).to.equal('May');
    expect(formatDay('2026-12-31')).to.equal('31 Dec');
    expect(formatDay('2026-12-31', 'year')).to.equal('31 Dec 2026');
    expect(formatDay('2026-12-31', 'long')).to.equal('31 December 2026');
    expect(formatTimestamp('2020-10-15T12:00:00Z')).to.match(/^15 Oct 2020, /);
  });

  it('months in a file may be German or English', () => {
    expect(['Oktober 2026', 'Dez-26', 'Mär 2026', 'Juni 2026', 'May 2026'].map(readPeriod)).to.deep.equal([
      '2026-10',
      '2026-12',
      '2026-03',
      '2026-06',
      '2026-05',
    ]);
  });

  it('compact amounts have the separators of the reader, and letters of English words', () => {
    expect([0, 5000, 10_000, 1_250_000].map((amount) => plain(formatCompact(amount, 'USD')))).to.deep.equal([
      '0 $',
      '5k $',
      '10k $',
      '1,3M $',
    ]);
  });
});
