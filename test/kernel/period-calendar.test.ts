import { expect } from 'chai';
import fc from 'fast-check';
import { addDays, countDays, type DayRange, isWithin } from '#src/kernel/day.js';
import { type PeriodKind, periodKinds } from '#src/kernel/period.js';
import {
  civilCalendar,
  type FiscalYear,
  fiscalPatterns,
  kindOfPeriod,
  PeriodCalendar,
} from '#src/kernel/period-calendar.js';

const start = fc.integer({ min: 0, max: 20_000 }).map((days) => addDays('1990-01-01', days));
const shape = fc.record({
  pattern: fc.constantFrom(...fiscalPatterns),
  weeks: fc.constantFrom(52 as const, 53 as const),
});

/** Years that follow each other without a gap. */
const calendars = fc.tuple(start, fc.array(shape, { minLength: 1, maxLength: 4 })).map(([first, shapes]) => {
  const years: FiscalYear[] = [];
  let next = first;
  for (const [index, terms] of shapes.entries()) {
    const fiscal = { year: 2026 + index, start: next, ...terms };
    years.push(fiscal);
    next = addDays(new PeriodCalendar([fiscal]).range(`FY${fiscal.year}`).to, 1);
  }
  return { years, days: { from: first, to: addDays(next, -1) } };
});

const perYear: Readonly<Record<PeriodKind, number>> = { monthly: 12, quarterly: 4, semi_annual: 2, annual: 1 };

