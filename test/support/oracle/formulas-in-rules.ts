import fc from 'fast-check';

const operand = fc.constantFrom(
  'amount',
  'acv',
  'margin',
  'seats',
  '[mrr]',
  'value',
  'region',
  '2',
  '0.5',
  '1000',
  '0',
);

/** Exact values, quotients without an end, and values that are missing or too large. */
const expression = fc.oneof(
  fc.tuple(operand, fc.constantFrom('+', '-', '*', '/'), operand).map((words) => words.join(' ')),
  fc.tuple(fc.constantFrom('min', 'max', 'default'), operand, operand).map(([name, a, b]) => `${name}(${a}, ${b})`),
  fc.tuple(operand, operand, operand).map(([a, b, c]) => `${a} * (1 - default(${b}, 0.1)) - ${c} / 3`),
  fc.tuple(operand, operand).map(([a, b]) => `round(abs(-${a}) / default(${b}, 7), 2)`),
);

const formula = fc
  .tuple(fc.constantFrom('amount', 'acv', 'seats'), fc.constantFrom('+', '*', '-'), expression)
  .map(([field, sign, rest]) => `= default(${field}, 1) ${sign} (${rest})`);

const condition = fc.record({
  field: formula,
  fieldType: fc.constantFrom('number', 'currency'),
  operator: fc.constantFrom('gt', 'gte', 'lt', 'lte', 'not_equals', 'is_set', 'is_not_set'),
  value: fc.constantFrom(0, 500, 1000, 2500, 999.99),
});

function perhaps<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(value, { nil: undefined, freq: 1 });
}

const formulasOfRule = fc.record({
  measure: perhaps(formula),
  base: perhaps(formula),
  tierValue: perhaps(formula),
  credit: perhaps(formula),
  condition: perhaps(condition),
});

interface FieldsOfRule {
  measure?: string;
  baseField?: string;
  payoutBase?: string;
  tierValueField?: string;
  quotaMeasure?: string;
  quotaCredit?: { field: string }[];
  conditions?: object[];
}

/** The configs with formulas in the place of fields that their rules name, and conditions on formulas. */
export function withFormulas(config: fc.Arbitrary<object>, ruleCount: number): fc.Arbitrary<object> {
  const ofRules = fc.array(formulasOfRule, { minLength: ruleCount, maxLength: ruleCount });
  return fc.tuple(config, ofRules).map(([posted, all]) => ({
    ...posted,
    rules: (posted as { rules: FieldsOfRule[] }).rules.map((rule, index) => {
      const found = all[index];
      return found === undefined ? rule : { ...rule, ...replacedFields(rule, found) };
    }),
  }));
}

type FormulasOfRule = typeof formulasOfRule extends fc.Arbitrary<infer T> ? T : never;

function replacedFields(rule: FieldsOfRule, found: FormulasOfRule): FieldsOfRule {
  const { measure, baseField, payoutBase, tierValueField, quotaMeasure, quotaCredit, conditions = [] } = rule;
  return {
    ...replaced('measure', measure, found.measure),
    ...replaced('baseField', baseField, found.measure),
    ...replaced('payoutBase', payoutBase, found.base),
    ...replaced('tierValueField', tierValueField, found.tierValue),
    ...replaced('quotaMeasure', quotaMeasure, found.credit),
    ...(quotaCredit === undefined || found.credit === undefined
      ? {}
      : {
          quotaCredit: quotaCredit.map((each, index) =>
            index === 0 ? { ...each, field: found.credit as string } : each,
          ),
        }),
    ...(found.condition === undefined ? {} : { conditions: [...conditions, found.condition] }),
  };
}

const noFields = ['1', 'variable_target', '_earned'];

function replaced(name: keyof FieldsOfRule, slug: string | undefined, by: string | undefined): FieldsOfRule {
  return slug === undefined || by === undefined || noFields.includes(slug) ? {} : { [name]: by };
}
