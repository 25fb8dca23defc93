import { expect } from 'chai';
import { endedPeriod, payPeriodOn } from '#web/app/ended-period.js';
import { setFiscalYears } from '#web/shared/format/periods.js';

describe('the period that ended last', () => {
  const monthly = { from: '2026-01-01', period: 'monthly', calendar: 'calendar' } as const;
  const quarterly = { from: '2026-07-01', period: 'quarterly', calendar: 'calendar' } as const;

  it('is the month before without payouts, and before the first pay period', () => {
    expect(endedPeriod('2026-11-30')).to.equal('2026-10');
    expect(endedPeriod('2026-01-01')).to.equal('2025-12');
    expect(endedPeriod('2026-06-30', [quarterly])).to.equal('2026-05');
  });

  it('is the pay period before, whose kind may differ from that of the present one', () => {
    expect(endedPeriod('2026-11-30', [quarterly])).to.equal('2026-Q3');
    expect(endedPeriod('2026-09-30', [quarterly])).to.equal('2026-06');
    expect(endedPeriod('2026-11-30', [monthly])).to.equal('2026-10');
    expect(endedPeriod('2026-08-15', [monthly, quarterly])).to.equal('2026-06');
    expect(
      endedPeriod('2026-07-15', [
        { ...quarterly, from: '2026-01-01' },
        { ...monthly, from: '2026-07-01' },
      ]),
    ).to.equal('2026-Q2');
  });

  it('is the one before the pay period of the day', () => {
    expect(payPeriodOn('2026-11-30')).to.equal('2026-11');
    expect(payPeriodOn('2026-06-30', [quarterly])).to.equal('2026-06');
    expect(payPeriodOn('2026-11-30', [quarterly])).to.equal('2026-Q4');
  });

  describe('of a fiscal year', () => {
    before(() => setFiscalYears([{ year: 2026, start: '2026-02-01', pattern: '4-5-4', weeks: 52 }]));
    after(() => setFiscalYears([]));

    it('has the name that statements have', () => {
      expect(endedPeriod('2026-11-30', [{ ...quarterly, calendar: 'fiscal' }])).to.equal('FY2026-Q3');
    });
  });
});
