import { expect } from 'chai';
import { calculationSteps } from '#src/engine/calculate.js';
import { compileConditions, explainSeen, type Leaf, withoutRepetitions } from '#src/engine/condition.js';
import { computePlanCost, maxPlanCost } from '#src/engine/plan-cost.js';
import { fieldReader } from '#src/engine/slug.js';
import { inputOf, run } from './scenario.js';

const leaf = (value: unknown, change: Partial<Leaf> = {}): Leaf => ({
  field: 'stage',
  fieldType: 'text',
  operator: 'equals',
  value,
  ...change,
});
const tier = { tierIndex: 0, minThreshold: 0, rate: 0.1 };
const rule = (name: string, conditions: unknown[] = []) => ({ name, measure: 'amount', conditions, tiers: [tier] });
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

describe('the cost of a plan', () => {
  it('counts the conditions of the plan once for each rule', () => {
    const dealConditions = [leaf('a'), { operator: 'or', rules: [leaf('b'), leaf('c')] }];
    const rules = [rule('One'), rule('Two', [leaf('d')])];
    expect(computePlanCost({ dealConditions, rules })).to.equal(3 + 1 + (3 + 1 + 1));
  });

  it('counts long lists of values, tiers and credits', () => {
    const long = leaf(
      many(1000, (at) => `v${at}`),
      { operator: 'in' },
    );
    expect(computePlanCost({ rules: [rule('One', [long])] })).to.equal(1 + 21);
    const credits = many(50, () => ({ field: 'x' }));
    const tiers = many(500, () => tier);
    expect(computePlanCost({ rules: [{ ...rule('One'), tiers, quotaCredit: credits }] })).to.equal(1 + 50 + 50);
  });

  it('counts what is read of lines, and rate tables, five times', () => {
    const lines = { conditions: [leaf('a'), leaf('b')] };
    const measure = '= line.amount * 2';
    expect(computePlanCost({ rules: [{ ...rule('One'), lines, measure }] })).to.equal(1 + 5 * (3 + 2));
    const tiers = ['A', 'A', 'B'].map((table) => ({ ...tier, table }));
    expect(computePlanCost({ rules: [{ ...rule('One'), tiers }] })).to.equal(1 + 5 * 2);
  });

  it('is 0 for a config that is no plan', () => {
    for (const config of [null, 1, 'x', [], { rules: 1 }, { rules: {} }]) expect(computePlanCost(config)).to.equal(0);
    expect(
      computePlanCost({ dealConditions: [null], rules: [null, { conditions: [null, { rules: [null] }] }] }),
    ).to.equal(1 + 1 + (1 + 1 + 2));
  });
});

