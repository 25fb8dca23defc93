import { expect } from 'chai';
import { describePlan } from '#src/plans/plan-tool-text.js';

describe('the sentence about a plan in responses of tools', () => {
  const now = { planVersionId: 'v1', version: 1, from: null, to: '2026-11-30' };
  const next = { planVersionId: 'v2', version: 2, from: '2026-12-01', to: null };
  const plan = { planId: 'p', status: 'active' as const, timeline: [now, next], inForce: now };

  it('names the days of a version that is not in force today', () => {
    expect(describePlan({ ...plan, ...now })).to.equal('Plan p, version 1 (v1), is active.');
    expect(describePlan({ ...plan, ...next })).to.equal('Plan p, version 2 (v2), is in force from 2026-12-01.');
    expect(describePlan({ ...plan, ...now, inForce: next })).to.equal(
      'Plan p, version 1 (v1), is in force to 2026-11-30.',
    );
  });
});
