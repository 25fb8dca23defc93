import { expect } from 'chai';
import { adaptedTest } from '#web/features/plans/adapted-test.js';
import { moreValues, renamedValue, shownValue, typedValue, withValue } from '#web/features/plans/test-deal.js';

const columns = { dealId: 'd1', amount: 1, stage: 'Won', closeDate: '2026-01-15' };

describe('a deal of a plan test', () => {
  it('has its properties and fields as more values, and no column twice', () => {
    expect(moreValues({ ...columns, rep: 'Ann', fields: { region: 'EMEA' } })).to.deep.equal([
      ['rep', 'Ann'],
      ['region', 'EMEA'],
    ]);
    expect(moreValues(columns)).to.deep.equal([]);
  });

  it('keeps properties beside its fields, and drops what is removed', () => {
    const one = withValue(withValue(columns, 'region', 'EMEA'), 'currency', 'EUR');
    expect(one).to.deep.equal({ ...columns, fields: { region: 'EMEA' }, currency: 'EUR' });
    expect(withValue(withValue(one, 'region', undefined), 'currency', undefined)).to.deep.equal(columns);
  });

  it('keeps a value when its field changes', () => {
    const one = { ...columns, fields: { region: 'EMEA', seats: 3 } };
    expect(renamedValue(one, 'region', 'segment')).to.deep.equal({ ...columns, fields: { segment: 'EMEA', seats: 3 } });
    expect(renamedValue(one, 'seats', 'name')).to.deep.equal({ ...columns, fields: { region: 'EMEA' }, name: 3 });
    expect(renamedValue({ ...columns, rep: 'Ann' }, 'rep', 'region')).to.deep.equal({
      ...columns,
      fields: { region: 'Ann' },
    });
  });

  it('has values of the type of the field', () => {
    expect(typedValue('1,000', 'number')).to.equal(1000);
    expect(typedValue('many', 'number')).to.equal('many');
    expect(typedValue('yes', 'checkbox')).to.equal(true);
    expect(typedValue('12', 'text')).to.equal('12');
    expect([12.5, false, ['a', 'b'], 'x', undefined].map(shownValue)).to.deep.equal(['12.5', 'no', 'a, b', 'x', '']);
  });
});

describe('a test that is adapted to its plan', () => {
  const test = {
    name: 'Example',
    deals: [],
    expected: [
      { ruleName: 'New business', dealId: 'a', amount: 100 },
      { ruleName: 'New business', dealId: 'b', amount: 200 },
      { ruleName: 'Bonus', amount: 50 },
    ],
    total: 350,
  };
  const failure = { trace: null, unpaid: [] };

  it('expects what the plan pays where an expectation failed, and keeps the others', () => {
    const failed = [
      { ...failure, name: 'Example', ruleName: 'New business', dealId: 'b', expected: 200, actual: 0 },
      { ...failure, name: 'Example', ruleName: null, dealId: null, expected: 350, actual: 150 },
      { ...failure, name: 'Another', ruleName: 'Bonus', dealId: null, expected: 50, actual: 7 },
    ];
    const adapted = adaptedTest(test, failed);
    expect(adapted.expected.map(({ amount }) => amount)).to.deep.equal([100, 0, 50]);
    expect(adapted.total).to.equal(150);
  });
});
