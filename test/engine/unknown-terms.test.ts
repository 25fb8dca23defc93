import { expect } from 'chai';
import { calculateRep } from '#src/engine/calculate.js';
import { type CompiledVersion } from '#src/engine/compiled-plan.js';
import { compileConditions, type Leaf } from '#src/engine/condition.js';
import { fieldsIn } from '#src/engine/formula.js';
import { inputOf } from './scenario.js';
import { rule } from './small-world.js';

/** Calculates a plan whose stored rule has terms of a later release. */
function calculate(terms: object): void {
  const input = inputOf({ config: { rules: [rule()] }, deals: 'D1 | 2026-01-10 | 1000' });
  const [plan] = input.plans;
  const [version] = plan?.versions ?? [];
  if (plan === undefined || version === undefined) throw new Error('no version');
  const rules = version.rules.map((one) => ({ ...one, rule: { ...one.rule, ...terms } }));
  calculateRep({ ...input, plans: [{ ...plan, versions: [{ ...version, rules } as CompiledVersion] }] });
}

/** Compiles a stored condition with terms of a later release. */
function compile(terms: object): void {
  const leaf = { field: 'stage', fieldType: 'text', operator: 'equals', value: 'Won', ...terms } as Leaf;
  compileConditions([leaf], () => () => undefined, 'UTC');
}

describe('terms that this release cannot read', () => {
  it('fail the calculation of a rule, and pay nothing', () => {
    expect(() => calculate({ payoutMode: 'per_mile' })).to.throw('unexpected value: per_mile');
    expect(() => calculate({ tierBy: 'mood' })).to.throw('unexpected value: mood');
  });

  it('fail a condition, and decide nothing', () => {
    expect(() => compile({ operator: 'like' })).to.throw('unexpected value: like');
    for (const operator of ['equals', 'in'])
      expect(() => compile({ operator, fieldType: 'colour', value: ['Won'] }), operator).to.throw(
        'unexpected value: colour',
      );
  });

  it('fail a formula with a number that is longer than every stored one', () => {
    expect(() => fieldsIn(`= amount + ${'9'.repeat(20_001)}`)).to.throw('not a decimal number');
  });
});
