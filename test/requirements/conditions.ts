import { expect } from 'chai';
import { row } from './rows.js';
import { flatTier, World } from './world.js';

interface Leaf {
  readonly field: string;
  readonly fieldType: string;
  readonly operator: string;
  readonly value?: unknown;
}

/** The row, the operator, a condition with it, and the deals that pass it. */
const operatorRows: readonly (readonly [number, Leaf, readonly string[]])[] = [
  [77, { field: 'region', fieldType: 'text', operator: 'equals', value: 'emea' }, ['A']],
  [78, { field: 'region', fieldType: 'text', operator: 'not_equals', value: 'EMEA' }, ['B', 'C']],
  [79, { field: 'region', fieldType: 'text', operator: 'contains', value: 'ME' }, ['A', 'B']],
  [80, { field: 'region', fieldType: 'text', operator: 'not_contains', value: 'EM' }, ['B', 'C']],
  [81, { field: 'region', fieldType: 'select', operator: 'in', value: ['AMER', 'APAC'] }, ['B']],
  [82, { field: 'region', fieldType: 'select', operator: 'not_in', value: ['AMER', 'APAC'] }, ['A', 'C']],
  [83, { field: 'amount', fieldType: 'currency', operator: 'gt', value: 2000 }, ['C']],
  [84, { field: 'amount', fieldType: 'currency', operator: 'gte', value: 2000 }, ['B', 'C']],
  [85, { field: 'amount', fieldType: 'number', operator: 'lt', value: 2000 }, ['A']],
  [86, { field: 'amount', fieldType: 'number', operator: 'lte', value: 2000 }, ['A', 'B']],
  [87, { field: 'amount', fieldType: 'number', operator: 'between', value: [1000, 2000] }, ['A', 'B']],
  [88, { field: 'signed', fieldType: 'date', operator: 'before', value: '2026-01-10' }, ['A']],
  [89, { field: 'signed', fieldType: 'date', operator: 'after', value: '2026-01-10' }, ['C']],
  [90, { field: 'close_date', fieldType: 'date', operator: 'in_period', value: '2026-02' }, ['B']],
  [91, { field: 'signed', fieldType: 'date', operator: 'in_last_n_days', value: 30 }, ['A', 'C']],
  [92, { field: 'region', fieldType: 'text', operator: 'is_set' }, ['A', 'B']],
  [93, { field: 'region', fieldType: 'text', operator: 'is_not_set' }, ['C']],
  [94, { field: 'renewal', fieldType: 'checkbox', operator: 'is_true' }, ['A']],
  [95, { field: 'renewal', fieldType: 'checkbox', operator: 'is_false' }, ['B', 'C']],
  [98, { field: 'stage', fieldType: 'status', operator: 'equals', value: 'Won' }, ['A', 'B']],
  [99, { field: 'dealstage', fieldType: 'status', operator: 'equals', value: 'Won' }, ['A', 'B']],
  [100, { field: 'value', fieldType: 'currency', operator: 'equals', value: 3000 }, ['C']],
  [101, { field: 'amount', fieldType: 'currency', operator: 'equals', value: 3000 }, ['C']],
];

const titles: Readonly<Record<number, string>> = {
  98: 'the alias stage finds the stage of the deal',
  99: 'the alias dealstage finds the stage of the deal',
  100: 'the alias value finds the amount of the deal',
  101: 'the alias amount finds the amount of the deal',
};

const isEmea = operatorRows[0]?.[1] as Leaf;
const isLarge = operatorRows[6]?.[1] as Leaf;

/** Section 2 of the specification, conditions: each rule of one plan carries one condition and pays 10 %. */
export function describeConditions(): void {
  describe('2: conditions', () => {
    let world: World;
    const rules: { name: string; [field: string]: unknown }[] = [];

    before(async () => {
      world = await World.create();
      const conditional = (name: string, condition: object) => ({
        name,
        measure: 'amount',
        tiers: flatTier(0.1),
        conditions: [condition],
      });
      for (const [number, leaf] of operatorRows) rules.push(conditional(`Row ${number}`, leaf));
      rules.push(conditional('Row 96', { operator: 'or', rules: [isEmea, isLarge] }));
      rules.push(conditional('Row 97', { operator: 'and', rules: [isEmea, { ...isLarge, operator: 'lt' }] }));
      const plan = await world.admin.createPlan({ name: 'Conditions', config: { rules } });
      await world.assign(plan, 'ben');
      await world.deal('A', {
        amount: 1000,
        closeDate: '2026-01-20',
        stage: 'Won',
        fields: { region: 'EMEA', signed: '2026-01-09', renewal: true },
      });
      await world.deal('B', {
        amount: 2000,
        closeDate: '2026-02-20',
        stage: 'Won',
        fields: { region: 'Amer', signed: '2026-01-10', renewal: false },
      });
      await world.deal('C', {
        amount: 3000,
        closeDate: '2026-03-20',
        stage: 'Open',
        fields: { signed: '2026-03-20' },
      });
      await world.waitForCalculations();
    });

    const paidUnder = async (number: number) => Object.keys(await world.earned('ben', `Row ${number}`));

    row(76, 'all 19 operators, the 8 field types and and/or groups are accepted', async () => {
      const operators = new Set(operatorRows.map(([, { operator }]) => operator));
      expect(operators.size).to.equal(19);
      const types = ['text', 'number', 'currency', 'date', 'select', 'status', 'checkbox', 'timestamp'];
      const conditions = types.map((fieldType) => ({ field: 'any', fieldType, operator: 'is_set' }));
      const groups = ['and', 'or'].map((operator) => ({ operator, rules: conditions }));
      const config = { dealConditions: [...conditions, ...groups], rules };
      const plan = await world.admin.createPlan({ name: 'All', status: 'draft', config });
      expect(plan.dealConditions).to.have.length(types.length + 2);
      expect(plan.config.dealConditions).to.deep.equal(config.dealConditions);
      expect(plan.rules).to.have.length(rules.length);
    });

    for (const [number, { operator }, expected] of operatorRows)
      row(number, titles[number] ?? `${operator} passes exactly the deals that it should`, async () => {
        expect(await paidUnder(number)).to.deep.equal(expected);
      });

    row(96, 'an or group passes when one of its conditions passes', async () => {
      expect(await paidUnder(96)).to.deep.equal(['A', 'C']);
    });

    row(97, 'an and group passes when all of its conditions pass', async () => {
      expect(await paidUnder(97)).to.deep.equal(['A']);
    });
  });
}
