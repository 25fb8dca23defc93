import { expect } from 'chai';
import {
  missingTables,
  newRule,
  type Rule,
  toConfig,
  toTerms,
  withChange,
  withTables,
} from '#web/features/plans/draft.js';
import { isNewScore } from '#web/features/plans/fields.js';
import { splitFields } from '#web/features/plans/line-fields.js';
import {
  amountsChange,
  baseChange,
  linesChange,
  modeChange,
  paysAmounts,
  paysByTable,
  phaseChange,
  withPay,
  withTable,
} from '#web/features/plans/rule-changes.js';
import { summarizeRule } from '#web/features/plans/summary.js';
import { fieldWords, ruleSentences } from '#web/features/plans/words.js';

const ofLines = (change: Partial<Rule> = {}): Rule => {
  const rule = newRule('By product');
  return { ...withChange(rule, linesChange(rule, true)), ...change };
};

describe('a rule between whose tiers the rate rises', () => {
  it('pays the whole deal at the tier reached once its tiers pay amounts', () => {
    const rule: Rule = { ...newRule('Curve'), tierMode: 'interpolated' };
    for (const change of [amountsChange(rule), modeChange(rule, 'flat_per_event'), baseChange(rule, '1')])
      expect(change.tierMode).to.equal(paysAmounts({ ...rule, ...change }) ? 'full_rate' : undefined);
    expect(amountsChange(newRule('Flat'))).to.not.have.property('tierMode');
  });
});

describe('a rule that counts products', () => {
  it('pays on their net amount in place of a field of the deal', () => {
    expect(ofLines()).to.deep.include({ measure: 'line.amount', lines: {} });
    const counted = { ...newRule('Deals'), measure: '_deals', payoutBase: 'arr' };
    expect(withChange(counted, linesChange(counted, true)))
      .to.include({ measure: '_deals' })
      .and.not.have.property('payoutBase');
  });

  it('counts whole deals again, without anything that reads products', () => {
    const rule = ofLines({
      payoutBase: '= line.amount / line.months',
      tierBy: 'value',
      tierValueField: 'line.quantity',
      quotaCredit: [{ field: 'line.amount', weight: 2 }],
      flatPer: 'line',
    });
    const whole = withChange(rule, linesChange(rule, false));
    expect(whole).to.include({ measure: 'amount', tierValueField: 'amount' });
    expect(whole).to.not.have.any.keys('lines', 'payoutBase', 'quotaCredit', 'flatPer');
  });

  it('pays managers on products, on which the measure counts as well, and on what they earn again', () => {
    const rule = ofLines({ lines: { withoutLines: 'deal' } });
    const ofManagers = withChange(rule, phaseChange(rule, 'cascade'));
    expect(ofManagers).to.deep.include({
      executionPhase: 'cascade',
      dependsOn: '_total',
      lines: { withoutLines: 'deal' },
      measure: 'line.amount',
      payoutBase: 'line.amount',
    });
    expect(ruleSentences(ofManagers, 'USD')[0]).to.equal(
      'Pays on the net amount of each product of deals on which the people below you earn.',
    );
    expect(summarizeRule(ofManagers, 'USD')).to.equal('0 % of net amount of each product of the team');
    const onEarnings = withChange(ofManagers, linesChange(ofManagers, false));
    expect(onEarnings).to.include({ measure: '_earned' }).and.not.have.any.keys('lines', 'payoutBase');
    expect(withChange(onEarnings, linesChange(onEarnings, true))).to.deep.include({
      lines: {},
      payoutBase: 'line.amount',
    });
  });

  it('reads the further fields that products of the workspace have', () => {
    const region = { slug: 'line.sales_region', label: 'Sales region', type: 'select' } as const;
    const ofDeal = { slug: 'arr', label: 'ARR', type: 'currency' } as const;
    const { ofDeals, ofLines: ofProducts } = splitFields([ofDeal, region]);
    expect(ofDeals).to.deep.equal([ofDeal]);
    expect(ofProducts.at(-1)).to.deep.equal({ ...region, label: 'Sales region of the product', type: 'text' });
  });

  it('reads no score', () => {
    expect(isNewScore(ofLines({ executionPhase: 'periodic' }), [])).to.equal(false);
  });

  it('is one sentence more for the products that count, and for deals without any', () => {
    const conditions = [
      { field: 'line.family', fieldType: 'text', operator: 'in', value: ['software', 'services'] },
    ] as const;
    const rule = ofLines({ lines: { conditions, withoutLines: 'deal' } });
    expect(ruleSentences(rule, 'USD').slice(0, 3)).to.deep.equal([
      'Pays a share of the net amount of each product.',
      'Only products count whose product family is one of software, services.',
      'A deal without products is paid as one product with its amount.',
    ]);
    expect(ruleSentences(ofLines({ payoutMode: 'flat_per_event', flatPer: 'unit' }), 'USD')[0]).to.equal(
      'Pays a fixed amount for every unit of a product.',
    );
  });

  it('is written and read as a config', () => {
    const rule = ofLines({
      lines: { withoutLines: 'deal' },
      tiers: withTable(newRule('By product'), 'Products', 'base'),
    });
    expect(toTerms(toConfig({ dealConditions: [], rules: [rule] })).rules).to.deep.equal([rule]);
  });

  it('has words for every field of products', () => {
    const labels = splitFields([]).ofLines.map(({ label }) => label);
    expect(new Set(labels).size).to.equal(labels.length);
    expect(labels).to.include.members(['Product family', 'Net amount of the product', 'Unit price of the product']);
    expect(fieldWords('rep.tenure_months')).to.equal('Months of service');
  });
});

describe('the tests of a plan', () => {
  it('are sent with the rate tables that the rules name, and keep those that they have', () => {
    const rules = [ofLines({ tiers: withTable(newRule('By product'), 'Products', undefined) })];
    const test = { name: 'One deal', deals: [], expected: [] };
    const own = { ...test, tables: [{ name: 'products' }] };
    const terms = { dealConditions: [], rules };
    expect(missingTables({ terms, tests: [] })).to.deep.equal([]);
    expect(missingTables({ terms, tests: [own] })).to.deep.equal([]);
    expect(missingTables({ terms, tests: [own, test] })).to.deep.equal(['Products']);
    expect(withTables([own, test], [{ name: 'Products' }])).to.deep.equal([
      own,
      { ...test, tables: [{ name: 'Products' }] },
    ]);
  });
});

describe('the rates of a table', () => {
  const tables = withTable(newRule('By product'), 'Products', undefined);

  it('take the place of rates and amounts, and give it back', () => {
    expect(tables).to.deep.equal([{ tierIndex: 0, minThreshold: 0, table: 'Products' }]);
    const rule = ofLines({ tiers: tables });
    expect(paysByTable(rule)).to.equal(true);
    expect(withPay(rule, true)).to.deep.equal([{ tierIndex: 0, minThreshold: 0, flatAmount: 0 }]);
    expect(withPay(rule, false, [{ tierIndex: 0, minThreshold: 0, rate: 0.07 }])[0]).to.include({ rate: 0.07 });
  });

  it('stay where they are multiplied by the attainment', () => {
    expect(modeChange(ofLines({ tiers: tables }), 'rate_times_attainment').tiers).to.deep.equal(tables);
  });

  it('are named in the sentences and the summary of a rule', () => {
    const rule = ofLines({ tiers: tables });
    expect(ruleSentences(rule, 'USD')).to.include('The rate of each product is in the rate table Products.');
    expect(summarizeRule(rule, 'USD')).to.equal('rates of Products of net amount of each product');
  });
});
