import { expect } from 'chai';
import { chained, drawYear, followingYear, isWhole, yearDays } from '#web/features/fiscal/years.js';

const weeks = { year: 2026, start: '2026-02-01', pattern: '4-5-4', weeks: 52 } as const;

describe('fiscal years that are edited', () => {
  it('follow each other: a longer year moves the start of the next one', () => {
    const next = { ...weeks, year: 2030, start: '2030-01-01' };
    expect(chained([weeks, next])[1]).to.include({ year: 2027, start: '2027-01-31' });
    expect(chained([{ ...weeks, weeks: 53 }, next])[1]).to.include({ year: 2027, start: '2027-02-07' });
    expect(chained([{ ...weeks, pattern: 'months', weeks: 53 }])[0]).to.include({ weeks: 52 });
  });

  it('begin with the present year of the calendar, and a further year is divided as the last one', () => {
    expect(followingYear([], '2026-06-01')).to.deep.equal({ ...weeks, start: '2026-01-01', pattern: 'months' });
    expect(followingYear([{ ...weeks, weeks: 53 }], '2026-06-01')).to.include({
      year: 2027,
      pattern: '4-5-4',
      weeks: 52,
    });
  });

  it('are not drawn while the number or the first day of the first one is typed, and the others stay', () => {
    const next = { ...weeks, year: 2027, start: '2027-01-31' };
    for (const part of [{ year: 0 }, { year: 203 }, { year: 2026.5 }, { year: 20311 }, { start: '' }]) {
      const typed = chained([{ ...weeks, ...part }, next]);
      expect(typed).to.deep.equal([{ ...weeks, ...part }, next]);
      expect(typed.map(isWhole)).to.deep.equal([false, true]);
    }
    expect(isWhole(weeks)).to.equal(true);
  });

  it('are drawn as quarters of three periods', () => {
    const quarters = drawYear(weeks);
    expect(quarters.map(({ period, days }) => [period, days])).to.deep.equal([
      ['FY2026-Q1', 91],
      ['FY2026-Q2', 91],
      ['FY2026-Q3', 91],
      ['FY2026-Q4', 91],
    ]);
    expect(quarters[0]?.periods.map(({ period, days }) => [period, days])).to.deep.equal([
      ['FY2026-P01', 28],
      ['FY2026-P02', 35],
      ['FY2026-P03', 28],
    ]);
    expect(yearDays(weeks)).to.deep.equal({ from: '2026-02-01', to: '2027-01-30' });
  });
});
