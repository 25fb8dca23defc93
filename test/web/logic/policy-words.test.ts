import { expect } from 'chai';
import { type Policy } from '#web/api/finance-queries.js';
import { describePolicy, exampleOfPolicy } from '#web/features/finance/policy-words.js';

describe('a policy of capitalised cost in words', () => {
  const policy: Policy = {
    name: 'Contracts',
    version: 1,
    status: 'proposed',
    from: '2026-01',
    position: 1,
    match: {},
    scope: 'new',
    treatment: 'capitalise',
    period: { months: 36 },
    start: 'earned',
    convention: 'full_month',
    correction: 'catch_up',
    expedientMonths: 12,
    payrollTax: false,
    warnings: [],
    proposedBy: 'rep:R1',
    approvedBy: null,
  };
  const books = [{ currency: 'USD' }];
  const example = (terms: Partial<Policy>) => exampleOfPolicy({ ...policy, ...terms }, books);

  it('has the cost, the months, the amount of a month and the last month', () => {
    expect(example({})).to.equal('4,800.00 for 36 months: 133.33 a month until December 2028');
  });

  it('ends a month later if it begins with the month after the earned one', () => {
    expect(example({ convention: 'next_month' })).to.contain('until January 2029');
  });

  it('counts by days without a last month', () => {
    expect(example({ convention: 'daily' })).to.equal('4,800.00 for 36 months: 133.33 a month on average, by days');
  });

  it('is expense at once where the months are at most those of the expedient', () => {
    expect(example({ period: { months: 12 } })).to.equal('4,800.00 for 12 months: expense at once');
    expect(example({ period: { months: 12 }, expedientMonths: 0 })).to.contain('400.00 a month');
  });

  it('has no example where the contract decides, or nothing is amortised', () => {
    expect([example({ period: { contract: true } }), example({ treatment: 'expense' })]).to.deep.equal([null, null]);
  });

  it('has the decimals of the currency of the books', () => {
    expect(exampleOfPolicy(policy, [{ currency: 'JPY' }])).to.contain('4,800 for 36 months: 133 a month');
  });

  it('says which rows it decides about', () => {
    expect(describePolicy({ ...policy, match: { ruleNames: ['New', 'Upsell'] }, scope: 'all' })).to.equal(
      'from January 2026, New, Upsell, also earlier ones, are amortised over 36 months from the month it is earned in on',
    );
  });
});
