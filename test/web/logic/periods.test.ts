import { expect } from 'chai';
import fc from 'fast-check';
import {
  countedPeriod,
  daysOf,
  formatMonth,
  formatPeriod,
  isPeriod,
  type PeriodLength,
  periodAt,
  periodsOfYear,
  setFiscalYears,
  shiftPeriod,
  shortPeriod,
  toMonth,
  toPeriodLength,
} from '#web/shared/format/periods.js';

const runs = { seed: 37, numRuns: 300 };
const lengths = [1, 3, 6, 12] as const;
const day = fc
  .integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2100, 0, 1) })
  .map((instant) => new Date(instant).toISOString().slice(0, 10));
const length = fc.constantFrom<PeriodLength>(...lengths);

describe('periods', () => {
  for (const text of ['2026', '2026-01', '2026-12', '2026-Q1', '2026-Q4', '2026-H1', '2026-H2'])
    it(`${text} is one`, () => {
      expect(isPeriod(text)).to.equal(true);
    });

  for (const text of [
    '',
    '26',
    '2026-0',
    '2026-00',
    '2026-13',
    '2026-1',
    '2026-Q0',
    '2026-Q5',
    '2026-H3',
    'foo',
    '2026-06-30',
    ' 2026',
    null,
    undefined,
    2026,
  ])
    it(`${JSON.stringify(text) ?? 'nothing'} is none`, () => {
      expect(isPeriod(text)).to.equal(false);
    });

  for (const [period, from, to] of [
    ['2026-01', '2026-01-01', '2026-01-31'],
    ['2026-02', '2026-02-01', '2026-02-28'],
    ['2028-02', '2028-02-01', '2028-02-29'],
    ['2100-02', '2100-02-01', '2100-02-28'],
    ['2026-04', '2026-04-01', '2026-04-30'],
    ['2026-12', '2026-12-01', '2026-12-31'],
    ['2028-Q1', '2028-01-01', '2028-03-31'],
    ['2026-Q4', '2026-10-01', '2026-12-31'],
    ['2026-H1', '2026-01-01', '2026-06-30'],
    ['2026-H2', '2026-07-01', '2026-12-31'],
    ['2026', '2026-01-01', '2026-12-31'],
    ['foo', '', ''],
  ] as const)
    it(`have a first and a last day: ${period} is ${from} to ${to}`, () => {
      expect(daysOf(period)).to.deep.equal({ from, to });
    });

  for (const [period, count, result] of [
    ['2026-12', 1, '2027-01'],
    ['2026-01', -1, '2025-12'],
    ['2026-01', -13, '2024-12'],
    ['2026-Q4', 1, '2027-Q1'],
    ['2026-Q1', -1, '2025-Q4'],
    ['2026-H2', 1, '2027-H1'],
    ['2026-H1', -1, '2025-H2'],
    ['2026', 1, '2027'],
    ['2026-06', 0, '2026-06'],
    ['foo', 1, 'foo'],
  ] as const)
    it(`follow each other across the end of a year: ${period} and ${count} is ${result}`, () => {
      expect(shiftPeriod(period, count)).to.equal(result);
    });

  for (const [period, long, short] of [
    ['2026-06', 'June 2026', 'June'],
    ['2026-Q2', 'Q2 2026', 'Q2'],
    ['2026-H1', 'First half of 2026', 'First half of 2026'],
    ['2026-H2', 'Second half of 2026', 'Second half of 2026'],
    ['2026', '2026', '2026'],
    ['foo', 'foo', 'foo'],
  ] as const)
    it(`are written in words: ${period} is ${long}`, () => {
      expect(formatPeriod(period)).to.equal(long);
      expect(shortPeriod(period)).to.equal(short);
    });

  it('of a day contain the day, and their neighbours do not', () => {
    fc.assert(
      fc.property(day, length, (on, of) => {
        const period = periodAt(on, of);
        expect(toPeriodLength(period)).to.equal(of);
        expect(isPeriod(period)).to.equal(true);
        const { from, to } = daysOf(period);
        expect(from <= on && on <= to).to.equal(true);
        expect(daysOf(shiftPeriod(period, 1)).from > to).to.equal(true);
        expect(daysOf(shiftPeriod(period, -1)).to < from).to.equal(true);
      }),
      runs,
    );
  });

  it('leave no day between them', () => {
    fc.assert(
      fc.property(day, length, (on, of) => {
        const { to } = daysOf(periodAt(on, of));
        const next = new Date(Date.parse(`${to}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
        expect(daysOf(shiftPeriod(periodAt(on, of), 1)).from).to.equal(next);
      }),
      runs,
    );
  });

  it('are where they were after as many steps back', () => {
    fc.assert(
      fc.property(day, length, fc.integer({ min: -500, max: 500 }), (on, of, count) => {
        const period = periodAt(on, of);
        expect(shiftPeriod(shiftPeriod(period, count), -count)).to.equal(period);
      }),
      runs,
    );
  });

  it('of a year are its twelve months, four quarters, two halves and itself, in order', () => {
    expect(periodsOfYear(2026)).to.deep.equal({
      months: ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12'].map((month) => `2026-${month}`),
      quarters: ['2026-Q1', '2026-Q2', '2026-Q3', '2026-Q4'],
      halves: ['2026-H1', '2026-H2'],
      year: '2026',
    });
  });

  it('the month of a day has a name, also in a short form', () => {
    expect(toMonth('2026-02-28')).to.equal('2026-02');
    expect(formatMonth('2026-02', 'short')).to.equal('Feb');
    expect(formatMonth('2026-02-28', 'long')).to.equal('February');
  });
});

describe('a counted period', () => {
  it('says to which day it is counted', () => {
    expect(countedPeriod('2026-Q4', '2026-12-31', '2027-01-01')).to.equal('Q4');
    expect(countedPeriod('2026-Q4', '2026-10-31', '2026-11-27')).to.equal('Q4 to 31 October');
    expect(countedPeriod('2026', '2026-10-31', '2026-11-27')).to.equal('2026 to 31 October');
    expect(countedPeriod('2026-Q4', '2026-11-30', '2026-11-27')).to.equal('Q4 to date');
    expect(countedPeriod('2026-Q4', '2026-12-31', '2026-12-31')).to.equal('Q4 to date');
    expect(countedPeriod('2027-Q1', '2027-01-31', '2026-12-31')).to.equal('Q1 to 31 January');
  });
});

describe('periods of fiscal years', () => {
  before(() =>
    setFiscalYears([
      { year: 2026, start: '2026-02-01', pattern: '4-5-4', weeks: 52 },
      { year: 2027, start: '2027-01-31', pattern: 'months', weeks: 52 },
    ]),
  );
  after(() => setFiscalYears([]));

  it('have names', () => {
    const named = ['FY2026-P03', 'FY2026-Q1', 'FY2026-H2', 'FY2026'].map((period) => [
      formatPeriod(period),
      shortPeriod(period),
    ]);
    expect(named).to.deep.equal([
      ['P03 FY2026', 'P03'],
      ['Q1 FY2026', 'Q1 FY2026'],
      ['Second half of FY2026', 'Second half of FY2026'],
      ['FY2026', 'FY2026'],
    ]);
    expect(shortPeriod('2026-Q1')).to.equal('Q1 2026');
  });

  it('have the days of their year, and none in an unknown one', () => {
    expect(daysOf('FY2026-P02')).to.deep.equal({ from: '2026-03-01', to: '2026-04-04' });
    expect(daysOf('FY2028')).to.deep.equal({ from: '', to: '' });
    expect(periodAt('2026-04-04', 1, 'fiscal')).to.equal('FY2026-P02');
    expect(periodAt('2026-01-31', 3, 'fiscal'), 'outside of all years').to.equal('2026-Q1');
  });

  it('have neighbours of the same length', () => {
    expect(shiftPeriod('FY2026-P12', 1)).to.equal('FY2027-P01');
    expect(shiftPeriod('FY2027-Q1', -1)).to.equal('FY2026-Q4');
    expect(shiftPeriod('FY2026', 1)).to.equal('FY2027');
    expect(toPeriodLength('FY2026-P12')).to.equal(1);
  });

  it('are listed by year', () => {
    const { months, quarters, halves, year } = periodsOfYear(2026, 'fiscal');
    expect([months[2], quarters[3], halves, year]).to.deep.equal([
      'FY2026-P03',
      'FY2026-Q4',
      ['FY2026-H1', 'FY2026-H2'],
      'FY2026',
    ]);
  });

  for (const text of ['FY2026-03', '2026-P03', 'FY2026-P13', 'FY26'])
    it(`${text} is none`, () => {
      expect(isPeriod(text)).to.equal(false);
    });
});
