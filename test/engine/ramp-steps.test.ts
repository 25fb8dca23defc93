import { expect } from 'chai';
import { type AssignedDays, listRampSteps } from '#src/engine/effective-quota.js';

const step = (months: number, quotaPercent: number) => ({
  months,
  quotaPercent,
  variablePercent: 100,
  ratePercent: 100,
});

/** The days of the steps of a ramp of two months at 50 % and one at 75 %. */
function daysOf(assignment: Partial<AssignedDays>, from: string | null, hireDate: string | null = null) {
  const ramp = { from, steps: [step(2, 50), step(1, 75)] };
  return listRampSteps({ start: null, end: null, ramp, ...assignment }, hireDate).map(
    (listed) => `${listed.from} to ${listed.to}: ${listed.quotaPercent}`,
  );
}

describe('the steps of a ramp', () => {
  it('follow one another by whole months', () => {
    expect(daysOf({}, '2026-01-15')).to.deep.equal(['2026-01-15 to 2026-03-14: 50', '2026-03-15 to 2026-04-14: 75']);
    expect(daysOf({}, '2025-12-31')).to.deep.equal(['2025-12-31 to 2026-02-27: 50', '2026-02-28 to 2026-03-30: 75']);
  });

  it('begin with the ramp, otherwise with the assignment, otherwise with the hire date', () => {
    const start = '2026-03-01';
    const first = (...given: Parameters<typeof daysOf>) => daysOf(...given)[0]?.slice(0, 10) ?? null;
    expect(first({ start }, '2026-02-01', '2026-01-01')).to.equal('2026-02-01');
    expect(first({ start }, null, '2026-01-01')).to.equal('2026-03-01');
    expect(first({}, null, '2026-01-01')).to.equal('2026-01-01');
    expect(first({}, null)).to.equal(null);
  });

  it('are none without a ramp', () => {
    expect(listRampSteps({ start: '2026-01-01', end: null }, null)).to.deep.equal([]);
  });
});
