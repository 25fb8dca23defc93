import { expect } from 'chai';
import { readPlanConfig } from '#src/engine/plan-config.js';

const tiers = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];
const ranked = { name: 'Ranked', measure: 'amount', tierBy: 'rank', tiers, quotaGroup: 'G' };
const team = { name: 'Team', executionPhase: 'cascade', tiers, quotaGroup: 'G' };

function issuesOf(...rules: object[]): string[] {
  const read = readPlanConfig({ rules });
  return 'issues' in read ? read.issues.map(({ path }) => path) : [];
}

describe('a rank that would depend on itself', () => {
  it('is rejected where what is earned below counts towards the quota by which people are ranked', () => {
    expect(issuesOf(ranked, team)).to.deep.equal(['rules.1.measure']);
    expect(issuesOf(ranked, { ...team, dependsOn: 'Ranked' })).to.deep.equal(['rules.1.measure']);
    const above = { ...team, name: 'Above', dependsOn: 'Team' };
    const below = { ...team, quotaGroup: 'Other' };
    expect(issuesOf(ranked, below, above)).to.deep.equal(['rules.2.measure']);
    const two = { ...ranked, name: 'Second', quotaGroup: 'H' };
    const crossed = [
      { ...team, dependsOn: 'Second' },
      { ...team, name: 'Team 2', quotaGroup: 'H', dependsOn: 'Ranked' },
    ];
    expect(issuesOf(ranked, two, ...crossed)).to.deep.equal(['rules.2.measure', 'rules.3.measure']);
  });

  it('is rejected where a rule of products counts only the deals on which something is earned below', () => {
    const products = { ...team, measure: 'line.amount', payoutBase: 'line.amount', quotaMeasure: 'acv', lines: {} };
    expect(issuesOf(ranked, products)).to.deep.equal(['rules.1.measure']);
    expect(issuesOf(ranked, { ...products, quotaGroup: 'H' })).to.deep.equal([]);
    expect(issuesOf({ ...ranked, tierBy: 'attainment' }, products)).to.deep.equal([]);
  });

  it('is none where the credit is a field, the rank is of another quota, or the ranked rule is no input', () => {
    expect(issuesOf(ranked, { ...team, measure: 'amount' })).to.deep.equal([]);
    expect(issuesOf(ranked, { ...team, quotaMeasure: 'amount' })).to.deep.equal([]);
    expect(issuesOf(ranked, { ...team, quotaGroup: 'H' })).to.deep.equal([]);
    expect(issuesOf({ ...ranked, quotaGroup: 'H' }, { ...team, tierBy: 'rank' })).to.deep.equal([]);
    const other = { name: 'Other', measure: 'amount', tiers };
    expect(issuesOf(ranked, other, { ...team, dependsOn: 'Other' })).to.deep.equal([]);
  });
});
