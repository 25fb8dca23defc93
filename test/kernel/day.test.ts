import { expect } from 'chai';
import { currentDay, type DayRange, extendRange, mondayOf } from '#src/kernel/day.js';

describe('the Monday of a week', () => {
  it('is the last one up to the day, also across months and years', () => {
    const days = ['2026-02-09', '2026-02-10', '2026-02-15', '2026-02-16', '2026-03-01', '2027-01-01'];
    expect(days.map(mondayOf)).to.deep.equal([
      '2026-02-09',
      '2026-02-09',
      '2026-02-09',
      '2026-02-16',
      '2026-02-23',
      '2026-12-28',
    ]);
  });
});

describe('the range of a key', () => {
  it('covers all days that were added to it, and none of other keys', () => {
    const ranges = new Map<string, DayRange>();
    extendRange(ranges, 'a', { from: '2026-02-10', to: '2026-02-20' });
    extendRange(ranges, 'b', { from: '2026-06-01', to: '2026-06-02' });
    extendRange(ranges, 'a', { from: '2026-02-15', to: '2026-03-01' });
    extendRange(ranges, 'a', { from: '2026-01-31', to: '2026-02-01' });
    expect([...ranges]).to.deep.equal([
      ['a', { from: '2026-01-31', to: '2026-03-01' }],
      ['b', { from: '2026-06-01', to: '2026-06-02' }],
    ]);
  });
});

describe('the current day of a workspace', () => {
  const now = new Date('2026-01-31T23:30:00Z');

  it('is that of its time zone', () => {
    expect(currentDay({ timeZone: 'UTC', testDay: null }, now)).to.equal('2026-01-31');
    expect(currentDay({ timeZone: 'Asia/Tokyo', testDay: null }, now)).to.equal('2026-02-01');
  });

  it('is the test day of a sandbox', () => {
    expect(currentDay({ timeZone: 'Asia/Tokyo', testDay: '2030-05-01' }, now)).to.equal('2030-05-01');
  });
});
