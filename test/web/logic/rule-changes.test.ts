import { expect } from 'chai';
import { newRule, type Rule, withChange, withMovedConditions, won } from '#web/features/plans/draft.js';
import { isNewScore, scoreSlug } from '#web/features/plans/fields.js';
import { furtherTerms, tierByChange } from '#web/features/plans/rule-changes.js';

const thresholds = (rule: Rule) => rule.tiers.map(({ minThreshold }) => minThreshold);
const tiered = (...places: number[]): Rule => ({
  ...newRule('Bonus'),
  tiers: places.map((minThreshold, tierIndex) => ({ tierIndex, minThreshold, rate: 0.1 })),
});

describe('what decides the tier of a rule', () => {
  it('counts places from 1 on when it becomes the rank, and from 0 when it is something else again', () => {
    const rule = tiered(0, 0.5, 1, 1.5);
    const ranked = withChange(rule, tierByChange(rule, 'rank'));
    expect(thresholds(ranked)).to.deep.equal([1, 2, 3, 4]);
    expect(thresholds(withChange(ranked, tierByChange(ranked, 'attainment')))).to.deep.equal([0, 1, 2, 3]);
  });

  it('leaves the thresholds alone between attainment and a value, and if the rank is chosen again', () => {
    expect(tierByChange(tiered(0, 0.5), 'value')).to.not.have.property('tiers');
    expect(tierByChange({ ...tiered(1, 3), tierBy: 'rank' }, 'rank')).to.not.have.property('tiers');
  });

  it('gives a tier of one person the place of the tier that it replaces', () => {
    const rule = {
      ...tiered(0, 1),
      tiers: [...tiered(0, 1).tiers, { tierIndex: 1, minThreshold: 1, rate: 0.2, repId: 'r' }],
    };
    expect(thresholds(withChange(rule, tierByChange(rule, 'rank')))).to.deep.equal([1, 2, 2]);
  });
});

describe('the terms that a first rule does not need', () => {
  it('has none in a new rule, and names those that are set', () => {
    expect(furtherTerms(newRule('Commission'))).to.deep.equal([]);
    expect(furtherTerms({ ...newRule('Spiff'), cap: 100, effectiveEnd: '2026-05-24', tierBy: 'rank' })).to.deep.equal([
      'tiers',
      'limits',
      'days',
    ]);
  });
});

describe('a score as the measure', () => {
  it('is what no deal has, in a rule of periods', () => {
    const rule: Rule = { ...newRule('MBO'), measure: 'mbo_points', executionPhase: 'periodic' };
    const known = [{ slug: 'MBO_points', label: 'MBO points', type: 'number' }] as never;
    expect(isNewScore(rule, [])).to.equal(true);
    expect(isNewScore(rule, known)).to.equal(false);
    expect(isNewScore({ ...rule, executionPhase: 'per_deal' }, [])).to.equal(false);
    expect(isNewScore({ ...rule, measure: '_deals' }, [])).to.equal(false);
    expect(isNewScore({ ...rule, measure: '= amount * 2' }, [])).to.equal(false);
  });

  it('has a name that becomes a field', () => {
    expect(['MBO points', ' =CSAT:Q1 ', '_x'].map(scoreSlug)).to.deep.equal(['mbo_points', 'csat_q1_', 'x']);
  });

  it('meets no condition of the plan, which the other rules take over', () => {
    const [score, sales] = [newRule('MBO'), newRule('Sales')];
    const moved = withMovedConditions({ dealConditions: [won], rules: [score, sales] }, score);
    expect(moved.dealConditions).to.deep.equal([]);
    expect(moved.rules.map(({ conditions }) => conditions)).to.deep.equal([[], [won]]);
  });
});
