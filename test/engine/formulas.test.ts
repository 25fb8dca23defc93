import { expect } from 'chai';
import { calculateRep } from '#src/engine/calculate.js';
import { formulaProblem, formulaReader, maxParts } from '#src/engine/formula.js';
import { decodeTrace } from '#src/engine/trace.js';
import { type Day } from '#src/kernel/day.js';
import { engineInput } from '#test/support/engine-world.js';
import { formulaOn } from '#test/support/oracle/fields.js';
import type { World, WorldDeal } from '#test/support/oracle/world.js';
import { Random } from '#test/support/random.js';
import { amounts, deal, ledgerOf, rule, version, world } from './small-world.js';

const flat = [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }];

/** The result of the engine and of the oracle, which are the same. */
function result(formula: string, fields: WorldDeal['fields'] = {}): string | null {
  const read = (name: string) => (Object.hasOwn(fields, name) ? (fields[name] ?? null) : null);
  const deal = { dealId: 'd', closeDate: '2026-01-05', fields: {}, standard: {} };
  const value = formulaReader(formula, (name) => () => read(name))(deal) ?? null;
  const expected = formulaOn(read, formula);
  expect(value, `${formula} ${JSON.stringify(fields)}`).to.equal(expected);
  return value as string | null;
}

describe('formulas', () => {
  it('compute products before sums, from left to right, without losing a digit', () => {
    const fields = { amount: 1000, discount: 0.1, 'List price': '0.30', n: -2 };
    const results: readonly (readonly [string, string])[] = [
      ['= amount * discount', '100'],
      ['= amount * (1 - discount)', '900'],
      ['= 2 + 3 * amount - 4', '2998'],
      ['= 100 / 10 / amount', '0.01'],
      ['= -n - -n * 2', '-2'],
      ['= [List price] * 3', '0.9'],
      ['= min(amount, 5, 7) + max(n, -3) + abs(n)', '5'],
      ['= round(amount / 7, 2)', '142.86'],
      ['= amount / 3', '333.33333333333333333333'],
      ['= default(missing, 5) * default(amount, 1)', '5000'],
      ['=amount', '1000'],
    ];
    for (const [formula, expected] of results) expect(result(formula, fields), formula).to.equal(expected);
  });

  it('are absent where a value is missing, no number, or divided by 0', () => {
    for (const formula of ['= a * 2', '= a / 0', '= 1 / a', '= 5 / (a - a)', '= round(a, 21)', '= min(a, none)'])
      for (const fields of [{}, { a: 'text' }, { a: null }, { a: true }])
        expect(result(formula, fields)).to.equal(null);
    for (const formula of ['= a / 0', '= 5 / (a - a)', '= round(a, 0.5)'])
      expect(result(formula, { a: 4 })).to.equal(null);
    expect(result('= default(a / b, 7)', { a: 1, b: 0 })).to.equal('7');
  });

  it('are too large beyond 10^15, also in between', () => {
    const fields = { a: 1e15, b: '1e400', c: 2 };
    for (const formula of ['= a * c', '= a * c / c', '= b', '= default(b, 1)', '= 0 * b', '= -a - 1'])
      expect(result(formula, fields), formula).to.equal('1e16');
    expect(result('= a / c * c', fields)).to.equal('1000000000000000');
  });

  it('are read as written, or rejected with what is wrong', () => {
    const wrong: readonly (readonly [string, string])[] = [
      ['=', 'the formula has "the end" where a value should be'],
      ['= 5', 'the formula names no field'],
      ['= amount *', 'the formula has "the end" where a value should be'],
      ['= amount amount', 'the formula has "amount" where it should end'],
      ['= (amount', 'the formula has "the end" where ")" should be'],
      ['= amount ^ 2', 'the formula cannot be read at "^ 2"'],
      ['= sqrt(amount)', 'the formula has an unknown function sqrt; there are min, max, abs, round, default'],
      ['= round(amount)', 'the formula has 1 values in round; it takes 2'],
      ['= _deals * 2', 'the formula cannot contain _deals'],
      ['= []', 'the formula has brackets without the name of a field'],
      [`= a${' + a'.repeat(maxParts)}`, `the formula has more than ${maxParts} parts`],
      [`= ${'('.repeat(30)}a${')'.repeat(30)}`, 'the formula has brackets within brackets more than 20 times'],
    ];
    for (const [formula, problem] of wrong) expect(formulaProblem(formula), formula).to.equal(problem);
    expect(formulaProblem('amount * 2')).to.equal(null);
  });

  it('of any form have the value of the oracle', () => {
    const random = new Random(11);
    const names = ['a', 'b', 'c', '[d e]', 'gone'];
    const write = (depth: number): string => {
      const kind = depth === 0 ? random.below(2) : random.below(8);
      if (kind === 0) return random.of(names);
      if (kind === 1) return random.of(['1', '2.5', '0', '.75', '1000']);
      if (kind === 2) return `-${write(depth - 1)}`;
      if (kind === 3) return `(${write(depth - 1)})`;
      if (kind === 4) return `${random.of(['min', 'max', 'default'])}(${write(depth - 1)}, ${write(depth - 1)})`;
      if (kind === 5) return `round(${write(depth - 1)}, ${random.below(4)})`;
      return `${write(depth - 1)} ${random.of(['+', '-', '*', '/'])} ${write(depth - 1)}`;
    };
    const values = [0, 1, -3, 0.1, '12.345', 1e15, '1e300', 'text', 99999.99];
    for (let count = 0; count < 3000; count += 1) {
      const formula = `= ${write(4)}`;
      if (formulaProblem(formula) !== null) continue;
      const fields = { a: random.of(values), b: random.of(values), c: random.of(values), 'd e': random.of(values) };
      result(formula, fields);
    }
  });

  describe('in plans', () => {
    const deals = [
      deal('a', '2026-01-05', { amount: 1000, discount: '0.25', region: 'x' }),
      deal('b', '2026-01-06', { amount: 2000, discount: 0 }),
      deal('c', '2026-01-07', { amount: 3000 }),
      deal('e', '2026-01-08', { amount: 4000, discount: 1e12 }),
    ];

    it('are the measure of a rule', () => {
      const rows = ledgerOf(world([rule({ measure: '= amount * (1 - discount)', tiers: flat })], { deals }));
      expect(rows.map(({ dealId, amount, base }) => [dealId, amount, base])).to.deep.equal([
        ['a', '75', '750'],
        ['b', '200', '2000'],
      ]);
    });

    it('are the base of a rule', () => {
      const net = world([rule({ payoutBase: '= amount * default(discount, 0.5)', tiers: flat })], { deals });
      expect(amounts(net)).to.deep.equal({ a: '25', b: '0', c: '150' });
    });

    it('are compared in conditions', () => {
      const condition = (operator: string, value: number) => ({
        field: '= amount * discount',
        fieldType: 'number',
        operator,
        value,
      });
      const paid = (operator: string, value: number) =>
        Object.keys(amounts(world([rule({ tiers: flat, conditions: [condition(operator, value)] })], { deals })));
      expect(paid('gte', 250)).to.deep.equal(['a']);
      expect(paid('equals', 0)).to.deep.equal(['b']);
    });

    it('sum over the deals of a periodic rule', () => {
      const periodic = rule({
        measure: '= amount * discount',
        executionPhase: 'periodic',
        attainmentPeriod: 'monthly',
        tiers: flat,
      });
      const [row] = ledgerOf(world([periodic], { deals: deals.slice(0, 3), asOf: '2026-03-01' }));
      expect(row?.amount).to.equal('25');
    });

    it('are explained by the values of their fields, in the currency of the plan', () => {
      const terms = { measure: '= amount * (1 - discount)', payoutBase: '= amount / pieces', tiers: flat };
      const explain = (of: World) => {
        const [decision] = calculateRep(engineInput(of, 'r', [])).decisions;
        const context = { conditions: [], day: '2026-01-05' as Day, timeZone: 'UTC', tierName: null, amount: 0 };
        return decodeTrace(decision?.trace ?? '', context);
      };
      const sold = deal('d', '2026-01-05', { amount: 1000, discount: '0.25', pieces: 8 });
      expect(explain(world([rule(terms)], { deals: [sold] })).formulas).to.deep.equal([
        {
          formula: '= amount * (1 - discount)',
          value: 750,
          operands: [
            { field: 'amount', value: 1000 },
            { field: 'discount', value: 0.25 },
          ],
        },
        {
          formula: '= amount / pieces',
          value: 125,
          operands: [
            { field: 'amount', value: 1000 },
            { field: 'pieces', value: 8 },
          ],
        },
      ]);
      const abroad = { ...sold, fields: { ...sold.fields, amount_currency: 'EUR' } };
      const converting = world([], {
        plans: [
          {
            planId: 'p',
            status: 'active',
            versions: [version({ rules: [rule(terms)] }, { fx: { date: 'close_date' } })],
          },
        ],
        deals: [abroad],
        fxRates: [{ from: 'EUR', to: 'USD', day: '2026-01-01', rate: '1.1' }],
      });
      const { formulas, conversions } = explain(converting);
      expect(formulas?.map(({ value }) => value)).to.deep.equal([825, 137.5]);
      expect(conversions?.[0]?.values).to.deep.equal([{ field: 'amount', value: 1000, converted: 1100 }]);
      expect(explain(world([rule({ tiers: flat })], { deals: [sold] }))).not.to.have.property('formulas');
    });

    it('pay only in the currency of the plan', () => {
      const foreign = deal('f', '2026-01-05', { amount: 1000, discount: 0.5, amount_currency: 'EUR' });
      expect(
        amounts(world([rule({ measure: '= amount * discount', tiers: flat })], { deals: [foreign] })),
      ).to.deep.equal({});
    });
  });
});
