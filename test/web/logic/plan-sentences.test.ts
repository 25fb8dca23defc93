import { expect } from 'chai';
import { type DealLine } from '#src/engine/deal-line.js';
import { type RateTable } from '#src/engine/rate-table.js';
import { run } from '#test/engine/scenario.js';
import { type Condition, newRule, type Rule, toConfig, withChange } from '#web/features/plans/draft.js';
import { type Field, measureChoices, operatorsOf } from '#web/features/plans/fields.js';
import { splitFields } from '#web/features/plans/line-fields.js';
import { amountsChange, linesChange, modeChange, withTable } from '#web/features/plans/rule-changes.js';
import { keyFieldChoices } from '#web/features/rate-tables/head-choices.js';

const listed: readonly Field[] = [
  { slug: 'region', label: 'Region', type: 'select' },
  { slug: 'line.margin', label: 'Line margin', type: 'number' },
];
const { ofLines } = splitFields(listed);

/** A comparison that the form offers for products. */
function where(field: string, operator: string, value: string | number): Condition {
  const { type } = ofLines.find(({ slug }) => slug === field) as Field;
  expect(operatorsOf[type]).to.include(operator);
  return { field, fieldType: type, operator, value } as Condition;
}

/** A rule that counts the products that meet the conditions, by a measure that the form offers. */
function products(name: string, conditions: readonly Condition[], change: Partial<Rule>): Rule {
  const rule = withChange(newRule(name), linesChange(newRule(name), true));
  const built = withChange(rule, { ...(conditions.length === 0 ? {} : { lines: { conditions } }), ...change });
  expect(measureChoices(ofLines, undefined).map(([slug]) => slug)).to.include(built.measure);
  return built;
}

const rates = (...all: readonly (readonly [minThreshold: number, rate: number])[]): Rule['tiers'] =>
  all.map(([minThreshold, rate], tierIndex) => ({ tierIndex, minThreshold, rate }));

const table = (keys: RateTable['keys'], rows: RateTable['rows'], column = 'rate'): RateTable => ({
  name: 'Products',
  keys,
  columns: [{ name: column, kind: column === 'rate' ? 'rate' : 'perUnit' }],
  rows,
  noMatch: 'exception',
});

interface Facts {
  readonly quotas?: Readonly<Record<string, number>>;
  readonly tables?: readonly RateTable[];
}

/** What the rules pay on one deal of 50,000 in EMEA with these products, by rule. */
function paid(rules: readonly Rule[], lines: readonly Omit<DealLine, 'lineId'>[], { quotas = {}, tables = [] }: Facts) {
  const config = toConfig({ dealConditions: [], rules });
  expect(JSON.stringify(config)).to.not.include('"=');
  const offered = keyFieldChoices(listed, [], []).map(([slug]) => slug);
  expect(offered).to.include.members(tables.flatMap(({ keys }) => keys.map(({ field }) => field)));
  const { decisions } = run({
    config,
    deals: 'D | 2026-02-10 | 50000 | region=EMEA',
    lines: { D: lines.map((line, index) => ({ ...line, lineId: String(index + 1) })) },
    quotas: Object.fromEntries(Object.entries(quotas).map(([name, target]) => [`${name} 2026-Q1`, { target }])),
    tables,
  });
  return Object.fromEntries(decisions.map(({ ruleName, amount }) => [ruleName, Number(amount.toString())]));
}

const d = [
  { family: 'software', amount: 30_000 },
  { family: 'services', amount: 15_000 },
  { family: 'hardware', amount: 5_000 },
];

