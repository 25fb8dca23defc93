import { expect } from 'chai';
import { type Line, type Statement } from '#web/api/queries.js';
import { approvedAttainment } from '#web/features/statements/approved-attainment.js';
import { plan } from './samples.js';

describe('the attainment of an approved statement', () => {
  const line = (change: Partial<Line>) =>
    ({
      ...{
        kind: 'commission_earned',
        planId: 'AE',
        ruleId: 'new',
        ruleName: 'New',
        period: '2026-Q4',
        attainment: null,
      },
      ...change,
    }) as Line;
  const lineItems = [
    line({ attainment: 0.9 }),
    line({ attainment: 1.256 }),
    line({ attainment: 0.2, period: '2026' }),
    line({ attainment: 0.3, ruleName: 'Renewals', ruleId: 'renewals' }),
    line({ attainment: null, kind: 'clawback' }),
  ];
  const of = (change: Partial<Statement>) =>
    approvedAttainment(
      { status: 'approved', period: '2026-10', lineItems, ...change },
      { planId: 'AE', measure: 'Sales', period: '2026-Q4' },
      [plan('AE', [{ name: 'New', quotaGroup: 'Sales' }])],
    );

  it('is that of its last line of the measure', () => {
    expect(of({})).to.equal(1.256);
  });

  it('is that of today for a draft, without lines, and after a correction in the period', () => {
    expect(of({ status: 'draft' })).to.equal(null);
    expect(of({ lineItems: [] })).to.equal(null);
    expect(of({ lineItems: [...lineItems, line({ kind: 'true_up' })] })).to.equal(null);
    expect(of({ lineItems: [...lineItems, line({ kind: 'true_up', sourcePeriod: '2026-09' })] })).to.equal(1.256);
  });
});