describe('fiscal years', () => {
  it('divide every day into exactly one period, quarter, half and year, without gaps and overlaps', () => {
    fc.assert(
      fc.property(calendars, ({ years, days }) => {
        const calendar = new PeriodCalendar(years);
        for (const kind of periodKinds) {
          const periods = calendar.periodsTouching(days, kind, 'fiscal');
          expect(periods).to.have.length(years.length * perYear[kind]);
          let next = days.from;
          for (const period of periods) {
            const range = calendar.range(period);
            expect(kindOfPeriod(period)).to.equal(kind);
            expect(range.from).to.equal(next);
            for (const day of [range.from, range.to]) expect(calendar.findPeriod(day, kind, 'fiscal')).to.equal(period);
            next = addDays(range.to, 1);
          }
          expect(addDays(days.to, 1)).to.equal(next);
          for (const outside of [addDays(days.from, -1), next])
            expect(calendar.findPeriod(outside, kind, 'fiscal')).to.equal(null);
        }
      }),
      { numRuns: 300, seed: 42 },
    );
  });

  it('have periods that nest: a quarter consists of three periods, a half of two quarters', () => {
    fc.assert(
      fc.property(calendars, fc.nat(2000), ({ years, days }, offset) => {
        const calendar = new PeriodCalendar(years);
        const day = addDays(days.from, offset % countDays(days));
        const ranges = periodKinds.map((kind) => calendar.range(calendar.findPeriod(day, kind, 'fiscal') as string));
        for (const [index, range] of ranges.entries()) {
          expect(isWithin(day, range)).to.equal(true);
          const longer = ranges[index + 1];
          if (longer !== undefined)
            expect([longer.from <= range.from, longer.to >= range.to]).to.deep.equal([true, true]);
        }
        const quarter = calendar.findPeriod(day, 'quarterly', 'fiscal') as string;
        const months = calendar.listMonths(quarter);
        expect(months).to.have.length(3);
        expect([months[0]?.from, months[2]?.to]).to.deep.equal(Object.values(calendar.range(quarter)));
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  it('in weeks have 52 or 53 of them, in the order of the pattern, and the last period has the extra one', () => {
    for (const pattern of fiscalPatterns.filter((name) => name !== 'months'))
      for (const weeks of [52, 53] as const) {
        const calendar = new PeriodCalendar([{ year: 2026, start: '2026-02-01', pattern, weeks }]);
        const lengths = calendar.listMonths('FY2026').map((month) => countDays(month) / 7);
        const quarter = pattern.split('-').map(Number);
        const expected = [...quarter, ...quarter, ...quarter, ...quarter];
        if (weeks === 53) expected[11] = (expected[11] as number) + 1;
        expect(lengths, `${pattern} ${weeks}`).to.deep.equal(expected);
      }
  });

  it('by months count by day of month, at the end of a month from its last day', () => {
    const calendar = new PeriodCalendar([{ year: 2026, start: '2026-01-31', pattern: 'months', weeks: 52 }]);
    expect(['P01', 'P02', 'P03', 'P12'].map((part) => calendar.range(`FY2026-${part}`))).to.deep.equal([
      { from: '2026-01-31', to: '2026-02-27' },
      { from: '2026-02-28', to: '2026-03-30' },
      { from: '2026-03-31', to: '2026-04-29' },
      { from: '2026-12-31', to: '2027-01-30' },
    ]);
  });
});

describe('a range of days', () => {
  const february = { year: 2026, start: '2026-02-01', pattern: 'months', weeks: 52 } as const;
  const calendar = new PeriodCalendar([february, { ...february, year: 2027, start: '2027-02-01' }]);
  const march: DayRange = { from: '2026-03-05', to: '2026-03-06' };
  const widened = (calendarKind: PeriodKind | null, fiscal: PeriodKind | null) =>
    Object.values(calendar.widened(march, { calendar: calendarKind, fiscal })).join(' ');

  it('is widened to whole periods of one calendar', () => {
    expect(widened('monthly', null)).to.equal('2026-03-01 2026-03-31');
    expect(widened(null, 'quarterly')).to.equal('2026-02-01 2026-04-30');
    expect(widened('monthly', 'quarterly')).to.equal('2026-02-01 2026-04-30');
  });

  it('is widened until it consists of whole periods of both calendars, up to the ends of the fiscal years', () => {
    expect(widened('quarterly', 'monthly')).to.equal('2026-01-01 2026-03-31');
    expect(widened('quarterly', 'quarterly')).to.equal('2026-01-01 2028-03-31');
    expect(widened('annual', 'annual')).to.equal('2026-01-01 2028-12-31');
  });

  it('touches years of both calendars', () => {
    expect(calendar.yearsAround(march)).to.deep.equal({ from: '2026-01-01', to: '2027-01-31' });
    expect(civilCalendar.yearsAround(march)).to.deep.equal({ from: '2026-01-01', to: '2026-12-31' });
  });

  it('has the periods of both calendars around it, and none of a workspace without fiscal years', () => {
    expect(calendar.periodsAround(march)).to.deep.equal([
      '2026-03',
      '2026-Q1',
      '2026-H1',
      '2026',
      'FY2026-P02',
      'FY2026-Q1',
      'FY2026-H1',
      'FY2026',
    ]);
    expect(civilCalendar.periodsAround(march)).to.deep.equal(['2026-03', '2026-Q1', '2026-H1', '2026']);
  });
});

describe('the periods before and after', () => {
  const calendar = new PeriodCalendar([{ year: 2026, start: '2026-02-01', pattern: '4-5-4', weeks: 52 }]);

  it('are of the same kind and calendar, and end with the fiscal years', () => {
    expect(
      ['2026-01', '2026-Q1', 'FY2026-P02', 'FY2026-Q4'].map((period) => calendar.findPrevious(period)),
    ).to.deep.equal(['2025-12', '2025-Q4', 'FY2026-P01', 'FY2026-Q3']);
    expect(calendar.findPrevious('FY2026-P01')).to.equal(null);
    expect(calendar.findNext('FY2026-H1')).to.equal('FY2026-H2');
    expect(calendar.findNext('FY2026')).to.equal(null);
  });

  it('a period of an unknown fiscal year is rejected in words', () => {
    expect(() => calendar.range('FY2027-Q1')).to.throw('no fiscal year 2027 is defined');
    expect(calendar.findRange('FY2027-Q1')).to.equal(null);
    expect(['FY1899', 'FY2026-P13', 'FY2026-P3', 'FY2026-Q5', 'fy2026'].map(kindOfPeriod)).to.deep.equal([
      null,
      null,
      null,
      null,
      null,
    ]);
  });
});
