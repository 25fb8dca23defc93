import { expect } from 'chai';
import { isDay, readDay } from '#src/kernel/day.js';
import {
  longerKind,
  nextPeriod,
  periodKind,
  periodRange,
  periodsTouching,
  previousPeriod,
  toPeriod,
  widened,
} from '#src/kernel/period.js';

describe('days and periods', () => {
  it('a period string is a closed range of calendar days', () => {
    expect(periodRange('2026-03')).to.deep.equal({ from: '2026-03-01', to: '2026-03-31' });
    expect(periodRange('2024-02')).to.deep.equal({ from: '2024-02-01', to: '2024-02-29' });
    expect(periodRange('2026-Q1')).to.deep.equal({ from: '2026-01-01', to: '2026-03-31' });
    expect(periodRange('2026-H2')).to.deep.equal({ from: '2026-07-01', to: '2026-12-31' });
    expect(periodRange('2026')).to.deep.equal({ from: '2026-01-01', to: '2026-12-31' });
  });

  it('text of another form is not a period', () => {
    for (const text of [
      '2026-13',
      '2026-00',
      '2026-Q5',
      '2026-Q0',
      '26-01',
      '2026-1',
      '',
      '2026-H3',
      '2026-01-01',
      ' 2026',
    ]) {
      expect(periodKind(text), text).to.equal(null);
    }
  });

  it('the period of a day is the one that contains it', () => {
    expect(toPeriod('2026-02-10', 'quarterly')).to.equal('2026-Q1');
    expect(toPeriod('2026-12-31', 'semi_annual')).to.equal('2026-H2');
    expect(previousPeriod('2026-Q1')).to.equal('2025-Q4');
    expect(previousPeriod('2026-01')).to.equal('2025-12');
    expect(periodsTouching({ from: '2025-12-31', to: '2026-07-01' }, 'quarterly')).to.deep.equal([
      '2025-Q4',
      '2026-Q1',
      '2026-Q2',
      '2026-Q3',
    ]);
    expect(widened({ from: '2026-02-10', to: '2026-04-01' }, 'quarterly')).to.deep.equal({
      from: '2026-01-01',
      to: '2026-06-30',
    });
  });

  it('of two kinds of periods the longer one contains the other', () => {
    expect(longerKind('monthly', 'quarterly')).to.equal('quarterly');
    expect(longerKind('annual', 'semi_annual')).to.equal('annual');
    expect(longerKind('monthly', 'monthly')).to.equal('monthly');
  });

  it('invalid days are rejected, and instants are converted to days in a time zone', () => {
    expect(isDay('2026-02-29')).to.equal(false);
    expect(isDay('2028-02-29')).to.equal(true);
    expect(readDay('2026-01-31T23:30:00Z', 'Asia/Tokyo')).to.equal('2026-02-01');
    expect(readDay('2026-02-01T03:00:00Z', 'America/New_York')).to.equal('2026-01-31');
    expect(readDay('2026-02-01T00:30:00+0100', 'UTC')).to.equal('2026-01-31');
    for (const text of ['tomorrow', '31/12/2026', 'infinity', '2026-02-30', '2026-02-30T00:00:00Z'])
      expect(readDay(text, 'UTC'), text).to.equal(null);
  });

  it('an instant is valid only if its day is valid in every time zone', () => {
    for (const text of ['1900-01-02T00:00:00Z', '2199-12-30T23:59:59.999Z'])
      for (const zone of ['Etc/GMT+12', 'Pacific/Kiritimati', 'America/Caracas', 'UTC'])
        expect(isDay(readDay(text, zone) ?? ''), `${text} in ${zone}`).to.equal(true);
    for (const text of [
      '0000-01-01T00:00:00Z',
      '1900-01-01T05:00:00Z',
      '1900-01-02T13:00:00+14:00',
      '2199-12-31T00:00:00Z',
      '2199-12-30T13:00:00-12:00',
      '9999-12-31T23:59:59-12:00',
    ])
      expect(readDay(text, 'America/Caracas'), text).to.equal(null);
  });

  it('the first and the last period have neighbours, which are no valid input', () => {
    for (const [first, before] of [
      ['1900-01', '1899-12'],
      ['1900-Q1', '1899-Q4'],
      ['1900-H1', '1899-H2'],
      ['1900', '1899'],
    ] as const) {
      expect(previousPeriod(first)).to.equal(before);
      expect(periodRange(before).to).to.equal('1899-12-31');
      expect(periodKind(before)).to.equal(null);
    }
    expect(nextPeriod('2199-12')).to.equal('2200-01');
    expect(periodRange('2200-01').from).to.equal('2200-01-01');
    expect(periodKind('2200-01')).to.equal(null);
  });
});
