import { expect } from 'chai';
import fc from 'fast-check';
import {
  daysBetween,
  formatDay,
  formatInstant,
  formatTimestamp,
  isDay,
  isEnteredRange,
  todayIn,
} from '#web/shared/format/dates.js';
import { inWords } from '#web/shared/format/in-words.js';

const runs = { seed: 37, numRuns: 300 };

describe('days', () => {
  for (const [day, short, year, long] of [
    ['2026-06-23', '23 Jun', '23 Jun 2026', '23 June 2026'],
    ['2026-01-01', '1 Jan', '1 Jan 2026', '1 January 2026'],
    ['2026-12-31', '31 Dec', '31 Dec 2026', '31 December 2026'],
    ['2028-02-29', '29 Feb', '29 Feb 2028', '29 February 2028'],
  ] as const)
    it(`have the day first: ${long}`, () => {
      expect(formatDay(day)).to.equal(short);
      expect(formatDay(day, 'year')).to.equal(year);
      expect(formatDay(day, 'long')).to.equal(long);
    });

  for (const text of [
    '12026-01-20',
    '120120266',
    '2026-02-30',
    '2026-13-01',
    '2026-1-1',
    '0000-00-00',
    '0026-10-15',
    '',
    'soon',
  ])
    it(`a text that is no day is displayed as it is, while it is typed: ${JSON.stringify(text)}`, () => {
      expect(isDay(text)).to.equal(false);
      for (const style of ['short', 'year', 'long'] as const) expect(formatDay(text, style)).to.equal(text);
    });

  it('exist for every day of the calendar, whatever its month', () => {
    const instant = fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2200, 0, 1) });
    fc.assert(
      fc.property(instant, (milliseconds) => {
        const day = new Date(milliseconds).toISOString().slice(0, 10);
        expect(isDay(day)).to.equal(true);
        expect(new Date(`${formatDay(day, 'long')} UTC`).toISOString().slice(0, 10)).to.equal(day);
      }),
      runs,
    );
  });

  for (const [from, to, days] of [
    ['2026-01-01', '2026-01-01', 0],
    ['2026-02-28', '2026-03-01', 1],
    ['2028-02-28', '2028-03-01', 2],
    ['2025-12-31', '2026-01-01', 1],
    ['2026-03-29', '2026-03-30', 1],
    ['2026-10-25', '2026-10-26', 1],
    ['2026-11-01', '2026-10-31', -1],
    ['2026-01-01', '2027-01-01', 365],
  ] as const)
    it(`are counted as days, also where the clocks change: ${from} to ${to} is ${days}`, () => {
      expect(daysBetween(from, to)).to.equal(days);
    });
});

describe('the present day', () => {
  for (const [timeZone, instant, day] of [
    ['UTC', '2026-12-31T23:59:59Z', '2026-12-31'],
    ['Pacific/Auckland', '2026-12-31T12:00:00Z', '2027-01-01'],
    ['Pacific/Kiritimati', '2026-12-31T10:00:00Z', '2027-01-01'],
    ['America/New_York', '2027-01-01T04:59:59Z', '2026-12-31'],
    ['America/New_York', '2026-03-08T04:59:59Z', '2026-03-07'],
    ['America/New_York', '2026-03-09T03:59:59Z', '2026-03-08'],
    ['America/New_York', '2026-03-09T04:00:00Z', '2026-03-09'],
    ['America/New_York', '2026-11-02T04:59:59Z', '2026-11-01'],
    ['Asia/Kolkata', '2026-06-30T18:30:00Z', '2026-07-01'],
  ] as const)
    it(`is that of the time zone: ${instant} in ${timeZone}`, () => {
      expect(todayIn(timeZone, new Date(instant))).to.equal(day);
    });
});

describe('instants', () => {
  const now = new Date('2026-06-30T12:00:00Z');
  const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString();

  for (const [seconds, words] of [
    [0, 'just now'],
    [44, 'just now'],
    [45, '1 min ago'],
    [89, '1 min ago'],
    [90, '2 min ago'],
    [3569, '59 min ago'],
    [3570, '1 h ago'],
    [3599, '1 h ago'],
    [3600, '1 h ago'],
    [5400, '2 h ago'],
    [84_000, '23 h ago'],
  ] as const)
    it(`of the last day are written as their distance: ${seconds} seconds ago is ${words}`, () => {
      expect(formatInstant(secondsAgo(seconds), now)).to.equal(words);
    });

  for (const seconds of [-60, -1, 86_400, 90_000])
    it(`in the future or before the last day have day and time: ${seconds} seconds ago`, () => {
      expect(formatInstant(secondsAgo(seconds), now)).to.equal(formatTimestamp(secondsAgo(seconds)));
    });

  describe('in the time zone of the reader', () => {
    const before = process.env['TZ'];

    after(() => {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    });

    for (const [timeZone, instant, words] of [
      ['America/New_York', '2020-07-02T13:02:00Z', '2 Jul 2020, 09:02'],
      ['America/New_York', '2020-01-01T04:30:00Z', '31 Dec 2019, 23:30'],
      ['America/New_York', '2020-11-01T05:30:00Z', '1 Nov 2020, 01:30'],
      ['America/New_York', '2020-11-01T06:30:00Z', '1 Nov 2020, 01:30'],
      ['America/New_York', '2020-03-08T07:00:00Z', '8 Mar 2020, 03:00'],
      ['Asia/Kolkata', '2020-06-30T18:30:00Z', '1 Jul 2020, 00:00'],
    ] as const)
      it(`${instant} in ${timeZone} is ${words}`, () => {
        process.env['TZ'] = timeZone;
        expect(formatTimestamp(instant)).to.equal(words);
      });
  });
});

describe('a range of days while it is entered', () => {
  it('is complete with days in order, or without a bound', () => {
    expect(isEnteredRange('2026-02-10', '2026-02-10')).to.equal(true);
    expect(isEnteredRange(null, '2026-02-10')).to.equal(true);
    expect(isEnteredRange('2026-02-10', null)).to.equal(true);
    expect(isEnteredRange('2026-02-11', '2026-02-10')).to.equal(false);
  });

  it('is not complete while the year is typed', () => {
    for (const year of ['0002', '0020', '0202']) expect(isEnteredRange(`${year}-02-10`, null)).to.equal(false);
    expect(isEnteredRange('2026-02', null)).to.equal(false);
  });
});

describe('instants in a text of the service', () => {
  it('have the day and the time of the reader', () => {
    const instant = '2020-07-02T13:02:00.000Z';
    expect(inWords(`At ${instant}.`)).to.equal(`At ${formatTimestamp(instant)}.`);
    expect(inWords('At 2020-07-02T99:02:00Z.')).to.equal('At 2 Jul 2020T99:02:00Z.');
  });
});