describe('sentences about products and rate tables are built without a formula:', () => {
  it('2 % hardware, 8 % software, only if margin > 20 %', () => {
    const ofFamily = (family: string, rate: number) =>
      products(family, [where('line.family', 'equals', family), where('line.margin', 'gt', 0.2)], {
        tiers: rates([0, rate]),
      });
    const lines = [
      { family: 'software', amount: 30_000, fields: { margin: 0.25 } },
      { family: 'software', amount: 10_000, fields: { margin: 0.1 } },
      { family: 'hardware', amount: 5_000, fields: { margin: 0.3 } },
    ];
    expect(paid([ofFamily('hardware', 0.02), ofFamily('software', 0.08)], lines, {})).to.deep.equal({
      hardware: 100,
      software: 2_400,
    });
  });

  it('rate matrix product × region × term', () => {
    const matrix = table(
      [
        { name: 'product', field: 'line.family', match: 'exact' },
        { name: 'region', field: 'region', match: 'exact' },
        { name: 'term', field: 'line.months', match: 'range' },
      ],
      [
        { keys: { product: 'software', region: 'EMEA', term: { from: 24 } }, values: { rate: 0.12 } },
        { keys: { product: 'software', region: '*', term: { to: 24 } }, values: { rate: 0.1 } },
        { keys: { product: 'services', region: '*', term: '*' }, values: { rate: 0.04 } },
      ],
    );
    const rule = products('Matrix', [], { tiers: withTable(newRule('Matrix'), 'Products', undefined) });
    const lines = [
      { family: 'software', amount: 30_000, months: 36 },
      { family: 'services', amount: 15_000 },
    ];
    expect(paid([rule], lines, { tables: [matrix] })).to.deep.equal({ Matrix: 4_200 });
  });

  it('per line item, several products a deal', () => {
    const byFamily = table(
      [{ name: 'family', field: 'line.family', match: 'exact' }],
      Object.entries({ software: 0.1, services: 0.04, hardware: 0.02 }).map(([family, rate]) => ({
        keys: { family },
        values: { rate },
      })),
    );
    const rule = products('Lines', [], { tiers: withTable(newRule('Lines'), 'Products', undefined) });
    expect(paid([rule], d, { tables: [byFamily] })).to.deep.equal({ Lines: 3_700 });
  });

  it('decelerator on discount > 20 %', () => {
    const usual = products('Usual', [where('line.discount', 'lte', 0.2)], { tiers: rates([0, 0.1]) });
    const discounted = products('Discounted', [where('line.discount', 'gt', 0.2)], { tiers: rates([0, 0.05]) });
    const lines = [
      { amount: 30_000, discount: 0.25 },
      { amount: 10_000, discount: 0.2 },
    ];
    expect(paid([usual, discounted], lines, {})).to.deep.equal({ Usual: 1_000, Discounted: 1_500 });
  });

  it('amount per unit by tiers', () => {
    const rule = products('Units', [], { measure: 'line.quantity', tiers: rates([0, 0], [1, 0]), flatPer: 'unit' });
    const { tiers = [], ...change } = amountsChange(rule);
    const built = withChange(rule, {
      ...change,
      tiers: tiers.map((tier, index) => ({ ...tier, flatAmount: index === 0 ? 5 : 8 })),
    });
    const sold = (quantity: number) => paid([built], [{ amount: 50_000, quantity }], { quotas: { Units: 100 } });
    expect([sold(80), sold(120)]).to.deep.equal([{ Units: 400 }, { Units: 960 }]);
  });

  it('accelerators by product line', () => {
    const ofFamily = (family: string, low: number, high: number) =>
      products(family, [where('line.family', 'equals', family)], { tiers: rates([0, low], [1, high]) });
    const quotas = { software: 25_000, services: 20_000 };
    expect(paid([ofFamily('software', 0.1, 0.14), ofFamily('services', 0.04, 0.05)], d, { quotas })).to.deep.equal({
      software: 4_200,
      services: 600,
    });
  });

  it('bonus for multi-year prepay', () => {
    const conditions = [where('line.months', 'gte', 24), where('line.recurring', 'equals', 'prepaid')];
    const rule = products('Prepay', conditions, { tiers: rates([0, 0]) });
    const { tiers = [], ...change } = modeChange(rule, 'flat_per_event');
    const built = withChange(rule, { ...change, tiers: tiers.map((tier) => ({ ...tier, flatAmount: 500 })) });
    const lines = [
      { amount: 30_000, months: 36, recurring: 'prepaid' },
      { amount: 15_000, months: 36, recurring: 'monthly' },
    ];
    expect(paid([built], lines, {})).to.deep.equal({ Prepay: 500 });
    expect(paid([built], lines.slice(1), {})).to.deep.equal({});
  });
});