describe('the calculation of an expensive plan', () => {
  const days = many(1000, (at) => new Date(Date.UTC(2020, 0, 1 + at)).toISOString().slice(0, 10));
  let reads = 0;
  const countedDays = new Proxy(days, {
    get: (list, key) => {
      if (/^\d+$/.test(String(key))) reads += 1;
      return Reflect.get(list, key);
    },
  });
  const noDay = (at: number) => leaf(countedDays, { field: `date${at}`, fieldType: 'date', operator: 'not_in' });

  it('reads the operands of a list once and not once for each deal', () => {
    const conditions = compileConditions(many(50, noDay), (slug) => fieldReader(slug, {}, {}), 'UTC');
    const deal = {
      dealId: 'd',
      closeDate: '2026-01-01',
      fields: Object.fromEntries(many(50, (at) => [`date${at}`, '2026-01-01'])),
      standard: {},
    };
    const compiled = reads;
    for (let round = 0; round < 10; round += 1) expect(conditions.passes(deal, '2026-01-01')).to.equal(true);
    expect(reads).to.equal(compiled);
  });

  it('reads the operands of stored explanations once', () => {
    const stored = many(50, noDay);
    const seen = many(50, () => '2026-01-01');
    explainSeen(stored, seen, '2026-01-01', 'UTC');
    const compiled = reads;
    for (let round = 0; round < 10; round += 1) explainSeen(stored, seen, '2026-01-01', 'UTC');
    expect(reads).to.equal(compiled);
  });

  it('compares texts literally: an operand is no regular expression', () => {
    const passes = (operator: Leaf['operator'], operand: string, text: string) =>
      compileConditions([leaf(operand, { field: 'x', operator })], (slug) => fieldReader(slug, {}, {}), 'UTC').passes(
        { dealId: 'd', closeDate: '2026-01-01', fields: { x: text }, standard: {} },
        '2026-01-01',
      );
    // As a regular expression, the first operand does not match its own text.
    for (const operand of ['(a+)+$', '(a|a)*b', '.*.*.*='])
      for (const operator of ['contains', 'equals'] as const) {
        expect(passes(operator, operand, operand), operand).to.equal(true);
        expect(passes(operator, operand, `${'a'.repeat(10_000)}!`), operand).to.equal(false);
      }
  });

  it('finds values of every type in a list', () => {
    const deal = {
      dealId: 'd',
      closeDate: '2026-01-01',
      fields: { n: '1.50', d: '2026-01-01', c: 'Yes', l: ['a', 'B'] },
    };
    const passes = (field: string, fieldType: Leaf['fieldType'], value: unknown[]) =>
      compileConditions(
        [leaf(value, { field, fieldType, operator: 'in' })],
        (slug) => fieldReader(slug, {}, {}),
        'UTC',
      ).passes({ ...deal, standard: {} }, '2026-01-01');
    expect(passes('n', 'number', [1, '1.5'])).to.equal(true);
    expect(passes('n', 'number', [1, 2])).to.equal(false);
    expect(passes('d', 'date', ['2026-01-01'])).to.equal(true);
    expect(passes('d', 'date', ['2026-01-02'])).to.equal(false);
    expect(passes('c', 'checkbox', [true])).to.equal(true);
    expect(passes('c', 'checkbox', ['no'])).to.equal(false);
    expect(passes('l', 'select', ['b'])).to.equal(true);
    expect(passes('missing', 'date', ['2026-01-01'])).to.equal(false);
  });

  it('explains the conditions of the plan once for each deal, without long operands and values', () => {
    const config = {
      dealConditions: [leaf(days, { operator: 'in' })],
      rules: many(10, (at) => rule(`R${at}`)),
    };
    const { outcomes } = run({ config, deals: 'd1 | 2026-01-15 | 100 |' });
    expect(outcomes).to.have.lengthOf(10);
    const [first] = outcomes;
    for (const { reason, conditions } of outcomes) {
      expect(reason).to.equal('deal_condition_failed');
      expect(conditions).to.equal(first?.conditions);
      expect(conditions[0]).to.have.all.keys('field', 'operator', 'seen', 'passed');
    }
    const [long] = explainSeen([leaf('x')], ['y'.repeat(10_000)], '2026-01-01', 'UTC');
    expect(String(long?.seen)).to.have.lengthOf(101);
  });

  it('stores long values in part, with the result of the comparison', () => {
    const long = 'y'.repeat(1_000);
    const list = many(100, (at) => `value ${at}`);
    const conditions = [
      leaf('y', { field: 'x', operator: 'contains' }),
      leaf(`${long}z`, { field: 'x', operator: 'contains' }),
      leaf('value 99', { field: 'list', fieldType: 'select' }),
    ];
    const deal = { dealId: 'd', closeDate: '2026-01-01', fields: { x: long, list }, standard: {} };
    const set = compileConditions(conditions, (slug) => fieldReader(slug, {}, {}), 'UTC');
    const stored = JSON.stringify(withoutRepetitions(set.seen(deal, '2026-01-01')));
    expect(stored.length).to.be.lessThan(350);
    const explained = explainSeen(conditions, JSON.parse(stored), '2026-01-01', 'UTC');
    expect(explained.map(({ passed }) => passed)).to.deep.equal([true, false, true]);
    expect(explained[0]?.seen).to.equal(`${'y'.repeat(100)}…`);
    expect(explained[2]?.seen).to.include('value 3').and.not.to.include('value 99');
    expect(explained).to.deep.equal(set.explain(deal, '2026-01-01'));
  });

  it('runs in at least one step for each deal', () => {
    const rules = many(50, (at) =>
      rule(
        `R${at}`,
        many(50, () => leaf('lost', { operator: 'not_equals' })),
      ),
    );
    expect(computePlanCost({ rules })).to.be.within(maxPlanCost / 2, maxPlanCost);
    const deals = many(300, (at) => `d${at} | 2026-01-15 | 100 |`).join('\n');
    const steps = calculationSteps(inputOf({ config: { rules }, deals }));
    let count = 0;
    while (steps.next().done !== true) count += 1;
    expect(count).to.be.at.least(300);
  });
});
