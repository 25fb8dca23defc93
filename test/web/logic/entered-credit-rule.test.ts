import { expect } from 'chai';
import { type CreditRule } from '#web/api/credit-queries.js';
import { describeLines, describeRule, readRule, toEnteredRule } from '#web/features/deals/entered-credit-rule.js';

const rule: CreditRule = {
  creditRuleId: 'rule',
  name: 'SE overlay',
  kind: 'overlay',
  role: 'SE',
  personField: 'sales_engineer',
  percent: 100,
  percentField: null,
  conditions: [],
  effectiveStart: '2026-01-01',
  effectiveEnd: null,
};

describe('a credit rule while it is entered', () => {
  it('is sent as it was stored', () => {
    const { creditRuleId: _, ...terms } = rule;
    expect(readRule(toEnteredRule(rule))).to.deep.equal(terms);
    const byField = { ...terms, percent: null, percentField: 'se_share' };
    expect(readRule(toEnteredRule({ ...rule, percent: null, percentField: 'se_share' }))).to.deep.equal(byField);
  });

  it('is not sent while something is missing', () => {
    const entered = toEnteredRule(rule);
    expect(readRule(toEnteredRule(null))).to.equal(null);
    for (const name of ['name', 'personField', 'percent'] as const)
      expect(readRule({ ...entered, [name]: ' ' }), name).to.equal(null);
    expect(readRule({ ...entered, percent: '0' })).to.equal(null);
    expect(readRule({ ...entered, effectiveEnd: '2026-13-01' })).to.equal(null);
  });

  it('is one sentence, with the labels of fields', () => {
    const labels: Readonly<Record<string, string>> = { sales_engineer: 'Sales engineer', se_share: 'SE share' };
    const describeIt = (change: Partial<CreditRule>) =>
      describeRule({ ...rule, ...change }, (slug) => labels[slug] ?? slug);
    expect(describeIt({})).to.equal(
      'The person in Sales engineer gets 100 % of a deal in addition to the splits, as SE, for close dates from 1 Jan 2026.',
    );
    const isLarge = { field: 'amount', fieldType: 'number', operator: 'gt', value: 1000 };
    expect(describeIt({ conditions: [isLarge], effectiveStart: null })).to.match(/, as SE, where Amount .*1,000\.$/);
    expect(
      describeIt({ kind: 'split', role: null, percent: null, percentField: 'se_share', effectiveStart: null }),
    ).to.equal('The person in Sales engineer gets the percentage in SE share of a deal, which the owner gives up.');
  });

  it('shows who is credited on a deal', () => {
    expect(describeLines([])).to.equal('no person');
    expect(
      describeLines([
        { repId: 'a', repName: 'Ann', percent: 60 },
        { repId: null, repName: null, percent: 40 },
      ]),
    ).to.equal('Ann 60 %, The house 40 %');
  });
});
