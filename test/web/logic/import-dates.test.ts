import { expect } from 'chai';
import fc from 'fast-check';
import { readDates, readPeriod } from '#web/features/imports/dates.js';
import { isPeriod, periodAt, setFiscalYears } from '#web/shared/format/periods.js';

describe('the dates of a column', () => {
  for (const [title, cells, format, shownBy] of [
    ['a day above 12 comes first', ['13/01/2026', '01/02/2026'], 'DMY', 1],
    ['a day above 12 comes second', ['1/13/2026', '1/14/26', '2/1/2026'], 'MDY', 2],
    ['dots', ['31.12.2026'], 'DMY', 1],
    ['dashes', ['12-31-26'], 'MDY', 1],
    ['a time behind them', ['1/31/2026 09:00', '31/1/2026T09:00', '1/31/26, 9 am'], 'MDY', 2],
    ['both orders are possible', ['1/2/2026', '12/12/2026'], null, 0],
    ['the year comes first', ['2026-01-31', '2026-02-01'], 'ISO', 2],
    ['no cell is a date', ['soon', ''], 'ISO', 2],
    ['there is no cell', [], 'ISO', 0],
    ['other text is among them', ['n/a', '', '31/01/2026'], 'DMY', 1],
    ['numbers that are no dates are among them', ['1/2/3', '45/1234', '31/01/2026'], 'DMY', 1],
  ] as const)
    it(`are read by what their cells show: ${title}`, () => {
      expect(readDates(cells)).to.deep.equal({ format, shownBy });
    });
});

describe('the period that a text names', () => {
  for (const [text, period] of [
    ['2026', '2026'],
    ['FY2026', '2026'],
    ['FY2026-Q1', 'FY2026-Q1'],
    ['Q1 FY2026', 'FY2026-Q1'],
    ['FY2026-P05', 'FY2026-P05'],
    ['FY2026 May', null],
    ['FY 2026', '2026'],
    ['2026-Q1', '2026-Q1'],
    ['Q1 2026', '2026-Q1'],
    ['q4/2026', '2026-Q4'],
    ['2026 Q2', '2026-Q2'],
    ['2Q 2026', '2026-Q2'],
    ['H1 2026', '2026-H1'],
    ['2026H2', '2026-H2'],
    ['2026-01', '2026-01'],
    ['1/2026', '2026-01'],
    ['12/2026', '2026-12'],
    ['Jan 2026', '2026-01'],
    ['January 2026', '2026-01'],
    ['Sept 2026', '2026-09'],
    ['Sep-26', '2026-09'],
    ["Dec '26", '2026-12'],
    ['Q3 26', '2026-Q3'],
    ['Q3-26', '2026-Q3'],
    ['FY26', '2026'],
    ['  may 2026 ', '2026-05'],
    ['2026-Jun', '2026-06'],
    ['December, 2026', '2026-12'],
  ] as const)
    it(`${JSON.stringify(text)} is ${period}`, () => {
      expect(readPeriod(text)).to.equal(period);
    });

  it('a year with FY is that of the fiscal years, where there are any', () => {
    setFiscalYears([{ year: 2026, start: '2026-02-01', pattern: 'months', weeks: 52 }]);
    expect(['FY2026', 'FY26', '2026'].map(readPeriod)).to.deep.equal(['FY2026', 'FY2026', '2026']);
    setFiscalYears([]);
  });

  for (const text of [
    '',
    'Q1',
    'January',
    'Q5 2026',
    'H3 2026',
    '2026-13',
    '2026-00',
    '20261',
    '12026-01',
    '2026-01-31',
    '2025 to 2026',
    'Marketing 2026',
    'Mayor 2026',
    'Decision 2026',
    'Septic 26',
    'Deals 2026',
    'Week 5 2026',
    'Top 26',
    'May 26',
    '26',
    '1/26',
    'Amount',
  ])
    it(`${JSON.stringify(text)} names none`, () => {
      expect(readPeriod(text)).to.equal(null);
    });

  it('is read from every period as the service writes it', () => {
    const day = fc.integer({ min: Date.UTC(1950, 0, 1), max: Date.UTC(2099, 0, 1) });
    fc.assert(
      fc.property(day, fc.constantFrom(1, 3, 6, 12), (instant, length) => {
        const period = periodAt(new Date(instant).toISOString().slice(0, 10), length);
        expect(readPeriod(period)).to.equal(period);
      }),
      { seed: 37, numRuns: 200 },
    );
  });

  it('is a period or nothing, whatever the text', () => {
    const text = fc.string({
      unit: fc.constantFrom('q', 'h', '1', '2', '0', '6', 'm', 'a', 'y', ' ', '-', '/', 'f', 'Q'),
    });
    fc.assert(
      fc.property(text, (one) => {
        const period = readPeriod(one);
        expect(period === null || isPeriod(period)).to.equal(true);
      }),
      { seed: 37, numRuns: 2000 },
    );
  });
});
